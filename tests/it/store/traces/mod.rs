//! The two databases are one (invariant 21): the same trace of requests is answered alike, byte for byte, on both.
//!
//! A trace is made up while it is played, from a seed and from what was answered before. Two servers of the same randomness and
//! the same time play it, one on each database, a request after the other. Compared are status, headers and bodies; masked is
//! the `date` header alone, which is the machine's.
//!
//! `VESTRY_TRACES` says how many seeds are played, `VESTRY_TRACE_STEPS` how long each, `VESTRY_SEED` which seed is the first.

mod made;
mod memory;
mod requests;
mod world;

use crate::access::twins::said;
use crate::harness::{Directory, knob};
use crate::templates::rng::Rng;
use made::make;
use memory::Memory;
use requests::Request;
use world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_is_answered_alike_on_both_databases() {
    let first = knob("VESTRY_SEED", 21);
    let (seeds, steps) = (knob("VESTRY_TRACES", 3), knob("VESTRY_TRACE_STEPS", 220));
    for seed in first..first + seeds {
        let Some(other) = Directory::in_postgres() else {
            return;
        };
        play(seed, steps, other).await;
    }
}

async fn play(seed: u64, steps: u64, in_postgres: Directory) {
    let mut sqlite = World::new(seed, Directory::in_sqlite()).await;
    let mut postgres = World::new(seed, in_postgres).await;
    let (mut rng, mut memory) = (Rng::new(seed), Memory::default());
    let mut done = 0;
    for step in 0..steps {
        if rng.chance(3) {
            let seconds = [61, 400, 3_700][rng.below(3)];
            sqlite.later(seconds).await;
            postgres.later(seconds).await;
            assert_eq!(
                sqlite.tokens(),
                postgres.tokens(),
                "seed {seed}, step {step}"
            );
        }
        let request = make(&mut rng, &memory);
        let one = sqlite.send(&request).await;
        let other = postgres.send(&request).await;
        assert_eq!(
            said(&one),
            said(&other),
            "VESTRY_SEED={seed}, step {step}: {request:?}; SQLite's answer is the left one"
        );
        if request.changes() && one.status.is_success() {
            done += 1;
        }
        memory.learn(&request, &one);
        sqlite.settle().await;
        postgres.settle().await;
    }
    for path in requests::AT_THE_END {
        for who in 0..world::CAST {
            let request = Request::get(who, path);
            let (one, other) = (sqlite.send(&request).await, postgres.send(&request).await);
            assert_eq!(
                said(&one),
                said(&other),
                "seed {seed}, at the end: {request:?}"
            );
        }
    }
    println!("seed {seed}: {steps} steps, of which {done} changed something");
    assert!(
        done * 5 > steps,
        "the trace of seed {seed} does too little: {done}"
    );
    for world in [&mut sqlite, &mut postgres] {
        world.end().await;
    }
}
