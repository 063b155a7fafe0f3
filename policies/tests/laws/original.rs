//! Replays of the original's behaviour: the same answers where it was right, and the right ones where
//! it was at fault.

use std::sync::Arc;

use proptest::prelude::*;
use vestry_policies::resolve::{Cap, CapError, Catalog, DEFAULT_CAP, MAX_CAP};
use vestry_policies::{ActorId, Scope, Summary, TenantId};

use crate::support::{
    actor, actor_id, cap, config, name, names, plain, skill, summary, tenant, tenant_id,
};
use crate::world::world;

fn usual() -> [Scope; 3] {
    [actor("u1", "acme"), tenant("acme"), Scope::Global]
}

#[test]
fn default_scopes_are_actor_then_tenant_then_global() {
    let (u1, acme) = (actor_id("u1"), tenant_id("acme"));
    let written = |actor: Option<&ActorId>, tenant: Option<&TenantId>| {
        let scopes = Scope::of_caller(actor, tenant);
        scopes.iter().map(Scope::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        written(Some(&u1), Some(&acme)),
        ["actor:u1", "tenant:acme", "global"]
    );
    assert_eq!(written(Some(&u1), None), ["actor:u1", "global"]);
    assert_eq!(written(None, Some(&acme)), ["tenant:acme", "global"]);
    assert_eq!(written(None, None), ["global"]);
}

#[test]
fn the_most_specific_wins_and_shadows_go_narrow_to_wide() {
    let [own, acme, global] = usual();
    let skills = [skill(&global, "a"), skill(&acme, "a"), skill(&own, "a")];
    let catalog = plain(&skills, &usual(), Cap::default());
    assert_eq!(catalog.entries.len(), 1);
    assert_eq!(catalog.entries[0].summary.scope, own);
    assert_eq!(catalog.entries[0].rank, 0);
    assert_eq!(catalog.entries[0].shadows, [acme, global]);
}

#[test]
fn shadows_are_absent_when_there_are_none() {
    let catalog = plain(&[skill(&Scope::Global, "a")], &usual(), Cap::default());
    assert!(catalog.entries[0].shadows.is_empty());
    assert_eq!(catalog.entries[0].rank, 2);
}

#[test]
fn entries_sort_by_rank_and_then_by_name() {
    let [own, acme, global] = usual();
    let skills = [
        skill(&global, "a"),
        skill(&acme, "c"),
        skill(&own, "z"),
        skill(&acme, "b"),
        skill(&own, "y"),
    ];
    let catalog = plain(&skills, &usual(), Cap::default());
    assert_eq!(names(&catalog), ["y", "z", "b", "c", "a"]);
}

#[test]
fn names_sort_by_bytes() {
    let global = Scope::Global;
    let skills = ["ab", "a-b", "a", "a1", "10", "9"].map(|text| skill(&global, text));
    let catalog = plain(&skills, &[global], Cap::default());
    assert_eq!(names(&catalog), ["10", "9", "a", "a-b", "a1", "ab"]);
}

#[test]
fn twenty_are_shown_and_the_rest_is_counted_and_named() {
    let skills: Vec<_> = (0..90)
        .map(|n| skill(&Scope::Global, &format!("n{n:02}")))
        .collect();
    let catalog = plain(&skills, &usual(), Cap::default());
    assert_eq!((catalog.entries.len(), catalog.omitted), (20, 70));
    assert_eq!(catalog.omitted_names.len(), 50);
    assert_eq!(catalog.omitted_names.first(), Some(&name("n20")));
    assert_eq!(catalog.omitted_names.last(), Some(&name("n69")));
    let small = plain(&skills[..20], &usual(), Cap::default());
    assert_eq!((small.entries.len(), small.omitted), (20, 0));
    assert!(small.omitted_names.is_empty());
}

#[test]
fn a_skill_of_a_scope_that_the_caller_has_not_is_dropped() {
    let skills = [
        skill(&actor("u2", "acme"), "a"),
        skill(&actor("u1", "rival"), "b"),
        skill(&tenant("rival"), "c"),
    ];
    assert_eq!(plain(&skills, &usual(), Cap::default()), Catalog::default());
}

/// The original took −1 for "all but one" and 0 for "none".
#[test]
fn only_whole_numbers_from_one_to_the_maximum_are_caps() {
    for bad in [-1, 0, 201, i64::MIN, i64::MAX] {
        assert_eq!(
            Cap::new(bad, 1_000),
            Err(CapError {
                value: bad,
                max: MAX_CAP
            })
        );
    }
    assert_eq!(Cap::new(51, 50), Err(CapError { value: 51, max: 50 }));
    assert_eq!(Cap::new(1, 0), Err(CapError { value: 1, max: 0 }));
    assert_eq!(
        Cap::new(-1, 50).unwrap_err().to_string(),
        "a cap is a whole number from 1 to 50, not -1"
    );
    for good in [1, 20, 200] {
        assert_eq!(
            Cap::new(good, MAX_CAP).map(Cap::get).ok(),
            usize::try_from(good).ok()
        );
    }
    assert_eq!(Cap::default().get(), DEFAULT_CAP);
    assert_eq!(Cap::default_within(5).get(), 5);
    assert_eq!(Cap::default_within(200).get(), 20);
    assert_eq!(
        Cap::default_within(0).get(),
        1,
        "never an empty catalog by default"
    );
}

/// In the original a scope listed twice took two ranks, and made its skills shadow themselves.
#[test]
fn a_scope_listed_twice_counts_once() {
    let [own, acme, global] = usual();
    let skills = [skill(&acme, "a"), skill(&global, "a"), skill(&global, "b")];
    let twice = [own, acme.clone(), acme, global.clone(), global.clone()];
    let catalog = plain(&skills, &twice, Cap::default());
    assert_eq!(names(&catalog), ["a", "b"]);
    assert_eq!(catalog.entries[0].shadows, [global]);
    assert_eq!(catalog.entries[1].rank, 2);
}

/// In the original the second of two rows became a shadow of the first, at the same scope.
#[test]
fn two_rows_of_one_name_at_one_scope_do_not_shadow_themselves() {
    let mut newer = summary(&Scope::Global, "a");
    newer.revision = 2;
    let skills = [skill(&Scope::Global, "a"), Arc::new(newer)];
    let catalog = plain(&skills, &usual(), Cap::default());
    assert_eq!(catalog.entries.len(), 1);
    assert_eq!(catalog.entries[0].summary.revision, 2);
    assert!(catalog.entries[0].shadows.is_empty());
}

/// A winner, and the scopes of its shadows.
type Won = (Arc<Summary>, Vec<Scope>);

/// The original's rule, as its code had it: rows in order of rank, the first of a name wins.
fn original(skills: &[Arc<Summary>], scopes: &[Scope], cap: usize) -> (Vec<Won>, usize) {
    let rank = |row: &Summary| scopes.iter().position(|scope| *scope == row.scope);
    let mut rows: Vec<_> = skills.iter().filter(|row| rank(row).is_some()).collect();
    rows.sort_by_key(|row| (rank(row), row.name.clone()));
    let mut won: Vec<Won> = Vec::new();
    for row in rows {
        match won.iter_mut().find(|(winner, _)| winner.name == row.name) {
            Some((_, shadows)) => shadows.push(row.scope.clone()),
            None => won.push((Arc::clone(row), Vec::new())),
        }
    }
    let omitted = won.len().saturating_sub(cap);
    won.truncate(cap);
    (won, omitted)
}

proptest! {
    #![proptest_config(config())]

    /// Design §2.2: "With nothing sealed, the result equals the original rule above, entry for entry."
    #[test]
    fn with_nothing_sealed_the_original_rule_holds((skills, question) in world()) {
        let mut rows: Vec<Arc<Summary>> = Vec::new();
        for row in &skills {
            let plain = Summary {
                description: Arc::clone(&row.description),
                revision: row.revision,
                ..summary(&row.scope, row.name.as_str())
            };
            // The original's storage had one row for a name at a scope.
            if !rows.iter().any(|other| other.name == row.name && other.scope == row.scope) {
                rows.push(Arc::new(plain));
            }
        }
        let catalog = plain(&rows, &question.scopes, question.cap);
        let (entries, omitted) = original(&rows, &question.scopes, question.cap.get());
        prop_assert_eq!(catalog.omitted, omitted);
        prop_assert!(catalog.blocked.is_empty());
        let found: Vec<_> = catalog.entries.into_iter().map(|entry| (entry.summary, entry.shadows)).collect();
        prop_assert_eq!(found, entries);
    }
}

#[test]
fn an_unlimited_cap_is_a_cap_too() {
    assert_eq!(plain(&[], &[], Cap::UNLIMITED), Catalog::default());
    let skills = [skill(&Scope::Global, "a")];
    assert_eq!(names(&plain(&skills, &usual(), cap(200))), ["a"]);
}
