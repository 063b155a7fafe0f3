//! Many readers beside writers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::catalog;
use crate::harness::{People, TestServer, knob};

/// Readers and writers at once: whatever was acknowledged before a catalog was asked for is in it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn catalogs_under_writes_show_what_was_acknowledged() {
    const WRITERS: usize = 3;
    const READERS: usize = 4;
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let writers = [
        (people.root.clone(), "global"),
        (maria.clone(), "tenant:acme"),
        (agent.clone(), "actor:tom"),
    ];
    let acknowledged: Arc<[AtomicU64; WRITERS]> = Arc::default();
    let is_over = Arc::new(AtomicBool::new(false));
    for (number, (client, scope)) in writers.iter().enumerate() {
        client
            .create(scope, &format!("skill-{number}"), "first")
            .await
            .expect(201);
        acknowledged[number].store(1, Ordering::SeqCst);
    }
    let mut writing = JoinSet::new();
    for (number, (client, scope)) in writers.into_iter().enumerate() {
        let (acknowledged, is_over) = (acknowledged.clone(), is_over.clone());
        writing.spawn(async move {
            let mut made = 0_u64;
            while !is_over.load(Ordering::SeqCst) {
                let answer = client
                    .update(scope, &format!("skill-{number}"), &format!("text {made}"))
                    .await
                    .expect(200);
                acknowledged[number]
                    .store(answer.body["revision"].as_u64().unwrap(), Ordering::SeqCst);
                made += 1;
            }
            made
        });
    }
    let each = 2_000 / READERS * cases();
    let mut reading = JoinSet::new();
    for reader in 0..READERS {
        let (acknowledged, agent) = (acknowledged.clone(), agent.clone());
        reading.spawn(async move {
            for pair in 0..each {
                let least: Vec<u64> = acknowledged
                    .iter()
                    .map(|number| number.load(Ordering::SeqCst))
                    .collect();
                let answer = if pair % 8 == 7 {
                    agent.turn(&format!("t-{reader}-{pair}")).await.expect(200)
                } else {
                    catalog(&agent).await
                };
                for (number, least) in least.into_iter().enumerate() {
                    let name = format!("skill-{number}");
                    let entries = answer.body["entries"].as_array().unwrap();
                    let entry = entries.iter().find(|entry| entry["name"] == *name).unwrap();
                    let shown = entry["revision"].as_u64().unwrap();
                    assert!(
                        shown >= least,
                        "{name}: {shown} after {least} was acknowledged"
                    );
                }
            }
        });
    }
    reading.join_all().await;
    is_over.store(true, Ordering::SeqCst);
    let made: Vec<u64> = writing.join_all().await;
    println!("{} catalogs beside {made:?} writes", each * READERS);
    assert!(
        made.iter().sum::<u64>() > 50,
        "the writers hardly wrote: {made:?}"
    );
}

/// A recall is in force for outstanding offers, and a release for them too, from the acknowledgement on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loads_under_recalls_obey_what_was_acknowledged() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "refunds", "refunds")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    // Even while released, odd while quarantined; uneven numbers of it in between are not looked at.
    let state = Arc::new(AtomicU64::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn({
        let (state, is_over, root) = (state.clone(), is_over.clone(), people.root.clone());
        async move {
            let mut number = 0;
            while !is_over.load(Ordering::SeqCst) {
                for verb in ["quarantine", "release"] {
                    // Nothing is promised between the request and its answer.
                    state.store(u64::MAX, Ordering::SeqCst);
                    root.verb("global", "refunds", verb).await.expect(200);
                    number += 1;
                    state.store(number, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(60)).await;
                }
            }
            number
        }
    });
    let mut readers = JoinSet::new();
    for _ in 0..3 {
        let (state, agent, offer) = (state.clone(), agent.clone(), offer.clone());
        readers.spawn(async move {
            let mut looked = [0_u64; 2];
            for _ in 0..400 * cases() {
                let before = state.load(Ordering::SeqCst);
                let loaded = agent.load(&offer, "refunds").await;
                let fresh = catalog(&agent).await;
                if before == u64::MAX || state.load(Ordering::SeqCst) != before {
                    continue;
                }
                let is_quarantined = before % 2 == 1;
                looked[usize::from(is_quarantined)] += 1;
                let is_offered = fresh.body["entries"] != json!([]);
                assert_eq!(is_offered, !is_quarantined);
                if is_quarantined {
                    loaded.expect_problem(410, "skill-recalled");
                } else {
                    assert_ne!(loaded.expect(200).body["body"], Value::Null);
                }
            }
            looked
        });
    }
    let looked = readers.join_all().await;
    is_over.store(true, Ordering::SeqCst);
    println!(
        "{} recalls and releases; looked {looked:?}",
        writer.await.unwrap()
    );
    // Of all together: how often one of them finds nothing changing meanwhile depends on the machine.
    let sum = |state: usize| looked.iter().map(|of| of[state]).sum::<u64>();
    assert!(sum(0) > 5 && sum(1) > 5, "{looked:?}");
}

/// Many who ask at once right after a write all wait for the same fill, and none of them for another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_listings_after_a_write_do_not_hold_each_other_up() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    people
        .root
        .create("global", "refunds", "refunds")
        .await
        .expect(201);
    for round in 0..10 {
        people
            .root
            .update("global", "refunds", &format!("round {round}"))
            .await
            .expect(200);
        agent.update("actor:tom", "own", "own").await;
        let mut listings = JoinSet::new();
        for _ in 0..32 {
            let agent = agent.clone();
            listings.spawn(async move {
                let listing =
                    tokio::time::timeout(Duration::from_secs(10), agent.get("/v1/skills"));
                listing
                    .await
                    .expect("a listing takes no ten seconds")
                    .expect(200)
            });
        }
        for listing in listings.join_all().await {
            assert_eq!(listing.body["items"][0]["revision"], round + 2);
        }
    }
}

fn cases() -> usize {
    usize::try_from(knob("VESTRY_CASES", 1)).unwrap()
}
