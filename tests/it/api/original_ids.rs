//! The original's behaviour of names, ids, tenants and writes, and what we do where it had a fault.

use serde_json::json;

use super::original::{entries, start};
use crate::harness::content;

#[tokio::test(flavor = "multi_thread")]
async fn names_are_neither_empty_nor_padded_nor_trimmed() {
    let (_server, mut people) = start().await;
    let agent = people.agent("acme", "tom", "bot").await;
    agent
        .create("actor:tom", "refunds", "refunds")
        .await
        .expect(201);
    for name in [
        "%20refunds",
        "refunds%20",
        "Refunds",
        "re%20funds",
        "%09refunds",
        "refunds%0A",
        "%00",
    ] {
        let refused = agent.create("actor:tom", name, "it").await;
        refused.expect_problem(422, "invalid-name");
    }
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    for name in [
        "",
        " refunds",
        "refunds ",
        "Refunds",
        "refunds\n",
        "refunds\u{0}",
        "refund",
        "refundss",
    ] {
        let refused = agent
            .load(&offer, name)
            .await
            .expect_problem(404, "skill-not-offered");
        let detail = format!("No skill named \"{name}\" is available to you. Available: refunds.");
        assert_eq!(refused.detail(), detail);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_no_tenant_and_no_actor() {
    let (_server, mut people) = start().await;
    let agent = people.agent("acme", "tom", "bot").await;
    for scope in [
        "tenant:null",
        "tenant:undefined",
        "actor:null",
        "actor:undefined",
        "tenant:",
        "actor:",
        "actor:%20",
    ] {
        let refused = agent.create(scope, "x", "it").await;
        refused.expect_problem(422, "invalid-scope");
    }
    let service = people.service("acme").await;
    for id in ["null", "undefined", "Undefined", "NULL", "", " ", ".", ".."] {
        let body = json!({"actor": {"id": id}, "agent": "bot"});
        service
            .post("/v1/token", body)
            .await
            .expect_problem(422, "invalid-id");
        let body = json!({"id": id, "name": "x"});
        people
            .root
            .post("/v1/tenants", body)
            .await
            .expect_problem(422, "invalid-id");
        let body =
            json!({"username": id, "password": "correct horse battery", "display_name": "x"});
        people
            .root
            .post("/v1/users", body)
            .await
            .expect_problem(422, "invalid-id");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_actor_id_in_two_tenants_is_two_actors() {
    let (_server, mut people) = start().await;
    let acme = people.agent("acme", "7", "bot").await;
    let globex = people.agent("globex", "7", "bot").await;
    acme.create("actor:7", "notes", "acme's notes")
        .await
        .expect(201);
    assert!(entries(&globex.turn("t-1").await.expect(200)).is_empty());
    globex
        .get("/v1/skills/actor:7/notes")
        .await
        .expect_problem(404, "not-found");
    globex
        .create("actor:7", "notes", "globex's notes")
        .await
        .expect(201);
    for (agent, body) in [
        (&acme, "Do acme's notes.\n"),
        (&globex, "Do globex's notes.\n"),
    ] {
        let offer = agent.turn("t-2").await.expect(200).text("offer");
        assert_eq!(
            agent.load(&offer, "notes").await.expect(200).body["body"],
            body
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_write_verdict_in_its_order() {
    let (_server, mut people) = start().await;
    let agent = people.agent("acme", "tom", "bot").await;
    let tom = people.human("tom").await;
    let maria = people.human("maria").await;
    let elevated = people.elevated("maria", "tenant:acme").await;
    for (who, client, scope, rule) in [
        // 1. Not in scope comes before everything else, also for an agent at a wide scope that is not its own.
        ("agent", &agent, "actor:mia", "not-in-scope"),
        ("agent", &agent, "tenant:globex", "not-in-scope"),
        ("member", &tom, "actor:mia", "not-in-scope"),
        ("elevated", &elevated, "actor:tom", "not-in-scope"),
        ("elevated", &elevated, "tenant:globex", "not-in-scope"),
        ("admin", &people.root, "tenant:acme", "not-in-scope"),
        ("admin", &people.root, "actor:root", "not-in-scope"),
        // 3. Only humans, whatever else.
        ("agent", &agent, "tenant:acme", "humans-only"),
        ("agent", &agent, "global", "humans-only"),
        // 4. Only with an elevation for exactly this scope.
        ("member", &tom, "tenant:acme", "needs-elevation"),
        ("publisher", &maria, "tenant:acme", "needs-elevation"),
        ("elevated", &elevated, "global", "needs-elevation"),
    ] {
        let refused = client
            .create(scope, "x", "it")
            .await
            .expect_problem(403, "refused");
        assert_eq!(refused.rule(), rule, "{who} at {scope}");
    }
    // 2. The own scope. 5. The elevated human.
    for (client, scope, rule) in [
        (&agent, "actor:tom", "own-scope"),
        (&tom, "actor:tom", "own-scope"),
        (&elevated, "actor:maria", "own-scope"),
        (&elevated, "tenant:acme", "elevated-human"),
        (&people.root, "global", "elevated-human"),
    ] {
        let path = format!("/v1/skills/{scope}/checked/check");
        let checked = client.post(&path, content("it")).await.expect(200);
        assert_eq!(
            (&checked.body["allowed"], &checked.body["rule"]),
            (&json!(true), &json!(rule))
        );
        client.create(scope, &format!("by-{}", rule), "it").await;
    }
}
