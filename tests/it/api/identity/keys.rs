//! API keys of humans: shown once, never elevated, revoked at once.

use serde_json::json;

use super::{ended, uses};
use crate::harness::{People, TestServer, try_elevate};

#[tokio::test(flavor = "multi_thread")]
async fn a_key_acts_as_its_human_and_is_never_elevated() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.human("maria").await;
    let created = maria
        .post("/v1/keys", json!({"name": "script"}))
        .await
        .expect(201);
    let text = created.text("key");
    assert!(text.starts_with("vst_usr_") && text.len() == 44, "{text}");
    let key = maria.with_token(&text);
    let me = key.get("/v1/me").await.expect(200);
    assert_eq!(
        (&me.body["principal"], &me.body["kind"]),
        (&json!("human:maria"), &json!("human"))
    );
    assert!(me.body["expires_at"].is_null() && me.body["elevation"].is_null());
    for answer in uses(&key, "maria").await {
        assert!(answer.status.is_success(), "{}", answer.body);
    }
    // While the human is elevated, its key is not.
    let elevated = people.elevated("maria", "tenant:acme").await;
    elevated.get("/v1/me").await.expect(200);
    assert_eq!(
        key.create("tenant:acme", "x", "x").await.expect(403).rule(),
        "needs-elevation"
    );
    assert_eq!(
        try_elevate(&key, "tenant:acme").await.expect(403).rule(),
        "needs-session"
    );
    for refused in [
        key.post("/v1/keys", json!({"name": "more"})).await,
        key.get("/v1/keys").await,
        key.delete(&format!("/v1/keys/{}", created.text("id")))
            .await,
        key.send(hyper::Method::POST, "/v1/logout", &[], None).await,
    ] {
        assert_eq!(
            refused.expect_problem(403, "refused").rule(),
            "needs-session"
        );
    }
    // The list shows how it begins, and nobody sees it whole again.
    let listed = maria.get("/v1/keys").await.expect(200);
    let shown = String::from_utf8(listed.bytes.to_vec()).unwrap();
    assert!(
        !shown.contains(&text) && listed.body["items"][0]["key_hint"].as_str().unwrap().len() < 20
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_ends_at_once() {
    let mut server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.human("maria").await;
    let created = maria
        .post("/v1/keys", json!({"name": "script"}))
        .await
        .expect(201);
    let other = maria
        .post("/v1/keys", json!({"name": "other"}))
        .await
        .expect(201);
    let key = maria.with_token(created.text("key"));
    key.get("/v1/me").await.expect(200);
    let path = format!("/v1/keys/{}", created.text("id"));
    // Nobody else's keys can be revoked, or be known of.
    people
        .human("tom")
        .await
        .delete(&path)
        .await
        .expect_problem(404, "not-found");
    people
        .human("tom")
        .await
        .delete("/v1/keys/key_none")
        .await
        .expect_problem(404, "not-found");
    maria.delete(&path).await.expect(204);
    maria.delete(&path).await.expect(204);
    for answer in uses(&key, "maria").await {
        ended(answer);
    }
    maria
        .with_token(other.text("key"))
        .get("/v1/me")
        .await
        .expect(200);
    server.restart().await;
    ended(
        server
            .client()
            .with_token(created.text("key"))
            .get("/v1/me")
            .await,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_are_none() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.human("maria").await;
    let text = maria
        .post("/v1/keys", json!({"name": "k"}))
        .await
        .expect(201)
        .text("key");
    for position in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[position] = if bytes[position] == b'0' { b'1' } else { b'0' };
        let wrong = String::from_utf8(bytes).unwrap();
        maria
            .with_token(&wrong)
            .get("/v1/me")
            .await
            .expect_problem(401, "unauthenticated");
        maria
            .with_token(&text[..position])
            .get("/v1/me")
            .await
            .expect(401);
    }
    // A user's key is no service's key, whatever it says.
    let service = text.replace("vst_usr_", "vst_svc_");
    maria.with_token(service).get("/v1/me").await.expect(401);
    for number in 1..20 {
        maria
            .post("/v1/keys", json!({"name": format!("k{number}")}))
            .await
            .expect(201);
    }
    let refused = maria.post("/v1/keys", json!({"name": "one more"})).await;
    refused.expect_problem(422, "quota-exceeded");
}
