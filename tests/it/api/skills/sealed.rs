//! Threat 2 over HTTP: what an actor writes takes nothing sealed from its catalog.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use super::archive;
use crate::harness::{Client, People, TestServer};

/// The sealed entries of a catalog that is asked for on these terms.
async fn sealed(client: &Client, terms: Value) -> Vec<String> {
    let catalog = client.post("/v1/catalog", terms).await.expect(200);
    catalog.body["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["sealed"] == true)
        .map(|entry| format!("{}@{} {}", entry["name"], entry["scope"], entry["digest"]))
        .collect()
}

/// What an agent does at its actor's scope.
#[derive(Debug, Clone)]
enum Write {
    Publish(&'static str, u8),
    Verb(&'static str, &'static str),
    Archive(&'static str),
}

fn write() -> impl Strategy<Value = Write> {
    let name = || prop::sample::select(vec!["aaa", "guard", "house", "manners", "zebra", "plain"]);
    let verb = prop::sample::select(vec!["disable", "enable", "quarantine", "release", "seal"]);
    prop_oneof![
        4 => (name(), 0_u8..4).prop_map(|(name, text)| Write::Publish(name, text)),
        1 => (name(), verb).prop_map(|(name, verb)| Write::Verb(name, verb)),
        1 => name().prop_map(Write::Archive),
    ]
}

/// Design §2.2: sealed entries come first, win over narrower ones, and neither cap nor budget cuts them.
#[tokio::test(flavor = "multi_thread")]
async fn no_write_of_an_actor_removes_a_sealed_entry() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = people.agent("acme", "tom", "bot").await;
    for (client, scope, name) in [
        (&people.root, "global", "guard"),
        (&people.root, "global", "manners"),
        (&maria, "tenant:acme", "house"),
    ] {
        client.create(scope, name, name).await.expect(201);
        client.verb(scope, name, "seal").await.expect(200);
    }
    let wanted = sealed(&tom, json!({})).await;
    assert_eq!(wanted.len(), 3);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let writes = prop::collection::vec(write(), 120)
        .new_tree(&mut runner)
        .unwrap()
        .current();
    let mut done = 0;
    for (step, write) in writes.into_iter().enumerate() {
        let answer = match write {
            Write::Publish(name, text) => {
                let text = format!("tom's {text}");
                let updated = tom.update("actor:tom", name, &text).await;
                // Nothing is there yet.
                if updated.status == 412 {
                    tom.create("actor:tom", name, &text).await
                } else {
                    updated
                }
            }
            Write::Verb(name, verb) => tom.verb("actor:tom", name, verb).await,
            Write::Archive(name) => archive(&tom, "actor:tom", name).await,
        };
        done += u32::from(answer.status.is_success());
        for terms in [json!({}), json!({"cap": 1}), json!({"token_budget": 1})] {
            assert_eq!(sealed(&tom, terms).await, wanted, "step {step}");
        }
    }
    assert!(done > 60, "{done} writes were done");
    // A flood takes no place from them either, and what lost is named.
    for number in 0..30 {
        tom.create("actor:tom", &format!("a{number}"), "flood")
            .await
            .expect(201);
    }
    let catalog = tom.post("/v1/catalog", json!({"cap": 2})).await.expect(200);
    let entries = catalog.body["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 3, "the effective cap is max(cap, sealed)");
    assert!(catalog.body["omitted"].as_u64().unwrap() >= 30);
    for lost in catalog.body["blocked"].as_array().unwrap() {
        assert_eq!(lost["scope"], "actor:tom", "{lost}");
    }
}
