//! Idempotency keys and quotas together (invariant 20).

use hyper::Method;
use serde_json::{Value, json};

use crate::harness::{Client, People, Response, TestServer};

async fn keyed(client: &Client, path: &str, key: &str, body: Value) -> Response {
    let headers = [("idempotency-key", key)];
    client.send(Method::POST, path, &headers, Some(body)).await
}

async fn set_quota(people: &People, revisions: u32) {
    let settings = json!({
        "max_cap": 200, "agent_own_scope": "allow", "skills_per_actor": 200, "skills_per_tenant": 2_000,
        "revisions_per_skill": revisions,
    });
    let path = "/v1/tenants/acme/settings";
    people.root.put(path, settings).await.expect(200);
}

#[tokio::test]
async fn a_repetition_takes_no_room() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    agent
        .create("actor:tom", "notes", "first")
        .await
        .expect(201);
    set_quota(&people, 2).await;
    let path = "/v1/skills/actor:tom/notes/rollback";
    let first = keyed(&agent, path, "k", json!({"to": 1})).await.expect(200);
    assert_eq!(first.body["revision"], 2);
    // The quota is used up, by this very request.
    let again = keyed(&agent, path, "k", json!({"to": 1})).await.expect(200);
    assert_eq!(again.body, first.body);
    keyed(&agent, path, "k", json!({"to": 2}))
        .await
        .expect_problem(422, "idempotency-mismatch");
    keyed(&agent, path, "l", json!({"to": 1}))
        .await
        .expect_problem(422, "quota-exceeded");
}

#[tokio::test]
async fn archiving_makes_no_room_for_revisions() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    set_quota(&people, 2).await;
    agent
        .create("actor:tom", "notes", "first")
        .await
        .expect(201);
    for expected in [201, 422, 422] {
        agent.delete("/v1/skills/actor:tom/notes").await.expect(200);
        let text = format!("again {expected}");
        agent
            .create("actor:tom", "notes", &text)
            .await
            .expect(expected);
    }
    agent
        .create("actor:tom", "other", "other")
        .await
        .expect(201);
}

/// A key is remembered for a day, for the one who sent it.
#[tokio::test]
async fn keys_are_of_one_principal_and_one_day() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let pavel = people.elevated("pavel", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    let disable = "/v1/skills/tenant:acme/refunds/disable";
    let enable = "/v1/skills/tenant:acme/refunds/enable";
    let body = json!({"reason": "a test"});
    let first = keyed(&maria, disable, "k", body.clone()).await.expect(200);
    assert_eq!(first.body["unchanged"], false);
    // The same key for another route, and from another principal, is another key.
    keyed(&maria, enable, "k", body.clone()).await.expect(200);
    let again = keyed(&maria, disable, "k", body.clone()).await.expect(200);
    assert_eq!(again.body, first.body);
    let skill = maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
    assert_eq!(skill.body["status"], "active", "the repetition did nothing");
    let other = keyed(&pavel, disable, "k", json!({"reason": "another"}))
        .await
        .expect(200);
    assert_eq!(other.body["unchanged"], false);
    server.advance(24 * 60 * 60);
    let maria = people.elevated("maria", "tenant:acme").await;
    let late = keyed(&maria, disable, "k", json!({"reason": "another"}))
        .await
        .expect(200);
    assert_eq!(late.body["unchanged"], true);
}

/// A rollback to what was recalled and released has no recall of its own.
#[tokio::test]
async fn a_rollback_is_a_revision_without_a_past() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let root = &people.root;
    root.create("global", "refunds", "first").await.expect(201);
    root.verb("global", "refunds", "quarantine")
        .await
        .expect(200);
    root.verb("global", "refunds", "release").await.expect(200);
    root.update("global", "refunds", "second").await.expect(200);
    let rollback = json!({"to": 1});
    root.post("/v1/skills/global/refunds/rollback", rollback)
        .await
        .expect(200);
    let made = root
        .get("/v1/skills/global/refunds/revisions/3")
        .await
        .expect(200);
    assert!(made.body.get("recall_reason").is_none(), "{}", made.body);
    assert_eq!(made.body["rolled_back_to"], 1);
}
