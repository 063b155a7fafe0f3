//! What is for everybody is what a catalog of `global` alone offers, but for templates.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use vestry_policies::resolve::{Cap, Query, ScopeList, is_public, resolve};
use vestry_policies::{Mode, Scope, Status, Summary};

use crate::support::{actor, config, skill, summary, tenant};
use crate::world::world;

proptest! {
    #![proptest_config(config())]

    /// A caller that has nothing but `global` and no role is offered all of it, and besides it only templates.
    #[test]
    fn nobody_is_shown_more_than_a_catalog_offers((skills, question) in world()) {
        let hidden = BTreeSet::new();
        let query = Query { scopes: &[Scope::Global], cap: Cap::UNLIMITED, role: None, hidden: &hidden };
        let mut offered: Vec<Arc<Summary>> =
            resolve(&skills, &query).entries.into_iter().map(|entry| entry.summary).collect();
        offered.retain(|row| !row.templated);
        offered.sort_by(|a, b| a.name.cmp(&b.name));
        let list = ScopeList::new(Scope::Global, skills.clone());
        let public: Vec<Arc<Summary>> = list.public().collect();
        prop_assert_eq!(&public, &offered);
        for row in &public {
            let found = list.find_public(row.name.as_str());
            prop_assert_eq!(found.as_ref(), Some(row));
        }
        // The names that are there and are not for everybody are not found.
        for name in list.names() {
            let shown = public.iter().any(|row| row.name.as_str() == name);
            prop_assert_eq!(list.find_public(name).is_some(), shown);
        }
        for scope in question.scopes.iter().filter(|scope| **scope != Scope::Global) {
            prop_assert_eq!(ScopeList::new(scope.clone(), skills.clone()).public().count(), 0);
        }
    }
}

#[test]
fn each_condition_counts() {
    let shown = summary(&Scope::Global, "a");
    assert!(is_public(&shown));
    assert!(is_public(&Summary {
        sealed: true,
        ..shown.clone()
    }));
    for kept in [
        Summary {
            templated: true,
            ..shown.clone()
        },
        Summary {
            mode: Mode::Ambient,
            ..shown.clone()
        },
        Summary {
            roles: Arc::from([Arc::from("support")]),
            ..shown.clone()
        },
        Summary {
            status: Status::Disabled,
            ..shown.clone()
        },
        Summary {
            status: Status::Quarantined,
            ..shown.clone()
        },
        Summary {
            status: Status::Revoked,
            ..shown.clone()
        },
        Summary {
            status: Status::Archived,
            ..shown.clone()
        },
        (*skill(&tenant("acme"), "a")).clone(),
        (*skill(&actor("u1", "acme"), "a")).clone(),
    ] {
        assert!(!is_public(&kept), "{kept:?}");
    }
}
