//! Sealing, hiding, disabling, recalling.

use serde_json::json;

use super::archive;
use crate::harness::{Builder, Client, People, TestServer};

pub(super) async fn offered(client: &Client) -> Vec<String> {
    let catalog = client.post("/v1/catalog", json!({})).await.expect(200);
    let entries = catalog.body["entries"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| {
            format!(
                "{}@{}",
                entry["name"].as_str().unwrap(),
                entry["scope"].as_str().unwrap()
            )
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn at_most_five_are_sealed_at_a_scope() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for number in 0..7 {
        maria
            .create("tenant:acme", &format!("s{number}"), "it")
            .await
            .expect(201);
        people
            .root
            .create("global", &format!("s{number}"), "it")
            .await
            .expect(201);
    }
    for number in 0..5 {
        maria
            .verb("tenant:acme", &format!("s{number}"), "seal")
            .await
            .expect(200);
        people
            .root
            .verb("global", &format!("s{number}"), "seal")
            .await
            .expect(200);
    }
    let refused = maria
        .verb("tenant:acme", "s5", "seal")
        .await
        .expect_problem(422, "quota-exceeded");
    assert!(
        refused.detail().contains("At most 5"),
        "{}",
        refused.detail()
    );
    people
        .root
        .verb("global", "s5", "seal")
        .await
        .expect_problem(422, "quota-exceeded");
    assert_eq!(
        maria
            .verb("tenant:acme", "s4", "seal")
            .await
            .expect(200)
            .body["unchanged"],
        true
    );
    // Unsealing and archiving make room.
    maria.verb("tenant:acme", "s0", "unseal").await.expect(200);
    maria.verb("tenant:acme", "s5", "seal").await.expect(200);
    assert_eq!(
        archive(&maria, "tenant:acme", "s1").await.expect(200).body["sealed"],
        false
    );
    maria.verb("tenant:acme", "s6", "seal").await.expect(200);
    // Not at the own scope, and not by its agent.
    let own = people.human("maria").await;
    own.create("actor:maria", "mine", "mine").await.expect(201);
    assert_eq!(
        own.verb("actor:maria", "mine", "seal")
            .await
            .expect(403)
            .rule(),
        "shared-scopes-only"
    );
    let builder = Builder {
        sealed_per_scope: Some(1),
        ..Builder::default()
    };
    let server = builder.start().await;
    let people = People::only_root(&server).await;
    for name in ["a", "b"] {
        people.root.create("global", name, "it").await.expect(201);
    }
    people.root.verb("global", "a", "seal").await.expect(200);
    people
        .root
        .verb("global", "b", "seal")
        .await
        .expect_problem(422, "quota-exceeded");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sealed_skill_wins_and_says_what_it_blocked() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    people
        .root
        .create("global", "safety", "safety")
        .await
        .expect(201);
    maria
        .create("tenant:acme", "safety", "safety at acme")
        .await
        .expect(201);
    agent
        .create("actor:tom", "safety", "own safety")
        .await
        .expect(201);
    agent.create("actor:tom", "aaa", "aaa").await.expect(201);
    assert_eq!(offered(&agent).await, ["aaa@actor:tom", "safety@actor:tom"]);
    people
        .root
        .verb("global", "safety", "seal")
        .await
        .expect(200);
    let catalog = agent
        .post("/v1/catalog", json!({"cap": 1}))
        .await
        .expect(200);
    assert_eq!(offered(&agent).await, ["safety@global", "aaa@actor:tom"]);
    assert_eq!(
        catalog.body["blocked"],
        json!([{"name": "safety", "scope": "actor:tom", "by": "global"}, {"name": "safety", "scope": "tenant:acme", "by": "global"}])
    );
    assert_eq!(
        (&catalog.body["omitted"], &catalog.body["omitted_names"]),
        (&json!(1), &json!(["aaa"]))
    );
    let loaded = agent
        .load(&catalog.text("offer"), "safety")
        .await
        .expect(200);
    assert_eq!(loaded.body["scope"], "global");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_hides_global_skills_that_are_not_sealed() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let (acme, globex) = (
        people.agent("acme", "tom", "bot").await,
        people.agent("globex", "gus", "bot").await,
    );
    people
        .root
        .create("global", "noise", "noise")
        .await
        .expect(201);
    let hide = async |client: &Client, verb: &str, tenant: &str| {
        let body = json!({"tenant": tenant, "reason": "a test"});
        client
            .post(&format!("/v1/skills/global/noise/{verb}"), body)
            .await
    };
    assert_eq!(
        hide(&maria, "hide", "acme").await.expect(200).body["hidden"],
        true
    );
    assert_eq!(
        hide(&maria, "hide", "acme").await.expect(200).body["unchanged"],
        true
    );
    assert!(offered(&acme).await.is_empty());
    assert_eq!(offered(&globex).await, ["noise@global"]);
    assert_eq!(
        hide(&maria, "hide", "globex").await.expect(403).rule(),
        "not-in-scope"
    );
    assert_eq!(
        hide(&people.human("tom").await, "hide", "acme")
            .await
            .expect(403)
            .rule(),
        "needs-elevation"
    );
    assert_eq!(
        hide(&acme, "hide", "acme").await.expect(403).rule(),
        "humans-only"
    );
    // Sealed since: hidden or not, it is seen, and cannot be hidden.
    people
        .root
        .verb("global", "noise", "seal")
        .await
        .expect(200);
    assert_eq!(offered(&acme).await, ["noise@global"]);
    let greta = people.elevated("greta", "tenant:globex").await;
    hide(&greta, "hide", "globex")
        .await
        .expect_problem(409, "conflict");
    people
        .root
        .verb("global", "noise", "unseal")
        .await
        .expect(200);
    assert!(offered(&acme).await.is_empty());
    assert_eq!(
        hide(&maria, "show", "acme").await.expect(200).body["hidden"],
        false
    );
    assert_eq!(offered(&acme).await, ["noise@global"]);
    let body = json!({"tenant": "acme", "reason": "x"});
    maria
        .post("/v1/skills/global/nothing/hide", body)
        .await
        .expect_problem(404, "not-found");
}
