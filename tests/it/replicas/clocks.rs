//! Clocks of machines that jump: what is current does not depend on them, and what ends ends by the clock of who is asked.

use std::time::Duration;

use serde_json::json;

use super::beside::{Ground, at, entries};
use crate::harness::{Builder, Client, People, TestServer};

async fn server(ground: &Ground, seed: u64, max_staleness: Duration) -> TestServer {
    let builder = Builder {
        seed,
        installation: Some(ground.shared()),
        max_staleness,
        ..Builder::default()
    };
    builder.start().await
}

async fn description(client: &Client) -> String {
    let catalog = client.post("/v1/catalog", json!({})).await.expect(200);
    entries(&catalog).remove(0).1
}

#[tokio::test(flavor = "multi_thread")]
async fn catalogs_stay_exact_and_tokens_end_by_the_clock() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let a = server(&ground, 1, Duration::ZERO).await;
    let b = server(&ground, 2, Duration::ZERO).await;
    let mut people = People::usual(&a).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let there = at(&b, &agent);
    maria.create("tenant:acme", "x", "0").await.expect(201);
    let mut number = 0;
    // Within what an agent's token lives.
    for jump in [600, -1_200, 900, -300, 1_500, -1_500] {
        b.advance(jump);
        for _ in 0..3 {
            number += 1;
            let text = number.to_string();
            maria.update("tenant:acme", "x", &text).await.expect(200);
            assert_eq!(description(&there).await, format!("Use when {text}."));
        }
        // What the other writes with its clock is in order here.
        number += 1;
        let text = number.to_string();
        let there = at(&b, &agent);
        there
            .create("actor:tom", &format!("n{number}"), &text)
            .await
            .expect(201);
        let read = agent.get(&format!("/v1/skills/actor:tom/n{number}")).await;
        read.expect(200);
        agent
            .send(
                hyper::Method::DELETE,
                &format!("/v1/skills/actor:tom/n{number}"),
                &[("if-match", "*")],
                None,
            )
            .await
            .expect(200);
    }
    // After its hour the token is over where it is past that, and nowhere else.
    b.advance(3_700);
    there.post("/v1/catalog", json!({})).await.expect(401);
    assert_eq!(
        description(&agent).await.len(),
        format!("Use when {number}.").len()
    );
    b.advance(-3_700);
    there.post("/v1/catalog", json!({})).await.expect(200);
    // The audit log is one chain, whatever the clocks said.
    for chain in b.verify_audit().await {
        assert!(chain.faults.is_empty(), "{chain:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_set_back_makes_no_catalog_older() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let a = server(&ground, 1, Duration::ZERO).await;
    let b = server(&ground, 2, Duration::from_secs(5)).await;
    let mut people = People::usual(&a).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let there = at(&b, &agent);
    maria.create("tenant:acme", "x", "0").await.expect(201);
    let mut number = 0;
    for jump in [-1_000, 6, -1, 1_000, -600, 20] {
        // Remembered as of now; then the clock jumps, by more than is allowed or backwards.
        description(&there).await;
        number += 1;
        let text = number.to_string();
        maria.update("tenant:acme", "x", &text).await.expect(200);
        b.advance(jump);
        assert_eq!(
            description(&there).await,
            format!("Use when {text}."),
            "{jump}"
        );
    }
}
