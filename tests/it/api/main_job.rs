//! The main job from end to end: a human publishes, an agent takes its turn's catalog and loads, and nobody does what the
//! rules forbid.

use serde_json::json;

use crate::harness::{People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_human_publishes_and_an_agent_loads() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "refunds", "refunds in general")
        .await
        .expect(201);
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "refunds at acme")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "support-bot").await;

    let catalog = agent.turn("t-1").await.expect(200);
    assert_eq!(
        catalog.body["scopes"],
        json!(["actor:tom", "tenant:acme", "global"])
    );
    let entries = catalog.body["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["scope"], "tenant:acme");
    assert_eq!(entries[0]["shadows"], json!(["global"]));
    let block = catalog.text("block");
    assert!(
        block.contains(
            "- refunds [tenant:acme] — Use when refunds at acme. (overrides the one from global)"
        ),
        "{block}"
    );

    let loaded = agent
        .load(&catalog.text("offer"), "refunds")
        .await
        .expect(200);
    assert_eq!(loaded.body["body"], "Do refunds at acme.\n");
    assert_eq!(loaded.body["shadows"], json!(["global"]));
    assert_eq!(loaded.body["digest"], entries[0]["digest"]);

    let refused = agent
        .load(&catalog.text("offer"), "payroll")
        .await
        .expect_problem(404, "skill-not-offered");
    assert_eq!(
        refused.detail(),
        "No skill named \"payroll\" is available to you. Available: refunds."
    );
    let refused = agent
        .create("tenant:acme", "payroll", "anything")
        .await
        .expect_problem(403, "refused");
    assert_eq!(refused.rule(), "humans-only");
    agent
        .create("actor:tom", "notes", "own notes")
        .await
        .expect(201);
}
