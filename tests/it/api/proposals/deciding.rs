//! From an agent's lesson to a published skill, and who decides.

use serde_json::json;

use super::{approval, begin, records, set};

#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_learned_is_published_by_another_human() {
    let (_server, mut people) = begin().await;
    let agent = people.agent("acme", "tom", "support-bot").await;
    let made = agent
        .propose("tenant:acme", "refunds", "refunds, but in full")
        .await
        .expect(201);
    assert_eq!(made.text("id"), "p-1");
    assert_eq!(made.text("state"), "open");
    assert_eq!(made.body["base"]["revision"], 1);
    assert_eq!(made.etag(), made.text("digest"));
    assert_eq!(made.headers["location"], "/v1/proposals/p-1");

    // The same again is the same proposal.
    let again = agent
        .propose("tenant:acme", "refunds", "refunds, but in full")
        .await
        .expect(200);
    assert_eq!(again.text("id"), "p-1");
    assert_eq!(again.body["unchanged"], true);

    let maria = people.elevated("maria", "tenant:acme").await;
    let page = maria.proposal("p-1").await.expect(200);
    let review = &page.body["review"];
    assert_eq!(review["approvals"], 0);
    assert_eq!(review["required_approvals"], 1);
    assert_eq!(review["may_decide"], true);
    let unified = review["unified"].as_str().unwrap();
    assert!(unified.contains("-Do refunds.") && unified.contains("+Do refunds, but in full."));
    assert!(
        review["words"]
            .as_array()
            .unwrap()
            .iter()
            .any(|piece| piece["change"] == "added")
    );

    let decided = maria
        .on_proposal("p-1", "decision", approval(&page.body))
        .await
        .expect(200);
    assert_eq!(decided.text("state"), "published");
    assert_eq!(decided.body["published"], 2);
    assert_eq!(decided.body["approvals"], 1);

    // What is published is what was read, written by the agent, approved by the human.
    let skill = maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
    assert_eq!(skill.text("digest"), made.text("digest"));
    assert_eq!(skill.text("author"), "agent:support-bot");
    let catalog = agent.turn("t-1").await.expect(200);
    assert_eq!(catalog.body["entries"][0]["digest"], made.body["digest"]);

    let [record] = &records(&people, "approve-proposal").await[..] else {
        panic!("one approval, one record");
    };
    assert_eq!(record["target"], "proposal:p-1");
    assert_eq!(record["principal"], "human:maria");
    assert_eq!(record["after"], made.body["digest"]);
    assert_eq!(record["detail"]["revision"], 2);
    assert_eq!(record["detail"]["scope"], "tenant:acme");
    assert_eq!(records(&people, "propose-skill").await.len(), 1);

    // The same decision again is unchanged, another one comes too late.
    let again = maria
        .on_proposal("p-1", "decision", approval(&page.body))
        .await
        .expect(200);
    assert_eq!(again.body["unchanged"], true);
    maria
        .reject("p-1")
        .await
        .expect_problem(409, "proposal-ended");
    let pavel = people.elevated("pavel", "tenant:acme").await;
    pavel
        .on_proposal("p-1", "decision", approval(&page.body))
        .await
        .expect_problem(409, "proposal-ended");
    assert_eq!(records(&people, "approve-proposal").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_wrote_it_or_had_it_written_does_not_decide_it() {
    let (_server, mut people) = begin().await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let pavel = people.elevated("pavel", "tenant:acme").await;
    let bot = people.agent("acme", "maria", "maria-bot").await;

    // Her own, by a human, and by her agent.
    let own = maria.propose("tenant:acme", "a", "one").await.expect(201);
    let bots = bot.propose("tenant:acme", "a", "two").await.expect(201);
    for id in [own.text("id"), bots.text("id")] {
        let refused = maria.approve(&id).await.expect_problem(403, "refused");
        assert_eq!(refused.rule(), "needs-other-human");
        assert_eq!(maria.reject(&id).await.rule(), "needs-other-human");
        let page = maria.proposal(&id).await.expect(200).body;
        assert_eq!(page["review"]["may_decide"], false);
        assert_eq!(page["review"]["rule"], "needs-other-human");
    }
    // An agent never decides, and cannot read what it would decide.
    let page = bot.proposal(&bots.text("id")).await.expect(200).body;
    assert!(page["review"].is_null());
    let refused = bot
        .on_proposal(&bots.text("id"), "decision", approval(&page))
        .await
        .expect(403);
    assert_eq!(refused.rule(), "humans-only");
    // Without elevation nobody does.
    let plain = people.human("pavel").await;
    assert_eq!(
        plain.approve(&bots.text("id")).await.rule(),
        "needs-elevation"
    );
    pavel.approve(&bots.text("id")).await.expect(200);

    // Where she is the only publisher, what her agent wrote is hers to decide, and what she wrote is not.
    people.member("acme", "pavel", "member").await.expect(200);
    let alone = bot.propose("tenant:acme", "b", "three").await.expect(201);
    maria.approve(&alone.text("id")).await.expect(200);
    let own = maria.propose("tenant:acme", "b", "four").await.expect(201);
    assert_eq!(
        maria.approve(&own.text("id")).await.rule(),
        "needs-other-human"
    );
    // Unless the tenant says never.
    set(&people, "acme", json!({"distinct_human": "always"})).await;
    let alone = bot.propose("tenant:acme", "b", "five").await.expect(201);
    assert_eq!(
        maria.approve(&alone.text("id")).await.rule(),
        "needs-other-human"
    );
    // An edit makes an author of whoever edits.
    set(&people, "acme", json!({})).await;
    let edited = bot.propose("tenant:acme", "b", "six").await.expect(201);
    let path = format!("/v1/proposals/{}", edited.text("id"));
    maria
        .put(&path, crate::harness::content("six and a half"))
        .await
        .expect(200);
    assert_eq!(
        maria.approve(&edited.text("id")).await.rule(),
        "needs-other-human"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_of_what_was_read_and_of_nothing_else() {
    let (_server, mut people) = begin().await;
    set(&people, "acme", json!({"required_approvals": 2})).await;
    people.member("acme", "mia", "publisher").await.expect(200);
    let bot = people.agent("acme", "tom", "bot").await;
    let made = bot
        .propose("tenant:acme", "refunds", "one")
        .await
        .expect(201);
    let id = made.text("id");
    let maria = people.elevated("maria", "tenant:acme").await;
    let pavel = people.elevated("pavel", "tenant:acme").await;
    let mia = people.elevated("mia", "tenant:acme").await;

    let first = maria.approve(&id).await.expect(200);
    assert_eq!(first.text("state"), "open");
    assert_eq!(
        (&first.body["approvals"], &first.body["required_approvals"]),
        (&json!(1), &json!(2))
    );
    let again = maria.approve(&id).await.expect(200);
    assert_eq!(again.body["unchanged"], true);

    // An edit voids it, and what was read before cannot be approved any more.
    let read = pavel.proposal(&id).await.expect(200).body;
    let path = format!("/v1/proposals/{id}");
    let edited = bot
        .put(
            &path,
            crate::harness::content("one, and something nobody read"),
        )
        .await
        .expect(200);
    assert_ne!(edited.text("digest"), made.text("digest"));
    pavel
        .on_proposal(&id, "decision", approval(&read))
        .await
        .expect_problem(409, "conflict");
    let counted = pavel.approve(&id).await.expect(200);
    assert_eq!(
        counted.body["approvals"], 1,
        "the edit voided the first approval"
    );
    let page = maria.proposal(&id).await.expect(200).body;
    assert_eq!(page["review"]["decisions"][0]["stands"], false);
    assert_eq!(page["review"]["decisions"][1]["stands"], true);

    // An approver who has lost the role counts no more.
    people.member("acme", "pavel", "member").await.expect(200);
    let counted = maria.approve(&id).await.expect(200);
    assert_eq!(
        (&counted.body["state"], &counted.body["approvals"]),
        (&json!("open"), &json!(1))
    );
    assert_eq!(
        mia.approve(&id).await.expect(200).text("state"),
        "published"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_base_is_another_review() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let made = bot
        .propose("tenant:acme", "refunds", "mine")
        .await
        .expect(201);
    let id = made.text("id");
    let read = maria.proposal(&id).await.expect(200).body;
    maria
        .update("tenant:acme", "refunds", "hers")
        .await
        .expect(200);
    assert_eq!(maria.state_of(&id).await, "stale");
    maria
        .on_proposal(&id, "decision", approval(&read))
        .await
        .expect_problem(409, "proposal-stale");
    bot.put(&format!("/v1/proposals/{id}"), crate::harness::content("x"))
        .await
        .expect_problem(409, "proposal-stale");
    maria
        .on_proposal(&id, "comments", json!({"text": "It overtakes mine."}))
        .await
        .expect(201);

    let rebased = bot.on_proposal(&id, "rebase", json!({})).await.expect(200);
    assert_eq!(rebased.body["base"]["revision"], 2);
    assert_eq!(rebased.body["digest"], made.body["digest"]);
    // The digest is the same, and what it was compared with is not.
    maria
        .on_proposal(&id, "decision", approval(&read))
        .await
        .expect_problem(409, "conflict");
    let page = maria.proposal(&id).await.expect(200).body;
    assert_eq!(page["review"]["comments"][0]["text"], "It overtakes mine.");
    assert!(
        page["review"]["unified"]
            .as_str()
            .unwrap()
            .contains("-Do hers.")
    );
    let again = bot.on_proposal(&id, "rebase", json!({})).await.expect(200);
    assert_eq!(again.body["unchanged"], true);
    assert_eq!(maria.approve(&id).await.expect(200).body["published"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_moves_the_skill_makes_proposals_for_it_stale() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .update("tenant:acme", "refunds", "two")
        .await
        .expect(200);
    let skill = "/v1/skills/tenant:acme/refunds";
    let mut number = 0;
    for change in ["put", "rollback", "archive", "publish again", "proposal"] {
        number += 1;
        let made = bot
            .propose("tenant:acme", "refunds", &format!("idea {number}"))
            .await
            .expect(201);
        let other = people
            .agent("acme", "mia", "other-bot")
            .await
            .propose("tenant:acme", "refunds", &format!("other {number}"))
            .await
            .expect(201);
        let page = maria.proposal(&made.text("id")).await.expect(200).body;
        assert_eq!(page["review"]["others"][0]["id"], other.body["id"]);
        match change {
            "put" => drop(
                maria
                    .update("tenant:acme", "refunds", "three")
                    .await
                    .expect(200),
            ),
            "rollback" => {
                drop(
                    maria
                        .post(&format!("{skill}/rollback"), json!({"to": 1}))
                        .await
                        .expect(200),
                );
            }
            "archive" => drop(maria.delete(skill).await.expect(200)),
            "publish again" => {
                drop(
                    maria
                        .create("tenant:acme", "refunds", "anew")
                        .await
                        .expect(201),
                );
            }
            _ => drop(maria.approve(&other.text("id")).await.expect(200)),
        }
        assert_eq!(maria.state_of(&made.text("id")).await, "stale", "{change}");
        maria
            .approve(&made.text("id"))
            .await
            .expect_problem(409, "proposal-stale");
        // Neither is in anyone's way when the next begins.
        bot.on_proposal(&made.text("id"), "withdraw", json!({}))
            .await
            .expect(200);
        if change != "proposal" {
            maria.reject(&other.text("id")).await.expect(200);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_at_the_same_moment_publish_once() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let mut deciders = Vec::new();
    for name in ["maria", "pavel"] {
        for _ in 0..6 {
            deciders.push(people.elevated(name, "tenant:acme").await);
        }
    }
    let made = bot
        .propose("tenant:acme", "refunds", "at once")
        .await
        .expect(201);
    let other = bot
        .propose("tenant:acme", "refunds", "or this")
        .await
        .expect(201);
    let mut running = Vec::new();
    for (number, decider) in deciders.into_iter().enumerate() {
        let of = if number % 3 == 0 { &other } else { &made };
        let (id, body) = (of.text("id"), approval(&of.body));
        running.push(tokio::spawn(async move {
            decider.on_proposal(&id, "decision", body).await
        }));
    }
    let (mut published, mut late) = (0, 0);
    for answer in running {
        let answer = answer.await.unwrap().expect_one_of(&[200, 409]);
        match (answer.status.as_u16(), answer.body["unchanged"] == true) {
            (200, false) => published += 1,
            (200, true) => {}
            _ => late += 1,
        }
    }
    assert_eq!(published, 1, "{late} came too late");
    let maria = people.human("maria").await;
    let skill = maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
    assert_eq!(skill.body["revision"], 2);
    let mut states = [
        maria.state_of(&made.text("id")).await,
        maria.state_of(&other.text("id")).await,
    ];
    states.sort();
    assert_eq!(states, ["published", "stale"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_for_everyone_is_decided_by_administrators() {
    let (server, mut people) = begin().await;
    server.make_admin("boss", crate::harness::PASSWORD).await;
    let bot = people.agent("acme", "tom", "bot").await;
    let made = bot
        .propose("global", "manners", "be kind")
        .await
        .expect(201);
    let id = made.text("id");
    assert!(id.starts_with("g-"), "{id}");
    let maria = people.elevated("maria", "tenant:acme").await;
    maria.proposal(&id).await.expect_problem(404, "not-found");
    let greta = people.human("greta").await;
    greta.proposal(&id).await.expect_problem(404, "not-found");
    // The human whom the agent acted for reads it, and edits it.
    let tom = people.human("tom").await;
    assert!(tom.proposal(&id).await.expect(200).body["review"].is_object());
    let path = format!("/v1/proposals/{id}");
    tom.put(&path, crate::harness::content("be very kind"))
        .await
        .expect(200);
    let root = &people.root;
    assert_eq!(
        root.approve(&id).await.expect(200).text("state"),
        "published"
    );
    assert_eq!(
        root.get("/v1/skills/global/manners")
            .await
            .expect(200)
            .text("author"),
        "agent:bot"
    );
}
