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
use crate::harness::{Directory, Response, knob};
use crate::templates::rng::Rng;
use made::make;
use memory::Memory;
use requests::Request;
use world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_is_answered_alike_on_both_databases() {
    let first = knob("VESTRY_SEED", 21);
    let (seeds, steps) = (knob("VESTRY_TRACES", 3), knob("VESTRY_TRACE_STEPS", 200));
    for seed in first..first + seeds {
        let Some(other) = Directory::in_postgres() else {
            return;
        };
        play(seed, steps, other).await;
    }
}

async fn play(seed: u64, steps: u64, in_postgres: Directory) {
    let (mut sqlite, mut postgres) = tokio::join!(
        World::new(seed, Directory::in_sqlite()),
        World::new(seed, in_postgres)
    );
    let (mut rng, mut memory) = (Rng::new(seed), Memory::default());
    let mut done = 0;
    for step in 0..steps {
        if rng.chance(3) {
            let seconds = [1, 400, 3_700][rng.below(3)];
            tokio::join!(sqlite.later(seconds), postgres.later(seconds));
            let tokens = [&sqlite, &postgres].map(World::tokens);
            assert_eq!(tokens[0], tokens[1], "VESTRY_SEED={seed}, step {step}");
        }
        let request = make(&mut rng, &memory);
        let answer = ask(
            &sqlite,
            &postgres,
            &request,
            &format!("VESTRY_SEED={seed}, step {step}"),
        )
        .await;
        if request.changes() && answer.status.is_success() {
            done += 1;
        }
        memory.learn(&request, &answer);
    }
    for path in requests::AT_THE_END {
        // The administrator, a publisher, a member and an agent of acme, a publisher of globex.
        for who in [world::ROOT, 1, 3, 6, 8] {
            let request = Request::get(who, path);
            ask(
                &sqlite,
                &postgres,
                &request,
                &format!("VESTRY_SEED={seed}, at the end"),
            )
            .await;
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

/// Asks both, which have to agree.
async fn ask(sqlite: &World, postgres: &World, request: &Request, place: &str) -> Response {
    let (one, other) = tokio::join!(sqlite.send(request), postgres.send(request));
    let texts = [said(&one), said(&other)];
    let same = texts[0].bytes().zip(texts[1].bytes());
    let same = same.take_while(|(one, other)| one == other).count();
    let [left, right] = texts.each_ref().map(|text| {
        let around = text.bytes().skip(same.saturating_sub(200)).take(600);
        String::from_utf8_lossy(&around.collect::<Vec<u8>>()).into_owned()
    });
    assert!(
        texts[0] == texts[1],
        "{place}: {request:?}\nSQLite answers from byte {same} on:\n{left}\nPostgreSQL:\n{right}"
    );
    one
}
