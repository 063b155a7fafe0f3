//! What a load says for the conversation that it goes into: the node, and whether something there is replaced.

use serde_json::{Value, json};

use crate::harness::{Client, People, TestServer};

/// Loads with what the conversation has.
async fn load(agent: &Client, offer: &str, name: &str, have: &[&Value]) -> Value {
    let body = json!({"offer": offer, "name": name, "have": have});
    agent.post("/v1/load", body).await.expect(200).body
}

#[tokio::test(flavor = "multi_thread")]
async fn every_load_has_the_node_of_its_skill() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    agent.create("actor:tom", "mine", "mine").await.expect(201);
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    for (name, path) in [
        ("refunds", "skill://tenant/refunds/SKILL.md"),
        ("mine", "skill://actor/mine/SKILL.md"),
    ] {
        let first = agent.load(&offer, name).await.expect(200).body;
        let hash = &first["rendered_digest"];
        let node = |tool_call: Value| {
            json!({
                "skill_name": name, "skill_path": path, "skill_hash": hash, "loaded_by_tool_call_id": tool_call,
                "synthetic": true, "source_node_type": "skill_context",
                "source_node_id": format!("{path}#{}", hash.as_str().unwrap()),
            })
        };
        assert_eq!(first["context_node"], node(json!(null)));
        // Also where the conversation has the body already, and with the tool call that asked.
        let body = json!({"offer": offer, "name": name, "have": [hash], "tool_call": "c-7"});
        let again = agent.post("/v1/load", body).await.expect(200).body;
        assert_eq!(again["already_loaded"], true);
        assert_eq!(again["context_node"], node(json!("c-7")));
        assert!(again.get("changed").is_none() && first.get("changed").is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_with_another_revision_is_told() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for name in ["refunds", "other"] {
        maria.create("tenant:acme", name, name).await.expect(201);
    }
    let agent = people.agent("acme", "tom", "bot").await;
    let old_offer = agent.turn("t-1").await.expect(200).text("offer");
    let old = load(&agent, &old_offer, "refunds", &[]).await;
    let other = load(&agent, &old_offer, "other", &[]).await;
    maria
        .update("tenant:acme", "refunds", "otherwise")
        .await
        .expect(200);
    let offer = agent.turn("t-2").await.expect(200).text("offer");
    let new = load(&agent, &offer, "refunds", &[]).await;
    let unknown = json!("sha256:00");
    let (old_text, old_digest) = (&old["rendered_digest"], &old["digest"]);
    for (offer, have, changed) in [
        (&offer, vec![old_text], true),
        (&offer, vec![old_digest], true),
        (
            &offer,
            vec![&unknown, &other["rendered_digest"], old_text],
            true,
        ),
        // A newer one than the turn pins is another one as well.
        (&old_offer, vec![&new["rendered_digest"]], true),
        (&old_offer, vec![&new["digest"]], true),
        (&offer, vec![], false),
        (&offer, vec![&unknown], false),
        // Another skill is no other revision.
        (
            &offer,
            vec![&other["rendered_digest"], &other["digest"]],
            false,
        ),
    ] {
        let loaded = load(&agent, offer, "refunds", &have).await;
        assert_eq!(
            loaded.get("changed"),
            changed.then_some(&json!(true)),
            "{have:?}"
        );
        assert_eq!(loaded["already_loaded"], false);
        assert!(loaded["body"].is_string());
    }
    // What is there is there, whatever else is.
    let loaded = load(
        &agent,
        &offer,
        "refunds",
        &[old_text, &new["rendered_digest"]],
    )
    .await;
    assert_eq!(
        (loaded.get("changed"), &loaded["already_loaded"]),
        (None, &json!(true))
    );
    // One that has left the conversation is loaded again, and nothing is replaced.
    let loaded = load(&agent, &offer, "refunds", &[&other["rendered_digest"]]).await;
    assert_eq!(loaded["body"], new["body"]);

    // The same name at another scope is another skill; asked again, nothing is read that was read before.
    agent
        .create("actor:tom", "refunds", "mine")
        .await
        .expect(201);
    let own = agent.turn("t-3").await.expect(200).text("offer");
    let before = agent.counter("vestry_content_queries").await;
    let loaded = load(&agent, &own, "refunds", &[old_text]).await;
    assert_eq!(loaded.get("changed"), None);
    load(&agent, &offer, "refunds", &[&unknown]).await;
    let known = agent.counter("vestry_content_queries").await;
    load(&agent, &offer, "refunds", &[&unknown]).await;
    assert_eq!(agent.counter("vestry_content_queries").await, known);
    assert!(known <= before + 1, "{before} {known}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_outside_the_offer_is_looked_up_nowhere_whatever_the_conversation_has() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    let have = load(&agent, &offer, "refunds", &[]).await["digest"].clone();
    let mia = people.human("mia").await;
    mia.create("actor:mia", "payroll", "payroll")
        .await
        .expect(201);
    let before = agent.counter("vestry_content_queries").await;
    let mut answers = Vec::new();
    for name in ["payroll", "nothing"] {
        let body = json!({"offer": offer, "name": name, "have": [have]});
        let refused = agent.post("/v1/load", body).await;
        let refused = refused.expect_problem(404, "skill-not-offered");
        answers.push(refused.detail().replace(name, "x"));
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(agent.counter("vestry_content_queries").await, before);
}
