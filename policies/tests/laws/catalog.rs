//! Invariants 7, 8 and 9: what a catalog is.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use vestry_policies::resolve::{Cap, Query, resolve};
use vestry_policies::{Scope, SkillName, Summary, block};

use crate::naive_catalog::{self, has_seal, visible};
use crate::support::{actor, cap, config, name, names, plain, sealed, skill, summary, tenant};
use crate::world::world;

proptest! {
    #![proptest_config(config())]

    /// Invariant 7, and all else of design §2.2: the model gives the same catalog.
    #[test]
    fn the_catalog_is_the_models((skills, question) in world()) {
        let query = question.query();
        prop_assert_eq!(resolve(&skills, &query), naive_catalog::resolve(&skills, &query));
    }

    /// Invariant 7, stated without a model.
    #[test]
    fn entries_are_the_callers_and_all_are_accounted_for((skills, question) in world()) {
        let query = question.query();
        let catalog = resolve(&skills, &query);
        let seals = catalog.entries.iter().filter(|entry| has_seal(&entry.summary)).count();
        prop_assert!(catalog.entries.len() <= question.cap.get().max(seals));
        let seen: BTreeSet<SkillName> = visible(&skills, &query).iter().map(|row| row.name.clone()).collect();
        prop_assert_eq!(catalog.entries.len() + catalog.omitted, seen.len());
        prop_assert_eq!(catalog.omitted_names.len(), catalog.omitted.min(50));
        for entry in &catalog.entries {
            prop_assert!(question.scopes.contains(&entry.summary.scope));
            prop_assert!(!entry.shadows.contains(&entry.summary.scope), "it shadows itself");
        }
    }

    /// Invariant 8: the order of the rows never shows, not in one byte.
    #[test]
    fn the_order_of_rows_changes_nothing(
        ((skills, question), shuffled) in world().prop_flat_map(|(skills, question)| {
            let shuffled = Just(skills.clone()).prop_shuffle();
            (Just((skills, question)), shuffled)
        }),
    ) {
        let first = resolve(&skills, &question.query());
        let second = resolve(&shuffled, &question.query());
        prop_assert_eq!(block::render(&first.entries), block::render(&second.entries));
        prop_assert_eq!(first, second);
    }

    /// Invariant 9: the listing that a human sees begins with what is offered and goes on with what is omitted.
    #[test]
    fn the_listing_and_the_offer_agree((skills, question) in world()) {
        let offer = resolve(&skills, &question.query());
        let listing = resolve(&skills, &Query { cap: Cap::UNLIMITED, ..question.query() });
        let (offered, omitted) = listing.entries.split_at(offer.entries.len());
        prop_assert_eq!(offered, &offer.entries[..]);
        prop_assert_eq!(omitted.len(), offer.omitted);
        let named: Vec<_> = omitted.iter().take(50).map(|entry| entry.summary.name.clone()).collect();
        prop_assert_eq!(named, offer.omitted_names);
        prop_assert_eq!(listing.blocked, offer.blocked);
    }

    /// Threat 2: nothing that an actor writes takes a sealed entry away, changes it or moves it.
    #[test]
    fn no_actor_removes_a_sealed_entry((skills, question) in world()) {
        let without: Vec<Arc<Summary>> = skills.iter().filter(|row| row.scope.is_shared()).cloned().collect();
        let seals = |skills: &[Arc<Summary>]| -> Vec<Arc<Summary>> {
            let entries = resolve(skills, &question.query()).entries;
            entries.iter().map(|entry| &entry.summary).filter(|row| has_seal(row)).cloned().collect()
        };
        prop_assert_eq!(seals(&skills), seals(&without));
    }

    /// A scope that is listed twice counts once.
    #[test]
    fn repeated_scopes_count_once((skills, question) in world(), again in any::<prop::sample::Index>()) {
        let mut scopes = question.scopes.clone();
        if !scopes.is_empty() {
            scopes.push(scopes[again.index(scopes.len())].clone());
        }
        let repeated = resolve(&skills, &Query { scopes: &scopes, ..question.query() });
        prop_assert_eq!(repeated, resolve(&skills, &question.query()));
    }
}

#[test]
fn a_sealed_skill_wins_over_narrower_ones_and_names_them() {
    let (own, acme) = (actor("u1", "acme"), tenant("acme"));
    let scopes = [own.clone(), acme.clone(), Scope::Global];
    let skills = [
        skill(&own, "safety"),
        sealed(&acme, "safety"),
        sealed(&Scope::Global, "safety"),
        sealed(&acme, "tone"),
        skill(&own, "tone"),
        skill(&Scope::Global, "tone"),
        skill(&own, "a"),
    ];
    let catalog = plain(&skills, &scopes, cap(1));
    assert_eq!(
        names(&catalog),
        ["tone", "safety"],
        "sealed ones first, beyond the cap"
    );
    assert_eq!(
        catalog.entries[0].shadows,
        [Scope::Global],
        "only the wider ones"
    );
    assert!(catalog.entries[1].shadows.is_empty());
    assert_eq!(catalog.omitted_names, [name("a")]);
    let blocked: Vec<String> = catalog
        .blocked
        .iter()
        .map(|lost| format!("{} {} by {}", lost.name, lost.scope, lost.by))
        .collect();
    assert_eq!(
        blocked,
        [
            "safety actor:u1 by global",
            "safety tenant:acme by global",
            "tone actor:u1 by tenant:acme"
        ]
    );
}

#[test]
fn a_seal_on_an_actors_skill_has_no_effect() {
    let own = actor("u1", "acme");
    let skills = [sealed(&own, "z"), skill(&own, "a")];
    assert_eq!(names(&plain(&skills, &[own], cap(1))), ["a"]);
}

#[test]
fn of_two_sources_the_earlier_wins_and_shadows_nothing() {
    let mut later = summary(&Scope::Global, "a");
    later.source = 1;
    later.revision = 9;
    let skills = [Arc::new(later), skill(&Scope::Global, "a")];
    let catalog = plain(&skills, &[Scope::Global], cap(20));
    assert_eq!(catalog.entries.len(), 1);
    assert_eq!(catalog.entries[0].summary.source, 0);
    assert!(catalog.entries[0].shadows.is_empty());
}

#[test]
fn hiding_holds_for_global_skills_that_are_not_sealed() {
    let acme = tenant("acme");
    let skills = [
        skill(&Scope::Global, "plain"),
        sealed(&Scope::Global, "mandated"),
        skill(&acme, "own"),
        skill(&Scope::Global, "own"),
    ];
    let hidden: BTreeSet<SkillName> = ["plain", "mandated", "own"].map(name).into();
    let query = Query {
        scopes: &[acme, Scope::Global],
        cap: cap(20),
        role: None,
        hidden: &hidden,
    };
    let catalog = resolve(&skills, &query);
    assert_eq!(names(&catalog), ["mandated", "own"]);
    assert!(
        catalog.entries[1].shadows.is_empty(),
        "a hidden one takes no part, not even as a shadow"
    );
}
