//! Explanations: they say what `decide` and `resolve` say, and nothing of their own.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use vestry_policies::explain::{Place, explain, explain_catalog};
use vestry_policies::resolve::{Cap, Query, resolve};
use vestry_policies::{Action, Rule, Scope, SkillName, Target, Verdict, decide};

use crate::cells::whole_matrix;
use crate::naive_catalog::visible;
use crate::support::config;
use crate::world::world;

/// Every so many cells of the matrix are explained: each explanation decides dozens of times.
const STRIDE: usize = 37;

thread_local! {
    /// Cells of this thread so far: the matrix walks each kind of principal in a thread of its own, always in one order.
    static CELLS: Cell<usize> = const { Cell::new(0) };
}

/// The verdict is `decide`'s; where it refuses, the first condition that does not hold is the rule's, and where it allows,
/// all hold. No rule is asked twice.
#[test]
fn an_explanation_says_what_decide_says() {
    let (cells, rules) = whole_matrix(|action, target, facts| {
        let number = CELLS.replace(CELLS.get() + 1);
        if !number.is_multiple_of(STRIDE) {
            return None;
        }
        let explained = explain(action, target, facts);
        let cell = || format!("{} {target:?} {facts:?}: {explained:?}", action.as_str());
        assert_eq!(
            explained.verdict,
            decide(action, target, facts),
            "{}",
            cell()
        );
        let asked: BTreeSet<Rule> = explained.conditions.iter().map(|one| one.rule).collect();
        assert_eq!(asked.len(), explained.conditions.len(), "{}", cell());
        let missing = explained.conditions.iter().find(|one| !one.holds);
        match explained.verdict {
            Verdict::Allow(_) => {
                assert_eq!(missing, None, "{}", cell());
                assert!(explained.reachable, "{}", cell());
                assert_eq!(explained.needed(), None, "{}", cell());
            }
            Verdict::Review(rule) | Verdict::Deny(rule) => {
                assert_eq!(missing.map(|one| one.rule), Some(rule), "{}", cell());
                assert!(explained.needed().is_some(), "{}", cell());
            }
        }
        missing.map(|one| one.rule)
    });
    let refusals: BTreeSet<Rule> = rules.into_iter().flatten().collect();
    println!(
        "{} cells, {} rules that refuse",
        cells / STRIDE,
        refusals.len()
    );
    assert!(refusals.contains(&Rule::NeedsElevation) && refusals.contains(&Rule::WrongTarget));
}

/// Design §2.3: the conditions of a publication at a shared scope, in the order of the text.
#[test]
fn a_publication_is_explained_in_the_order_of_the_design() {
    let (_, orders) = whole_matrix(|action, target, facts| {
        let (Action::PublishSkill, Target::Scope(Scope::Global)) = (action, target) else {
            return Vec::new();
        };
        let explained = explain(action, target, facts);
        explained.conditions.iter().map(|one| one.rule).collect()
    });
    let in_order = vec![
        Rule::NotInScope,
        Rule::HumansOnly,
        Rule::NeedsElevation,
        Rule::NeedsRole,
        Rule::QuotaExceeded,
    ];
    assert_eq!(orders, BTreeSet::from([Vec::new(), in_order]));
}

proptest! {
    #![proptest_config(config())]

    /// Invariant 9: what is explained as offered is the catalog, in its order; what is explained as omitted, shadowed or
    /// blocked is what the catalog says so of; and everything at the caller's scopes is explained once.
    #[test]
    fn an_explained_catalog_is_the_catalog((skills, question) in world()) {
        let query = question.query();
        let catalog = resolve(&skills, &query);
        let explained = explain_catalog(&skills, &query);

        let at_its_scopes = skills.iter().filter(|row| query.scopes.contains(&row.scope)).count();
        prop_assert_eq!(explained.len(), at_its_scopes);

        let mut offered = BTreeMap::new();
        let mut omitted = BTreeMap::new();
        let mut shadowed: BTreeMap<SkillName, BTreeSet<(Scope, Scope)>> = BTreeMap::new();
        let mut blocked = BTreeSet::new();
        for one in &explained {
            let name = one.summary.name.clone();
            let scope = one.summary.scope.clone();
            prop_assert_eq!(&query.scopes[one.rank], &scope);
            match &one.place {
                Place::Offered(at) => { prop_assert!(offered.insert(*at, (name, scope)).is_none()); }
                Place::Omitted(at) => { prop_assert!(omitted.insert(*at, name).is_none()); }
                Place::Shadowed(by) => { shadowed.entry(name).or_default().insert((scope, by.clone())); }
                Place::Blocked(by) => { blocked.insert((name, scope, by.clone())); }
                Place::Hidden | Place::OtherRole | Place::Ambient | Place::OtherSource | Place::Inactive(_) => {}
            }
        }
        let entries: Vec<_> = catalog.entries.iter()
            .map(|entry| (entry.summary.name.clone(), entry.summary.scope.clone())).collect();
        prop_assert_eq!(offered.into_values().collect::<Vec<_>>(), entries);
        prop_assert_eq!(omitted.len(), catalog.omitted);
        prop_assert_eq!(omitted.into_values().take(50).collect::<Vec<_>>(), catalog.omitted_names);
        let whole = resolve(&skills, &Query { cap: Cap::UNLIMITED, ..question.query() });
        let mut shadows: BTreeMap<SkillName, BTreeSet<(Scope, Scope)>> = BTreeMap::new();
        for entry in &whole.entries {
            for scope in &entry.shadows {
                shadows.entry(entry.summary.name.clone()).or_default()
                    .insert((scope.clone(), entry.summary.scope.clone()));
            }
        }
        prop_assert_eq!(shadowed, shadows);
        let lost: BTreeSet<_> = catalog.blocked.iter()
            .map(|one| (one.name.clone(), one.scope.clone(), one.by.clone())).collect();
        prop_assert_eq!(blocked, lost);
        // What is seen takes part, and what takes part is seen.
        let taking_part = explained.iter().filter(|one| matches!(
            one.place, Place::Offered(_) | Place::Omitted(_) | Place::Shadowed(_) | Place::Blocked(_)
        )).count();
        prop_assert_eq!(taking_part, visible(&skills, &query).len());
    }
}
