//! The fast path gives what the rule gives.

use std::sync::Arc;

use proptest::prelude::*;
use vestry_policies::resolve::{ScopeList, WideView, overlay, resolve};
use vestry_policies::{Scope, Summary};

use crate::support::{config, skill};
use crate::world::world;

fn list(scope: &Scope, skills: &[Arc<Summary>]) -> ScopeList {
    ScopeList::new(scope.clone(), skills.to_vec())
}

proptest! {
    #![proptest_config(config())]

    /// Invariants 7 to 9 for kept structures: the narrowest scope laid over the merged others is the
    /// catalog of all of them.
    #[test]
    fn an_overlay_is_the_resolution((skills, question) in world()) {
        let role = question.role.as_deref();
        // What is laid over is an actor's scope: sealing and hiding are matters of the wide ones.
        let first = question.scopes.first().filter(|scope| !scope.is_shared());
        let narrow = first.map(|scope| list(scope, &skills));
        let wide: Vec<_> = question
            .scopes
            .iter()
            .filter(|scope| Some(*scope) != first)
            .map(|scope| Arc::new(list(scope, &skills)))
            .collect();
        let view = WideView::merge(&wide, narrow.iter().len(), &question.hidden, role);
        let fast = overlay(narrow.as_ref(), &view, question.cap, role);
        prop_assert_eq!(fast, resolve(&skills, &question.query()));
    }

    /// The same for a caller without an actor.
    #[test]
    fn a_view_alone_is_the_resolution((skills, question) in world()) {
        let role = question.role.as_deref();
        let wide: Vec<_> = question.scopes.iter().map(|scope| Arc::new(list(scope, &skills))).collect();
        let view = WideView::merge(&wide, 0, &question.hidden, role);
        prop_assert_eq!(overlay(None, &view, question.cap, role), resolve(&skills, &question.query()));
    }
}

/// What servers keep many of is small: the bytes of its texts, and less than a hundred a skill beside.
#[test]
fn a_kept_skill_is_its_text_and_less_than_a_hundred_bytes() {
    let scope = Scope::Global;
    let skills: Vec<_> = (0..1_000)
        .map(|number| skill(&scope, &format!("skill-{number}")))
        .collect();
    let texts: usize = skills
        .iter()
        .map(|skill| skill.name.as_str().len() + skill.description.len())
        .sum();
    let bytes = list(&scope, &skills).bytes();
    assert!(bytes >= texts, "{bytes} bytes for {texts}");
    assert!(
        bytes < texts + 100 * skills.len(),
        "{bytes} bytes for {texts}"
    );
}
