//! Stepping up: who may, for what, for how long, and how it ends.

use serde_json::json;

use super::{PASSWORD, ended};
use crate::harness::{People, TestServer, elevate, try_elevate};

#[tokio::test(flavor = "multi_thread")]
async fn who_may_step_up_and_for_what() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.human("maria").await;
    let key = maria
        .post("/v1/keys", json!({"name": "k"}))
        .await
        .expect(201);
    let key = maria.with_token(key.text("key"));
    let agent = people.agent("acme", "maria", "bot").await;
    let service = people.service("acme").await;
    for (client, scope, rule) in [
        (&maria, "global", "needs-role"),
        (&maria, "tenant:globex", "not-in-scope"),
        (&maria, "tenant:nowhere", "not-in-scope"),
        (&maria, "actor:maria", "shared-scopes-only"),
        (&maria, "actor:tom", "not-in-scope"),
        (&people.human("tom").await, "tenant:acme", "needs-role"),
        (&people.human("ines").await, "tenant:acme", "needs-role"),
        (&key, "tenant:acme", "needs-session"),
        (&agent, "tenant:acme", "humans-only"),
        (&agent, "actor:maria", "shared-scopes-only"),
        (&service, "tenant:acme", "humans-only"),
    ] {
        let refused = try_elevate(client, scope)
            .await
            .expect_problem(403, "refused");
        assert_eq!(refused.rule(), rule, "{scope} {}", refused.body);
    }
    try_elevate(&maria, "tenant:acme").await.expect(200);
    try_elevate(&people.root, "tenant:acme").await.expect(200);
    for (scope, password, reason, status, code) in [
        ("tenant:acme", "wrong", "x", 401, "unauthenticated"),
        ("tenant:acme", "", "x", 401, "unauthenticated"),
        ("tenant:acme", PASSWORD, "", 422, "invalid-content"),
        ("tenant:acme", PASSWORD, "  ", 422, "invalid-content"),
        (
            "tenant:acme",
            PASSWORD,
            "two\nlines",
            422,
            "invalid-content",
        ),
        ("everything", PASSWORD, "x", 422, "invalid-scope"),
    ] {
        let body = json!({"scope": scope, "password": password, "reason": reason});
        maria
            .post("/v1/elevate", body)
            .await
            .expect_problem(status, code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_elevation_is_for_one_scope_and_fifteen_minutes() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.human("maria").await;
    let answer = try_elevate(&maria, "tenant:acme").await.expect(200);
    assert_eq!(
        (&answer.body["scope"], answer.text("expires_at")),
        (&json!("tenant:acme"), "2027-01-15T08:08:20Z".into())
    );
    let elevated = maria.with_token(answer.text("access_token"));
    let me = elevated.get("/v1/me").await.expect(200);
    assert_eq!(
        me.body["elevation"],
        json!({"scope": "tenant:acme", "expires_at": "2027-01-15T08:08:20Z"})
    );
    assert!(maria.get("/v1/me").await.expect(200).body["elevation"].is_null());
    elevated
        .create("tenant:acme", "one", "one")
        .await
        .expect(201);
    assert_eq!(
        maria
            .create("tenant:acme", "two", "two")
            .await
            .expect(403)
            .rule(),
        "needs-elevation"
    );
    assert_eq!(
        elevated
            .create("global", "two", "two")
            .await
            .expect(403)
            .rule(),
        "needs-elevation"
    );
    let root = try_elevate(&people.root, "tenant:acme").await.expect(200);
    let root = maria.with_token(root.text("access_token"));
    assert_eq!(
        root.create("global", "two", "two").await.expect(403).rule(),
        "needs-elevation"
    );

    server.advance(899);
    elevated
        .create("tenant:acme", "last", "last")
        .await
        .expect(201);
    server.advance(1);
    let refused = elevated
        .create("tenant:acme", "late", "late")
        .await
        .expect(403);
    assert_eq!(refused.rule(), "needs-elevation");
    assert!(elevated.get("/v1/me").await.expect(200).body["elevation"].is_null());
    server.advance(5);
    elevated
        .get("/v1/me")
        .await
        .expect_problem(401, "unauthenticated");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_elevation_can_be_given_up() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.human("maria").await;
    let one = elevate(&maria, "tenant:acme").await;
    let two = elevate(&maria, "tenant:acme").await;
    maria.delete("/v1/elevate").await.expect(204); // It has none: nothing to do.
    one.create("tenant:acme", "one", "one").await.expect(201);
    one.delete("/v1/elevate").await.expect(204);
    one.delete("/v1/elevate").await.expect(204);
    let refused = one
        .create("tenant:acme", "two", "two")
        .await
        .expect_problem(403, "refused");
    assert_eq!(refused.rule(), "needs-elevation");
    assert!(one.get("/v1/me").await.expect(200).body["elevation"].is_null());
    two.create("tenant:acme", "two", "two").await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_ends_ends_the_use_of_the_elevation() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria.create("tenant:acme", "one", "one").await.expect(201);
    people.member("acme", "maria", "member").await.expect(200);
    let refused = maria
        .create("tenant:acme", "two", "two")
        .await
        .expect_problem(403, "refused");
    assert_eq!(refused.rule(), "needs-role");
    let refused = maria
        .put("/v1/tenants/acme/members/tom", json!({"role": "publisher"}))
        .await;
    assert_eq!(refused.expect_problem(403, "refused").rule(), "needs-role");
    people
        .member("acme", "maria", "publisher")
        .await
        .expect(200);
    maria.create("tenant:acme", "two", "two").await.expect(201);
    // A publisher can take its own role from itself, and is held to it at once.
    maria
        .put("/v1/tenants/acme/members/maria", json!({"role": "auditor"}))
        .await
        .expect(200);
    assert_eq!(
        maria
            .create("tenant:acme", "three", "x")
            .await
            .expect(403)
            .rule(),
        "needs-role"
    );
    people
        .root
        .delete("/v1/tenants/acme/members/maria")
        .await
        .expect(200);
    ended(maria.create("tenant:acme", "three", "x").await);
}
