//! `Idempotency-Key`: the same key with the same request has one effect (invariant 20).

use hyper::Method;
use serde_json::{Value, json};

use crate::harness::{Client, People, Response, TestServer};

async fn post(client: &Client, path: &str, key: &str, body: Value) -> Response {
    client
        .send(Method::POST, path, &[("idempotency-key", key)], Some(body))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repetition_gives_the_first_answer_and_has_no_effect() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    tom.create("actor:tom", "notes", "one").await.expect(201);
    tom.update("actor:tom", "notes", "two").await.expect(200);
    let path = "/v1/skills/actor:tom/notes/rollback";
    let first = post(&tom, path, "k-1", json!({"to": 1})).await.expect(200);
    assert_eq!(first.body["revision"], 3);
    tom.update("actor:tom", "notes", "four").await.expect(200);
    for _ in 0..3 {
        let again = post(&tom, path, "k-1", json!({"to": 1})).await.expect(200);
        assert_eq!(again.bytes, first.bytes);
    }
    assert_eq!(
        tom.get("/v1/skills/actor:tom/notes").await.expect(200).body["revision"],
        4
    );
    // Another payload, also if it says the same in other bytes, is another request.
    for body in [json!({"to": 2}), json!({"to": 1, "reason": "x"})] {
        post(&tom, path, "k-1", body)
            .await
            .expect_problem(422, "idempotency-mismatch");
    }
    // Another key, route or principal is another request as well.
    assert_eq!(
        post(&tom, path, "k-2", json!({"to": 1}))
            .await
            .expect(200)
            .body["revision"],
        5
    );
    post(
        &tom,
        "/v1/skills/actor:tom/notes/disable",
        "k-1",
        json!({"reason": "x"}),
    )
    .await
    .expect(200);
    let maria = people.human("maria").await;
    maria
        .create("actor:maria", "notes", "one")
        .await
        .expect(201);
    post(
        &maria,
        "/v1/skills/actor:maria/notes/disable",
        "k-1",
        json!({"reason": "x"}),
    )
    .await
    .expect(200);
    let mia = people.human("mia").await;
    assert_eq!(
        post(&mia, path, "k-1", json!({"to": 1}))
            .await
            .expect(403)
            .rule(),
        "not-in-scope"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn creating_twice_at_once_creates_once() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    for number in 0..10 {
        let body = json!({"id": format!("t{number}"), "name": "T"});
        let key = format!("k-{number}");
        let (a, b) = tokio::join!(
            post(&people.root, "/v1/tenants", &key, body.clone()),
            post(&people.root, "/v1/tenants", &key, body.clone())
        );
        assert_eq!(a.expect(201).bytes, b.expect(201).bytes);
        people
            .root
            .post("/v1/tenants", body)
            .await
            .expect_problem(409, "already-exists");
    }
    let audit = people
        .root
        .get("/v1/audit?log=global&action=create-tenant&limit=200")
        .await
        .expect(200);
    assert_eq!(audit.body["items"].as_array().unwrap().len(), 2 + 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_not_remembered() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.human("maria").await;
    let elevated = people.elevated("maria", "tenant:acme").await;
    elevated.create("tenant:acme", "x", "x").await.expect(201);
    let path = "/v1/skills/tenant:acme/x/seal";
    post(&maria, path, "k-1", json!({"reason": "x"}))
        .await
        .expect_problem(403, "refused");
    let sealed = post(&elevated, path, "k-1", json!({"reason": "x"}))
        .await
        .expect(200);
    assert_eq!(sealed.body["sealed"], true);
    // What was granted once is refused when the authority for it has ended.
    elevated.delete("/v1/elevate").await.expect(204);
    post(&elevated, path, "k-1", json!({"reason": "x"}))
        .await
        .expect_problem(403, "refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_lives_for_a_day() {
    let mut server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    tom.create("actor:tom", "notes", "one").await.expect(201);
    let path = "/v1/skills/actor:tom/notes/rollback";
    post(&tom, path, "k-1", json!({"to": 1})).await.expect(200);
    server.restart().await;
    server.advance(86_399);
    let tom = crate::harness::login(&server.client(), "tom", None).await;
    assert_eq!(
        post(&tom, path, "k-1", json!({"to": 1}))
            .await
            .expect(200)
            .body["revision"],
        2
    );
    server.advance(1);
    assert_eq!(
        post(&tom, path, "k-1", json!({"to": 1}))
            .await
            .expect(200)
            .body["revision"],
        3
    );
}

/// The first answer is given again also where doing it again would be refused for lack of room.
#[tokio::test(flavor = "multi_thread")]
async fn a_repetition_needs_no_room() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let settings = json!({"max_cap": 20, "agent_own_scope": "allow", "skills_per_actor": 5, "skills_per_tenant": 5,
        "revisions_per_skill": 2});
    maria
        .put("/v1/tenants/acme/settings", settings)
        .await
        .expect(200);
    let tom = people.human("tom").await;
    tom.create("actor:tom", "notes", "one").await.expect(201);
    let path = "/v1/skills/actor:tom/notes/rollback";
    let first = post(&tom, path, "k-1", json!({"to": 1})).await.expect(200);
    let again = post(&tom, path, "k-1", json!({"to": 1})).await.expect(200);
    assert_eq!(first.bytes, again.bytes);
    post(&tom, path, "k-2", json!({"to": 1}))
        .await
        .expect_problem(422, "quota-exceeded");
}
