//! What a change does to an actor's catalog, held against resolving twice and comparing.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use vestry_policies::resolve::{
    Cap, Catalog, Effect, Fallen, NAMED, Query, ScopeList, Side, Subject, Tally, WideView, effect,
};
use vestry_policies::{ActorId, Scope, SkillName, Status, Summary};

use crate::naive_catalog;
use crate::support::{actor, actor_id, cap, config, name, sealed, skill, tenant};
use crate::world::world;

/// Three scopes before and after something happened.
#[derive(Debug, Clone)]
struct Case {
    before: Vec<Arc<Summary>>,
    after: Vec<Arc<Summary>>,
    hidden: [BTreeSet<SkillName>; 2],
    name: SkillName,
    scope: Scope,
    cap: Cap,
}

fn scopes() -> [Scope; 3] {
    [actor("u1", "acme"), tenant("acme"), Scope::Global]
}

/// One row a name and scope, as storage has them, and for all roles.
fn stored(mut skills: Vec<Arc<Summary>>) -> Vec<Arc<Summary>> {
    let mut kept: Vec<Arc<Summary>> = Vec::new();
    for skill in skills.drain(..) {
        let taken = kept
            .iter()
            .any(|one| one.name == skill.name && one.scope == skill.scope);
        if !taken {
            let row = Summary {
                roles: Arc::from([]),
                source: 0,
                ..(*skill).clone()
            };
            kept.push(Arc::new(row));
        }
    }
    kept
}

/// A world, and one of: a skill is written, sealed, unsealed, taken out, put in; a global one is hidden or shown.
fn case() -> impl Strategy<Value = Case> {
    let what = (any::<prop::sample::Index>(), 0..3_usize, 0..6_u8);
    (world(), what).prop_map(|((skills, question), (pick, at, kind))| {
        let before = stored(skills);
        let subject = if before.is_empty() {
            None
        } else {
            Some(Arc::clone(&before[pick.index(before.len())]))
        };
        let scope = scopes()[at].clone();
        let name = subject
            .as_ref()
            .map_or_else(|| name("a"), |row| row.name.clone());
        let mut after = before.clone();
        let mut hidden = [question.hidden.clone(), question.hidden.clone()];
        let place = after
            .iter()
            .position(|row| row.name == name && row.scope == scope);
        let mut row = place.map_or_else(
            || (*skill(&scope, name.as_str())).clone(),
            |place| (*after.swap_remove(place)).clone(),
        );
        match kind {
            0 => row.status = Status::Active,
            1 => row.status = Status::Disabled,
            2 => row.sealed = !row.sealed,
            3 => row.digest.0[0] ^= 1,
            4 => {
                hidden[1].insert(name.clone());
            }
            _ => {
                hidden[1].remove(&name);
            }
        }
        after.push(Arc::new(row));
        Case {
            before,
            after,
            hidden,
            name,
            scope: if kind < 4 { scope } else { Scope::Global },
            cap: question.cap,
        }
    })
}

fn list(scope: &Scope, rows: &[Arc<Summary>]) -> ScopeList {
    ScopeList::new(scope.clone(), rows.to_vec())
}

fn of_case(case: &Case) -> Effect {
    let [own, acme, global] = scopes();
    let view = |rows: &[Arc<Summary>], hidden: &BTreeSet<SkillName>| {
        let wide = [Arc::new(list(&acme, rows)), Arc::new(list(&global, rows))];
        WideView::merge(&wide, 1, hidden, None)
    };
    let (mine_before, mine_after) = (list(&own, &case.before), list(&own, &case.after));
    let (names_before, names_after): (Vec<&str>, Vec<&str>) =
        (mine_before.names().collect(), mine_after.names().collect());
    let wide = [
        view(&case.before, &case.hidden[0]),
        view(&case.after, &case.hidden[1]),
    ];
    let digest = |rows: &[Arc<Summary>]| {
        rows.iter()
            .find(|row| row.name == case.name && row.scope == case.scope)
            .map(|row| row.digest)
    };
    effect(
        &Subject {
            name: &case.name,
            scope: &case.scope,
            has_other_content: digest(&case.before) != digest(&case.after),
        },
        Side {
            own: &names_before,
            wide: &wide[0],
        },
        Side {
            own: &names_after,
            wide: &wide[1],
        },
        case.cap,
    )
}

