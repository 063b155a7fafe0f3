//! A model of what keeps three replicas fresh, explored whole: every order in which the steps of writes, catalogs and loads can
//! happen. `cargo test -p vestry-tests --features model --test model`.
//!
//! The steps are those of `store::{writing, freshness, live, catalog::scopes}`. Each guard among them is left out once
//! ([`system::Fault`]), and then something that must hold does not: so every one of them is needed, and the model would notice.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails loudly, and says how much it looked at"
)]

mod properties;
mod system;

use stateright::{Checker as _, Model as _};
use system::{Fault, Replicas};

fn explore(fault: Option<Fault>) -> (usize, Vec<&'static str>) {
    let checker = Replicas { fault }.checker().threads(2).spawn_bfs().join();
    let mut broken: Vec<&'static str> = checker
        .discoveries()
        .into_keys()
        .filter(|name| !properties::EXAMPLES.contains(name))
        .collect();
    broken.sort_unstable();
    if fault.is_none() {
        // Everything was looked at, and everything that should be possible is.
        checker.assert_properties();
    }
    (checker.unique_state_count(), broken)
}

#[test]
fn with_all_guards_nothing_stale_is_answered() {
    let (states, broken) = explore(None);
    println!("{states} states");
    assert_eq!(broken, Vec::<&str>::new());
    assert!(states > 10_000, "{states}");
}

#[test]
fn without_any_one_guard_something_is() {
    for (fault, breaks) in Fault::ALL {
        let (states, broken) = explore(Some(fault));
        println!("{fault:?}: {states} states, breaks {broken:?}");
        assert!(broken.contains(&breaks), "{fault:?} breaks {broken:?}");
    }
}
