//! What a tenant sets for itself: caps, quotas, and whether its agents write.

use serde_json::{Value, json};

use super::{archive, put};
use crate::harness::{Client, People, TestServer};

const PATH: &str = "/v1/tenants/acme/settings";

fn settings(changes: Value) -> Value {
    let mut settings = json!({"max_cap": 200, "agent_own_scope": "allow", "skills_per_actor": 200,
        "skills_per_tenant": 2000, "revisions_per_skill": 10_000});
    for (name, value) in changes.as_object().unwrap() {
        settings[name] = value.clone();
    }
    settings
}

async fn set(client: &Client, changes: Value) {
    client.put(PATH, settings(changes)).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_change_under_a_precondition() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let read = maria.get(PATH).await.expect(200);
    let reviews = json!({"required_approvals": 1, "approvers": [], "distinct_human": "auto",
        "review_names": [], "review_severity": "off", "proposal_days": 30, "max_open_proposals": 20});
    assert_eq!(
        (read.body.clone(), read.etag()),
        (settings(reviews), "1".to_owned())
    );
    let changed = put(
        &maria,
        PATH,
        &[("if-match", "\"1\"")],
        settings(json!({"max_cap": 9})),
    )
    .await
    .expect(200);
    assert_eq!(
        (&changed.body["max_cap"], changed.etag()),
        (&json!(9), "2".to_owned())
    );
    let refused = put(
        &maria,
        PATH,
        &[("if-match", "\"1\"")],
        settings(json!({"max_cap": 8})),
    )
    .await;
    assert!(
        refused
            .expect_problem(412, "precondition-failed")
            .detail()
            .contains("\"2\"")
    );
    assert_eq!(maria.get(PATH).await.expect(200).body["max_cap"], 9);
    put(&maria, PATH, &[("if-match", "*")], settings(json!({})))
        .await
        .expect(200);
    put(
        &maria,
        PATH,
        &[("if-match", "\"1\", \"3\"")],
        settings(json!({})),
    )
    .await
    .expect(200);
    for (field, values) in [
        ("max_cap", vec![0, 201, 4_294_967_295_u64]),
        ("skills_per_actor", vec![0, 1_000_001]),
        ("skills_per_tenant", vec![0, 1_000_001]),
        ("revisions_per_skill", vec![0, 1_000_001]),
    ] {
        for value in values {
            let refused = maria.put(PATH, settings(json!({field: value}))).await;
            assert_eq!(
                refused.expect_problem(422, "invalid-content").body["field"],
                field
            );
        }
    }
    for (client, rule) in [
        (&people.human("maria").await, "needs-elevation"),
        (&people.human("tom").await, "needs-role"),
    ] {
        let refused = client
            .put(PATH, settings(json!({})))
            .await
            .expect_problem(403, "refused");
        assert_eq!(refused.rule(), rule);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn quotas_hold_to_the_last_skill() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    set(
        &maria,
        json!({"skills_per_actor": 2, "skills_per_tenant": 1, "revisions_per_skill": 2}),
    )
    .await;
    let agent = people.agent("acme", "tom", "bot").await;
    let tom = people.human("tom").await;
    agent.create("actor:tom", "a", "a").await.expect(201);
    tom.create("actor:tom", "b", "b").await.expect(201);
    for client in [&agent, &tom] {
        client
            .create("actor:tom", "c", "c")
            .await
            .expect_problem(422, "quota-exceeded");
    }
    // Another actor has room of its own.
    people
        .agent("acme", "mia", "bot")
        .await
        .create("actor:mia", "a", "a")
        .await
        .expect(201);
    maria.create("tenant:acme", "a", "a").await.expect(201);
    maria
        .create("tenant:acme", "b", "b")
        .await
        .expect_problem(422, "quota-exceeded");
    tom.update("actor:tom", "a", "second").await.expect(200);
    tom.update("actor:tom", "a", "third")
        .await
        .expect_problem(422, "quota-exceeded");
    // Archiving makes room, up to the last; publishing the archived name takes it again.
    archive(&tom, "actor:tom", "b").await.expect(200);
    tom.create("actor:tom", "c", "c").await.expect(201);
    tom.create("actor:tom", "b", "b again")
        .await
        .expect_problem(422, "quota-exceeded");
    // What is there stays there, and can be archived, when a quota shrinks below it.
    set(&maria, json!({"skills_per_actor": 1})).await;
    tom.get("/v1/skills/actor:tom/a").await.expect(200);
    archive(&tom, "actor:tom", "c").await.expect(200);
    archive(&tom, "actor:tom", "a").await.expect(200);
    tom.create("actor:tom", "d", "d").await.expect(201);
    // Globex has its own settings.
    let greta = people.elevated("greta", "tenant:globex").await;
    for name in ["a", "b", "c"] {
        greta.create("tenant:globex", name, name).await.expect(201);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_scope_can_still_be_made_safe() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria.create("tenant:acme", "a", "a").await.expect(201);
    maria.update("tenant:acme", "a", "b").await.expect(200);
    set(
        &maria,
        json!({"skills_per_tenant": 1, "revisions_per_skill": 2}),
    )
    .await;
    for verb in [
        "quarantine",
        "release",
        "disable",
        "enable",
        "seal",
        "unseal",
        "revoke",
    ] {
        maria.verb("tenant:acme", "a", verb).await.expect(200);
    }
    archive(&maria, "tenant:acme", "a").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_can_deny_its_agents_to_write() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let tom = people.human("tom").await;
    agent.create("actor:tom", "a", "a").await.expect(201);
    set(&maria, json!({"agent_own_scope": "deny"})).await;
    for refused in [
        agent.create("actor:tom", "b", "b").await,
        agent.update("actor:tom", "a", "b").await,
        archive(&agent, "actor:tom", "a").await,
        agent.verb("actor:tom", "a", "disable").await,
    ] {
        assert_eq!(
            refused.expect_problem(403, "refused").rule(),
            "agents-denied"
        );
    }
    // It still takes its turns; the human itself still writes; other tenants' agents too.
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    agent.load(&offer, "a").await.expect(200);
    tom.update("actor:tom", "a", "b").await.expect(200);
    people
        .agent("globex", "gus", "bot")
        .await
        .create("actor:gus", "a", "a")
        .await
        .expect(201);
    set(&maria, json!({})).await;
    agent.update("actor:tom", "a", "c").await.expect(200);
    let refused = maria
        .put(PATH, settings(json!({"agent_own_scope": "perhaps"})))
        .await;
    refused.expect_problem(400, "malformed");
}
