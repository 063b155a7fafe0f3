//! How proposals end otherwise: rejected, withdrawn, expired.

use serde_json::json;

use super::{begin, records, set};

/// A day, in seconds.
const DAY: i64 = 24 * 60 * 60;

#[tokio::test(flavor = "multi_thread")]
async fn one_rejection_ends_it() {
    let (_server, mut people) = begin().await;
    set(&people, "acme", json!({"required_approvals": 2})).await;
    let bot = people.agent("acme", "tom", "bot").await;
    let id = bot
        .propose("tenant:acme", "refunds", "x")
        .await
        .expect(201)
        .text("id");
    let maria = people.elevated("maria", "tenant:acme").await;
    let pavel = people.elevated("pavel", "tenant:acme").await;
    maria.approve(&id).await.expect(200);
    let digest = maria.proposal(&id).await.expect(200).text("digest");
    let body = json!({"decision": "reject", "digest": digest});
    pavel
        .on_proposal(&id, "decision", body)
        .await
        .expect_problem(400, "malformed");
    let rejected = pavel.reject(&id).await.expect(200);
    assert_eq!(rejected.text("state"), "rejected");
    assert_eq!(pavel.reject(&id).await.expect(200).body["unchanged"], true);
    maria
        .approve(&id)
        .await
        .expect_problem(409, "proposal-ended");
    for (verb, body) in [
        ("withdraw", json!({})),
        ("rebase", json!({})),
        ("comments", json!({"text": "too late"})),
    ] {
        bot.on_proposal(&id, verb, body)
            .await
            .expect_problem(409, "proposal-ended");
    }
    let page = maria.proposal(&id).await.expect(200).body;
    assert_eq!(page["ended_by"], "human:pavel");
    assert_eq!(page["review"]["decisions"][1]["reason"], "a test");
    let [record] = &records(&people, "reject-proposal").await[..] else {
        panic!("one rejection, one record");
    };
    assert_eq!(record["detail"]["reason"], "a test");
    // The same content may be put forward again.
    let again = bot.propose("tenant:acme", "refunds", "x").await.expect(201);
    assert_ne!(again.text("id"), id);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_its_proposer_takes_it_back() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let id = bot
        .propose("tenant:acme", "refunds", "x")
        .await
        .expect(201)
        .text("id");
    let maria = people.elevated("maria", "tenant:acme").await;
    let refused = maria
        .on_proposal(&id, "withdraw", json!({}))
        .await
        .expect(403);
    assert_eq!(refused.rule(), "not-the-proposer");
    let other = people.agent("acme", "tom", "other-bot").await;
    let refused = other
        .on_proposal(&id, "withdraw", json!({}))
        .await
        .expect(403);
    assert_eq!(refused.rule(), "not-the-proposer");
    let tom = people.human("tom").await;
    let body = json!({"reason": "not worth it"});
    let withdrawn = tom
        .on_proposal(&id, "withdraw", body.clone())
        .await
        .expect(200);
    assert_eq!(withdrawn.text("state"), "withdrawn");
    let again = bot.on_proposal(&id, "withdraw", body).await.expect(200);
    assert_eq!(again.body["unchanged"], true);
    maria
        .approve(&id)
        .await
        .expect_problem(409, "proposal-ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_decides_in_time_is_over() {
    let (server, mut people) = begin().await;
    set(&people, "acme", json!({"proposal_days": 2})).await;
    let bot = people.agent("acme", "tom", "bot").await;
    let id = bot
        .propose("tenant:acme", "refunds", "x")
        .await
        .expect(201)
        .text("id");
    let later = bot.propose("tenant:acme", "refunds", "y").await.expect(201);
    bot.on_proposal(&later.text("id"), "withdraw", json!({}))
        .await
        .expect(200);

    server.advance(2 * DAY - 1);
    let maria = people.elevated("maria", "tenant:acme").await;
    assert_eq!(maria.state_of(&id).await, "open");
    // By the clock, whether or not anybody has written it down.
    server.advance(1);
    assert_eq!(maria.state_of(&id).await, "expired");
    maria
        .approve(&id)
        .await
        .expect_problem(409, "proposal-ended");
    let listed = maria.get("/v1/proposals?state=expired").await.expect(200);
    assert_eq!(listed.body["items"][0]["id"], id);

    // And then it is written down, with the system as who did it.
    server.advance(60 * 60);
    let maria = people.elevated("maria", "tenant:acme").await;
    let mut written = Vec::new();
    for _ in 0..200 {
        maria.get("/v1/skills").await.expect(200);
        people.agent("acme", "tom", "bot").await.turn("t").await;
        written = records(&people, "expire-proposal").await;
        if !written.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let [record] = &written[..] else {
        panic!("one expiry, one record: {written:?}");
    };
    assert_eq!(record["principal"], "system");
    assert_eq!(record["target"], format!("proposal:{id}"));
    let page = maria.proposal(&id).await.expect(200).body;
    assert_eq!(
        (&page["state"], &page["ended_by"]),
        (&json!("expired"), &json!("system"))
    );
}
