//! When what a skill overrides changes after it was written.

use hyper::Method;
use serde_json::{Value, json};

use super::names;
use crate::harness::{Client, People, TestServer, content};

async fn shown(client: &Client, scope: &str, name: &str) -> Value {
    client
        .get(&format!("/v1/skills/{scope}/{name}"))
        .await
        .expect(200)
        .body
}

async fn listed(client: &Client, query: &str) -> Vec<String> {
    names(&client.get(&format!("/v1/skills{query}")).await.expect(200))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_upstream_shows_until_the_skill_is_written_again() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = people.agent("acme", "tom", "bot").await;
    let root = people.root.clone();
    let first = root.create("global", "tone", "one").await.expect(201);
    root.create("global", "other", "one").await.expect(201);
    maria
        .create("tenant:acme", "tone", "ours")
        .await
        .expect(201);
    tom.create("actor:tom", "tone", "mine").await.expect(201);
    tom.create("actor:tom", "lone", "mine").await.expect(201);
    for (client, scope) in [(&maria, "tenant:acme"), (&tom, "actor:tom")] {
        let skill = shown(client, scope, "tone").await;
        assert!(skill.get("upstream_changed").is_none(), "{skill}");
        assert!(skill.get("upstream").is_none(), "{skill}");
    }
    assert!(listed(&maria, "?upstream_changed=true").await.is_empty());

    let second = root.update("global", "tone", "two").await.expect(200);
    let skill = shown(&maria, "tenant:acme", "tone").await;
    assert_eq!(skill["upstream_changed"], true);
    assert_eq!(
        skill["upstream"],
        json!({"scope": "global", "revision": 2, "digest": second.text("digest"), "written_against": 1})
    );
    // tom overrides the tenant's, which is as it was.
    let own = shown(&tom, "actor:tom", "tone").await;
    assert!(own.get("upstream_changed").is_none(), "{own}");
    assert_eq!(listed(&maria, "?upstream_changed=true").await, ["tone"]);
    assert_eq!(listed(&maria, "?upstream_changed=false").await, ["other"]);
    assert_eq!(
        listed(&maria, "?scope=tenant:acme&upstream_changed=true").await,
        ["tone"]
    );
    assert!(listed(&tom, "?upstream_changed=true").await.is_empty());
    let listing = maria.get("/v1/skills").await.expect(200);
    let entry = &listing.body["items"][0];
    assert_eq!(entry["upstream"]["written_against"], 1, "{entry}");
    // The catalog of a turn says nothing of it.
    let catalog = tom.post("/v1/catalog", json!({})).await.expect(200);
    assert!(!catalog.body.to_string().contains("upstream"));

    // Back to what it was is no change; and the next one is.
    root.post("/v1/skills/global/tone/rollback", json!({"to": 1}))
        .await
        .expect(200);
    assert!(listed(&maria, "?upstream_changed=true").await.is_empty());
    assert_ne!(first.text("digest"), second.text("digest"));
    root.update("global", "tone", "three").await.expect(200);
    assert_eq!(listed(&maria, "?upstream_changed=true").await, ["tone"]);

    // The same content again acknowledges it: one record, and no new revision.
    let before = records(&maria).await;
    let again = maria
        .update("tenant:acme", "tone", "ours")
        .await
        .expect(200);
    assert_eq!(again.body["unchanged"], false);
    assert_eq!(again.body["revision"], 1);
    assert!(listed(&maria, "?upstream_changed=true").await.is_empty());
    let after = records(&maria).await;
    assert_eq!(after.len(), before.len() + 1);
    let last = after.last().unwrap();
    assert_eq!(last["before"], last["after"]);
    assert_eq!(last["detail"]["acknowledges"]["revision"], 4);
    let again = maria
        .update("tenant:acme", "tone", "ours")
        .await
        .expect(200);
    assert_eq!(again.body["unchanged"], true);

    // So does other content, and a rollback.
    for step in 0..2 {
        root.update("global", "tone", &format!("step {step}"))
            .await
            .expect(200);
        assert_eq!(listed(&maria, "?upstream_changed=true").await, ["tone"]);
        if step == 0 {
            maria
                .update("tenant:acme", "tone", "ours, better")
                .await
                .expect(200);
            // Meanwhile the tenant's is another one for tom.
            let own = shown(&tom, "actor:tom", "tone").await;
            assert_eq!(own["upstream"]["scope"], "tenant:acme");
            assert_eq!(own["upstream"]["written_against"], 1);
        } else {
            maria
                .post("/v1/skills/tenant:acme/tone/rollback", json!({"to": 1}))
                .await
                .expect(200);
        }
        assert!(listed(&maria, "?upstream_changed=true").await.is_empty());
    }
    // Rolled back, it is what tom overrode.
    let own = shown(&tom, "actor:tom", "tone").await;
    assert!(own.get("upstream").is_none(), "{own}");
    // The tenant's goes away: what tom overrides now is global's, which it was not written against.
    maria
        .send(Method::DELETE, "/v1/skills/tenant:acme/tone", &[], None)
        .await
        .expect(200);
    let own = shown(&tom, "actor:tom", "tone").await;
    assert_eq!(own["upstream"]["scope"], "global");
    assert_eq!(own["upstream"]["written_against"], Value::Null);
    // Nothing there, nothing overridden.
    root.verb("global", "tone", "disable").await.expect(200);
    let own = shown(&tom, "actor:tom", "tone").await;
    assert!(own.get("upstream").is_none(), "{own}");
}

