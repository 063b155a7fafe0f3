//! Read after acknowledgement (invariant 19): what one server acknowledged is in the next answer of every other.
//!
//! `VESTRY_PAIRS` is how many writes are followed by a read at another server, `VESTRY_SEED` chooses others.

mod pair;
mod world;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::beside::Ground;
use crate::harness::{People, knob};
use world::World;

const SERVERS: u64 = 3;
/// How many write and read at once, each in a tenant of its own and at global.
const WORKERS: u64 = 4;

#[tokio::test(flavor = "multi_thread")]
async fn what_one_server_acknowledged_the_next_answer_of_another_has() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let pairs = knob("VESTRY_PAIRS", 2_000);
    let seed = knob("VESTRY_SEED", 19);
    println!("{pairs} pairs, {SERVERS} servers, seed {seed}");
    let servers = ground.servers(SERVERS, Duration::ZERO).await;
    let mut people = People::only_root(&servers[0]).await;
    let mut workers = JoinSet::new();
    let left = Arc::new(AtomicU64::new(pairs));
    let mut worlds = Vec::new();
    for worker in 0..WORKERS {
        worlds.push(World::new(&servers, &mut people, worker, seed).await);
    }
    let started = Instant::now();
    for mut world in worlds {
        let left = left.clone();
        workers.spawn(async move {
            let mut done = BTreeMap::new();
            let one_less = |left: u64| left.checked_sub(1);
            while let Ok(left) = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less) {
                *done.entry(world.pair().await).or_insert(0_u64) += 1;
                let so_far = pairs - left;
                if so_far > 0 && so_far.is_multiple_of(10_000) {
                    println!("{so_far} pairs in {:?}, none stale", started.elapsed());
                }
            }
            (done, world.compared)
        });
    }
    let (mut kinds, mut compared) = (BTreeMap::new(), 0);
    while let Some(ended) = workers.join_next().await {
        let (done, of_worker) = ended.unwrap();
        compared += of_worker;
        for (kind, count) in done {
            *kinds.entry(kind).or_insert(0) += count;
        }
    }
    let total: u64 = kinds.values().sum();
    println!(
        "{total} pairs in {:?}, {compared} answers compared, none stale: {kinds:?}",
        started.elapsed()
    );
    assert_eq!(total, pairs);
    assert!(compared >= total);
    for kind in pair::KINDS {
        let count = kinds.get(kind).copied().unwrap_or(0);
        assert!(count > 0 || pairs < 1_000, "nothing of {kind} was done");
    }
    for chain in servers[0].verify_audit().await {
        assert!(chain.faults.is_empty(), "{chain:?}");
    }
}
