//! What a tenant sets about reviews.

use serde_json::json;

use super::{begin, set};

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewed_name_is_a_proposal_whoever_publishes() {
    let (_server, people) = begin().await;
    set(
        &people,
        "acme",
        json!({"review_names": ["legal-*", "refunds"]}),
    )
    .await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let made = maria
        .create("tenant:acme", "legal-terms", "terms")
        .await
        .expect(202);
    let page = maria.proposal(&made.text("id")).await.expect(200).body;
    assert_eq!(page["origin"], "name-reviewed");
    // She wrote it, so she does not decide it.
    assert_eq!(
        maria.approve(&made.text("id")).await.rule(),
        "needs-other-human"
    );
    let pavel = people.elevated("pavel", "tenant:acme").await;
    pavel.approve(&made.text("id")).await.expect(200);
    // Other names, and other scopes, are not.
    maria
        .create("tenant:acme", "legality", "x")
        .await
        .expect(201);
    maria
        .create("actor:maria", "legal-terms", "x")
        .await
        .expect(201);
    maria
        .update("tenant:acme", "refunds", "two")
        .await
        .expect(202);
    // Whoever may not publish is refused, and not reviewed.
    let tom = people.human("tom").await;
    let refused = tom.create("tenant:acme", "legal-x", "x").await.expect(403);
    assert_eq!(refused.rule(), "needs-elevation");
    // And a check says so.
    let check = maria
        .post(
            "/v1/skills/tenant:acme/legal-terms/check",
            crate::harness::content("x"),
        )
        .await
        .expect(200);
    assert_eq!(
        (&check.body["allowed"], &check.body["rule"]),
        (&json!(false), &json!("name-reviewed"))
    );
    // A rollback of a reviewed name is reviewed, and brings the content back once it is approved.
    let waiting = pavel.get("/v1/proposals?state=open").await.expect(200);
    let id = waiting.body["items"][0]["id"].as_str().unwrap();
    pavel.approve(id).await.expect(200);
    let back = maria
        .post("/v1/skills/tenant:acme/refunds/rollback", json!({"to": 1}))
        .await
        .expect(202);
    pavel.approve(&back.text("id")).await.expect(200);
    let skill = maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
    assert_eq!(skill.text("body"), "Do refunds.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_named_approvers_approve() {
    let (_server, mut people) = begin().await;
    set(&people, "acme", json!({"approvers": ["Pavel"]})).await;
    let bot = people.agent("acme", "tom", "bot").await;
    let id = bot
        .propose("tenant:acme", "refunds", "x")
        .await
        .expect(201)
        .text("id");
    let maria = people.elevated("maria", "tenant:acme").await;
    assert_eq!(
        maria.approve(&id).await.expect(403).rule(),
        "not-an-approver"
    );
    let pavel = people.elevated("pavel", "tenant:acme").await;
    pavel.approve(&id).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposer_has_a_bounded_number_waiting() {
    let (_server, mut people) = begin().await;
    set(&people, "acme", json!({"max_open_proposals": 2})).await;
    let bot = people.agent("acme", "tom", "bot").await;
    let first = bot.propose("tenant:acme", "a", "a").await.expect(201);
    bot.propose("tenant:acme", "b", "b").await.expect(201);
    bot.propose("tenant:acme", "c", "c")
        .await
        .expect_problem(422, "quota-exceeded");
    // The same again is no further one; another proposer has its own; what is withdrawn makes room.
    bot.propose("tenant:acme", "a", "a").await.expect(200);
    let other = people.agent("acme", "mia", "bot").await;
    other.propose("tenant:acme", "c", "c").await.expect(201);
    bot.on_proposal(&first.text("id"), "withdraw", json!({}))
        .await
        .expect(200);
    bot.propose("tenant:acme", "c", "c").await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_held_to_what_they_may_be() {
    let (_server, people) = begin().await;
    let root = &people.root;
    let path = "/v1/tenants/acme/settings";
    let before = root.get(path).await.expect(200);
    assert_eq!(before.body["required_approvals"], 1);
    assert_eq!(before.body["proposal_days"], 30);
    assert_eq!(before.body["max_open_proposals"], 20);
    assert_eq!(before.body["distinct_human"], "auto");
    for (field, value) in [
        ("required_approvals", json!(0)),
        ("required_approvals", json!(6)),
        ("proposal_days", json!(0)),
        ("proposal_days", json!(366)),
        ("max_open_proposals", json!(0)),
        ("review_names", json!(["A"])),
        ("review_names", json!(["a*"])),
    ] {
        let mut body = before.body.clone();
        body[field] = value.clone();
        let refused = root
            .put(path, body)
            .await
            .expect_problem(422, "invalid-content");
        assert!(refused.text("field").starts_with(field), "{field} {value}");
    }
    let mut body = before.body.clone();
    body["approvers"] = json!(["not a name"]);
    root.put(path, body).await.expect_problem(422, "invalid-id");
    let mut body = before.body.clone();
    body["approvers"] = json!(["maria", "maria"]);
    body["agent_own_scope"] = "review".into();
    let after = root.put(path, body).await.expect(200);
    assert_eq!(after.body["approvers"], json!(["maria"]));
    assert_eq!(after.body["agent_own_scope"], "review");
    // What is left out stays.
    let body = json!({
        "max_cap": 100, "agent_own_scope": "allow", "skills_per_actor": 200,
        "skills_per_tenant": 2_000, "revisions_per_skill": 1_000,
    });
    let after = root.put(path, body).await.expect(200);
    assert_eq!(after.body["approvers"], json!(["maria"]));
}