/// One that came later is a change too; one that is hidden from the tenant is none.
#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_that_came_later_shows_unless_it_is_hidden() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "tone", "ours")
        .await
        .expect(201);
    people
        .root
        .create("global", "tone", "one")
        .await
        .expect(201);
    let skill = shown(&maria, "tenant:acme", "tone").await;
    assert_eq!(skill["upstream"]["written_against"], Value::Null);
    assert_eq!(skill["upstream"]["revision"], 1);
    let body = json!({"tenant": "acme", "reason": "not for us"});
    maria
        .post("/v1/skills/global/tone/hide", body.clone())
        .await
        .expect(200);
    let skill = shown(&maria, "tenant:acme", "tone").await;
    assert!(skill.get("upstream").is_none(), "{skill}");
    // Written while it is hidden, it is written against nothing.
    maria
        .update("tenant:acme", "tone", "ours, again")
        .await
        .expect(200);
    maria
        .post("/v1/skills/global/tone/show", body)
        .await
        .expect(200);
    let skill = shown(&maria, "tenant:acme", "tone").await;
    assert_eq!(skill["upstream_changed"], true);
    for query in ["?upstream_changed=", "?upstream_changed=yes"] {
        maria
            .get(&format!("/v1/skills{query}"))
            .await
            .expect_problem(400, "malformed");
    }
}

/// Invariant 20: a stale precondition acknowledges nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_stale_precondition_acknowledges_nothing() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    people.root.create("global", "a", "one").await.expect(201);
    maria.create("tenant:acme", "a", "ours").await.expect(201);
    people.root.update("global", "a", "two").await.expect(200);
    let path = "/v1/skills/tenant:acme/a";
    let stale = format!("\"sha256:{}\"", "0".repeat(64));
    maria
        .send(
            Method::PUT,
            path,
            &[("if-match", &stale)],
            Some(content("ours")),
        )
        .await
        .expect_problem(412, "precondition-failed");
    assert_eq!(listed(&maria, "?upstream_changed=true").await, ["a"]);
}

async fn records(client: &Client) -> Vec<Value> {
    let log = client
        .get("/v1/audit?limit=200&action=publish-skill")
        .await
        .expect(200);
    log.body["items"].as_array().unwrap().clone()
}
