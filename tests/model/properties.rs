//! What must hold in every state, and what must be possible at all.

use stateright::Property;

use crate::system::{Outcome, Replicas, Step, System};

/// A catalog has every write that was acknowledged before it was asked for (design §3, invariant 19).
pub(crate) const FRESH: &str = "a catalog has what was acknowledged before it";
/// A load that begins after a revocation was acknowledged gives nothing (invariant 10).
pub(crate) const REVOKED: &str = "what was revoked is not loaded";
/// A load gives what was offered, or nothing (invariant 12).
pub(crate) const PINNED: &str = "what is loaded was offered";

/// What is possible.
pub(crate) const EXAMPLES: [&str; 3] = [
    "a catalog with all writes",
    "a load after a publication",
    "a load that is refused",
];

pub(crate) fn all() -> Vec<Property<Replicas>> {
    let [with_all, after_publication, refused] = EXAMPLES;
    vec![
        Property::always(FRESH, |_, system| !has(system, Outcome::Stale)),
        Property::always(REVOKED, |_, system| !has(system, Outcome::LoadedRevoked)),
        Property::always(PINNED, |_, system| !has(system, Outcome::LoadedOther)),
        Property::sometimes(with_all, |_, system| {
            has(system, Outcome::Fresh { has_all: true })
        }),
        Property::sometimes(after_publication, |_, system| {
            has(system, Outcome::Loaded { later: true })
        }),
        Property::sometimes(refused, |_, system| has(system, Outcome::Refused)),
    ]
}

fn has(system: &System, outcome: Outcome) -> bool {
    system
        .requests
        .iter()
        .any(|request| request.step == Step::Done(outcome))
}