/// The same, by resolving the whole of it twice and looking at what is answered.
fn naive(case: &Case) -> Effect {
    let resolve = |rows: &[Arc<Summary>], hidden: &BTreeSet<SkillName>, cap: Cap| -> Catalog {
        let query = Query {
            scopes: &scopes(),
            cap,
            role: None,
            hidden,
        };
        naive_catalog::resolve(rows, &query)
    };
    let [hidden_before, hidden_after] = &case.hidden;
    let was = resolve(&case.before, hidden_before, case.cap);
    let is = resolve(&case.after, hidden_after, case.cap);
    let all_was = resolve(&case.before, hidden_before, Cap::UNLIMITED);
    let all_is = resolve(&case.after, hidden_after, Cap::UNLIMITED);
    let entry = |catalog: &Catalog| {
        catalog
            .entries
            .iter()
            .find(|entry| entry.summary.name == case.name && entry.summary.scope == case.scope)
            .map(|entry| entry.summary.digest)
    };
    let shadows = |catalog: &Catalog| -> Vec<Scope> {
        catalog
            .entries
            .iter()
            .filter(|entry| entry.summary.name == case.name)
            .flat_map(|entry| entry.shadows.clone())
            .collect()
    };
    let has = |catalog: &Catalog, name: &SkillName, scope: &Scope| {
        catalog
            .entries
            .iter()
            .any(|entry| entry.summary.name == *name && entry.summary.scope == *scope)
    };
    Effect {
        gains: entry(&is).is_some() && entry(&was).is_none(),
        loses: entry(&was).is_some() && entry(&all_is).is_none(),
        changes: entry(&is).is_some() && entry(&was).is_some() && entry(&is) != entry(&was),
        shadowed: shadows(&all_is)
            .iter()
            .any(|scope| !shadows(&all_was).contains(scope)),
        blocked: is.blocked.iter().any(|lost| !was.blocked.contains(lost)),
        omitted: entry(&all_is).is_some() && entry(&is).is_none() && entry(&all_was).is_none(),
        fallen: was
            .entries
            .iter()
            .map(|entry| (&entry.summary.name, &entry.summary.scope))
            .filter(|(name, scope)| has(&all_is, name, scope) && !has(&is, name, scope))
            .map(|(name, scope)| Fallen {
                name: name.clone(),
                scope: Some(scope.clone()).filter(Scope::is_shared),
            })
            .collect(),
    }
}

proptest! {
    #![proptest_config(config())]

    /// The effect of a change is the difference of the two resolutions.
    #[test]
    fn an_effect_is_the_difference_of_two_catalogs(case in case()) {
        prop_assert_eq!(of_case(&case), naive(&case));
    }

    /// Putting a row into a list is the list of the rows with it.
    #[test]
    fn a_list_with_another_row_is_the_list_of_those_rows(case in case()) {
        for scope in scopes() {
            let before = list(&scope, &case.before);
            let row = case.after.iter().find(|row| row.name == case.name && row.scope == scope);
            let with = before.with(&case.name, row.map(|row| (**row).clone()));
            prop_assert_eq!(&with, &list(&scope, &case.after));
            let found = with.find(case.name.as_str()).map(|row| row.digest);
            let active = row.filter(|row| with.names().any(|name| name == row.name.as_str()));
            prop_assert_eq!(found, active.map(|row| row.digest));
        }
    }

    /// Threat 2, said of impact: what an actor writes takes nothing sealed from it, and blocks nobody's skill but its own.
    #[test]
    fn nothing_sealed_falls_for_what_an_actor_writes(case in case()) {
        let own = !case.scope.is_shared();
        let seals: Vec<_> = case.before.iter().filter(|row| naive_catalog::has_seal(row)).collect();
        for fallen in of_case(&case).fallen {
            if own {
                let is_sealed = seals.iter().any(|row| {
                    row.name == fallen.name && Some(&row.scope) == fallen.scope.as_ref() && row.status == Status::Active
                });
                // A sealed tenant skill that lost to a sealed global one is no entry, and cannot fall.
                prop_assert!(!is_sealed, "{fallen:?}");
            }
        }
    }

    /// Counting is adding up: every group has as many actors as effects were that have it.
    #[test]
    fn a_tally_counts_each_effect_once(cases in prop::collection::vec((case(), 0_u64..40), 0..6)) {
        let mut tally = Tally::default();
        let mut sums = [0_u64; 3];
        for (at, (case, actors)) in cases.iter().enumerate() {
            let effect = of_case(case);
            let first = usize::try_from(*actors).unwrap().min(NAMED);
            let who: Vec<ActorId> = (0..first).map(|n| actor_id(&format!("a{at}-{n:02}"))).collect();
            tally.add(&effect, &who, *actors);
            for (sum, is_so) in sums.iter_mut().zip([effect.is_any(), effect.gains, !effect.fallen.is_empty()]) {
                *sum += if is_so { *actors } else { 0 };
            }
        }
        prop_assert_eq!([tally.affected.actors, tally.gains.actors, tally.past_cap.actors], sums);
        for group in [&tally.affected, &tally.gains, &tally.past_cap] {
            prop_assert_eq!(group.named.len() as u64, group.actors.min(NAMED as u64));
            prop_assert!(group.named.is_sorted());
            prop_assert_eq!(group.tenants, u64::from(group.actors > 0));
        }
        prop_assert!(tally.fallen.len() <= NAMED);
    }
}

/// Design §2.2 by example: who notices a seal, and what falls for a new skill.
#[test]
fn a_seal_blocks_and_a_new_skill_pushes_the_last_one_out() {
    let [own, acme, global] = scopes();
    let base = Case {
        before: vec![skill(&own, "b"), skill(&acme, "b"), skill(&global, "z")],
        after: vec![skill(&own, "b"), sealed(&acme, "b"), skill(&global, "z")],
        hidden: Default::default(),
        name: name("b"),
        scope: acme.clone(),
        cap: cap(20),
    };
    let seal = of_case(&base);
    assert!(seal.blocked && seal.gains && !seal.loses && seal.fallen.is_empty());
    let new = Case {
        before: vec![skill(&own, "b"), skill(&global, "z")],
        after: vec![skill(&own, "b"), skill(&acme, "c"), skill(&global, "z")],
        name: name("c"),
        cap: cap(2),
        ..base
    };
    let fallen = of_case(&new).fallen;
    let expected = Fallen {
        name: name("z"),
        scope: Some(Scope::Global),
    };
    assert_eq!(fallen, [expected]);
}
