//! Where a tenant has its agents' own-scope writes reviewed: `agent_own_scope: review`.

use serde_json::json;

use super::{begin, set};

#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_writes_for_its_actor_waits_for_that_actor() {
    let (_server, mut people) = begin().await;
    set(
        &people,
        "acme",
        json!({"agent_own_scope": "review", "required_approvals": 3}),
    )
    .await;
    let bot = people.agent("acme", "tom", "bot").await;
    let made = bot.create("actor:tom", "notes", "notes").await.expect(202);
    let id = made.text("id");
    assert_eq!(made.text("scope"), "actor:tom");
    assert_eq!(made.headers["location"], format!("/v1/proposals/{id}"));
    bot.get("/v1/skills/actor:tom/notes")
        .await
        .expect_problem(404, "not-found");
    // The same write again is the same proposal.
    let again = bot.create("actor:tom", "notes", "notes").await.expect(202);
    assert_eq!(again.text("id"), id);
    assert_eq!(again.body["unchanged"], true);

    // Nobody else knows of it, not even those who publish for the tenant.
    for name in ["maria", "mia", "ines"] {
        let other = people.human(name).await;
        other.proposal(&id).await.expect_problem(404, "not-found");
        let listed = other.get("/v1/proposals").await.expect(200);
        assert_eq!(listed.body["items"], json!([]));
    }
    let maria = people.elevated("maria", "tenant:acme").await;
    let body = json!({"decision": "approve", "digest": made.body["digest"]});
    maria
        .on_proposal(&id, "decision", body.clone())
        .await
        .expect_problem(404, "not-found");
    let refused = bot
        .on_proposal(&id, "decision", body.clone())
        .await
        .expect(403);
    assert_eq!(refused.rule(), "humans-only");

    // The actor decides alone, without stepping up, with a key too.
    let tom = people.human("tom").await;
    let page = tom.proposal(&id).await.expect(200).body;
    assert_eq!(page["origin"], "agents-reviewed");
    assert_eq!(page["review"]["required_approvals"], 1);
    let decided = tom.approve(&id).await.expect(200);
    assert_eq!(decided.text("state"), "published");
    let skill = tom.get("/v1/skills/actor:tom/notes").await.expect(200);
    assert_eq!(skill.text("author"), "agent:bot");
    // The human itself is not reviewed.
    tom.update("actor:tom", "notes", "mine").await.expect(200);
    let updated = bot
        .update("actor:tom", "notes", "notes, better")
        .await
        .expect(202);
    assert_eq!(updated.body["base"]["revision"], 2);
    tom.reject(&updated.text("id")).await.expect(200);

    // What no proposal can say is refused.
    let path = "/v1/skills/actor:tom/notes";
    assert_eq!(bot.delete(path).await.expect(403).rule(), "agents-reviewed");
    // Everything else that a write is refused for comes first.
    bot.create("actor:tom", "notes", "again")
        .await
        .expect_problem(412, "precondition-failed");
    bot.put("/v1/skills/actor:tom/other", crate::harness::content("x"))
        .await
        .expect_problem(428, "precondition-required");
    // A rollback is a proposal too.
    let back = bot
        .post(&format!("{path}/rollback"), json!({"to": 1}))
        .await
        .expect(202);
    assert_eq!(back.text("state"), "open");
}

#[tokio::test(flavor = "multi_thread")]
async fn own_scopes_are_not_proposed_for_by_the_other_route() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let refused = bot.propose("actor:tom", "notes", "x").await.expect(403);
    assert_eq!(refused.rule(), "shared-scopes-only");
    let tom = people.human("tom").await;
    let refused = tom.propose("actor:tom", "notes", "x").await.expect(403);
    assert_eq!(refused.rule(), "shared-scopes-only");
    let refused = bot.propose("tenant:globex", "notes", "x").await.expect(403);
    assert_eq!(refused.rule(), "not-in-scope");
    let service = people.service("acme").await;
    let refused = service
        .propose("tenant:acme", "notes", "x")
        .await
        .expect(403);
    assert_eq!(refused.rule(), "needs-actor");
}
