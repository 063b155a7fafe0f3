//! What a turn keeps, and for whom.

use std::collections::BTreeSet;

use serde_json::json;
use tokio::task::JoinSet;

use super::{people, set_max_cap, stable};
use crate::harness::TestServer;

#[tokio::test]
async fn a_turn_keeps_its_catalog_after_writes_and_restarts() {
    let mut server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let first = agent.turn("t-1").await.expect(200);
    people
        .root
        .update("global", "refunds", "refunds, newly")
        .await
        .expect(200);
    people
        .root
        .create("global", "later", "later")
        .await
        .expect(201);
    people
        .root
        .delete("/v1/skills/global/returns")
        .await
        .expect(200);
    agent
        .create("actor:tom", "refunds", "own refunds")
        .await
        .expect(201);

    server.advance(5);
    let again = agent.turn("t-1").await.expect(200);
    assert_eq!(stable(&again.body), stable(&first.body));
    assert_ne!(again.body["offer"], first.body["offer"], "freshly signed");
    assert!(
        again.text("expires_at") > first.text("expires_at"),
        "with a new expiry"
    );
    let fresh = agent.turn("t-2").await.expect(200);
    assert_ne!(fresh.body["etag"], first.body["etag"]);

    server.restart().await;
    let agent = server.client().with_token(agent.token());
    let after = agent.turn("t-1").await.expect(200);
    assert_eq!(stable(&after.body), stable(&first.body));
    // What was pinned is what is loaded, from the old offer and from the new one, also of the archived one.
    for offer in [first.text("offer"), after.text("offer")] {
        let loaded = agent.load(&offer, "refunds").await.expect(200);
        assert_eq!(loaded.body["body"], "Do refunds.\n");
        assert_eq!(loaded.body["scope"], "global");
        let loaded = agent.load(&offer, "returns").await.expect(200);
        assert_eq!(loaded.body["body"], "Do returns.\n");
        agent
            .load(&offer, "later")
            .await
            .expect_problem(404, "skill-not-offered");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_claims_of_one_turn_one_wins() {
    let server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    for turn in 0..5 {
        let mut claims = JoinSet::new();
        for claim in 0..64 {
            let agent = agent.clone();
            let root = people.root.clone();
            let turn = format!("t-{turn}");
            claims.spawn(async move {
                if claim % 16 == 0 {
                    // Writes in between, so that the claims would be offered different catalogs.
                    root.update("global", "refunds", &format!("refunds {turn} {claim}"))
                        .await
                        .expect(200);
                }
                stable(&agent.turn(&turn).await.expect(200).body).to_string()
            });
        }
        let answers: BTreeSet<String> = claims.join_all().await.into_iter().collect();
        assert_eq!(answers.len(), 1, "turn {turn}");
    }
    // With different terms one wins too, and the others are told.
    let mut claims = JoinSet::new();
    for claim in 0..64 {
        let agent = agent.clone();
        let body = json!({"turn": "contested", "cap": 1 + claim % 2});
        claims.spawn(async move { (claim % 2, agent.post("/v1/catalog", body).await) });
    }
    let answers = claims.join_all().await;
    let winners: BTreeSet<i32> = answers
        .iter()
        .filter(|(_, answer)| answer.status == 200)
        .map(|(cap, _)| *cap)
        .collect();
    assert_eq!(winners.len(), 1);
    for (_, answer) in answers.iter().filter(|(_, answer)| answer.status != 200) {
        answer.clone().expect_problem(409, "turn-conflict");
    }
}

#[tokio::test]
async fn every_caller_has_turns_of_its_own() {
    let server = TestServer::start().await;
    let mut people = people(&server).await;
    let one = people.agent("acme", "tom", "bot").await;
    let first = one.turn("t-1").await.expect(200);
    people
        .root
        .create("global", "later", "later")
        .await
        .expect(201);
    let others = [
        people.agent("acme", "tom", "bot2").await,
        people.agent("acme", "mia", "bot").await,
        people.agent("globex", "tom", "bot").await,
        people.human("tom").await,
        people.root.clone(),
    ];
    for other in &others {
        let theirs = other.turn("t-1").await.expect(200);
        assert_eq!(theirs.body["entries"].as_array().unwrap().len(), 3);
        // Also with other terms: it is another turn.
        let asked = json!({"turn": "t-2", "cap": 1});
        other.post("/v1/catalog", asked).await.expect(200);
    }
    assert_eq!(first.body["entries"].as_array().unwrap().len(), 2);
    one.post("/v1/catalog", json!({"turn": "t-2", "cap": 2}))
        .await
        .expect(200);
    // A new token of the same agent and actor is the same caller.
    let same = people.agent("acme", "tom", "bot").await;
    let again = same.turn("t-1").await.expect(200);
    assert_eq!(stable(&again.body), stable(&first.body));
    same.load(&first.text("offer"), "refunds").await.expect(200);
}

/// The server's own names are new ones every time, and asking for one of them by name starts a turn of that name: it
/// keeps nothing of the unnamed one, so that nothing is resumed.
#[tokio::test]
async fn a_turn_that_the_server_named_cannot_be_resumed() {
    let server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let unnamed = agent.post("/v1/catalog", json!({})).await.expect(200);
    let other = agent.post("/v1/catalog", json!({})).await.expect(200);
    assert_ne!(unnamed.text("turn"), other.text("turn"));
    people
        .root
        .update("global", "refunds", "refunds, newly")
        .await
        .expect(200);
    let named = agent.turn(&unnamed.text("turn")).await.expect(200);
    assert_ne!(
        named.body["etag"], unnamed.body["etag"],
        "it has today's catalog"
    );
    // The first offer goes on with its own pins: one turn's name, two offers, neither of which changes the other.
    let old = agent
        .load(&unnamed.text("offer"), "refunds")
        .await
        .expect(200);
    let new = agent
        .load(&named.text("offer"), "refunds")
        .await
        .expect(200);
    assert_eq!(old.body["revision"], 1);
    assert_eq!(new.body["revision"], 2);
}

/// A tenant that lowers its cap changes no turn that was taken before.
#[tokio::test]
async fn a_turn_survives_a_lowered_cap() {
    let mut server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let first = agent.turn("t-1").await.expect(200);
    set_max_cap(&people, 1).await;
    let again = agent.turn("t-1").await.expect(200);
    assert_eq!(stable(&again.body), stable(&first.body));
    server.restart().await;
    let agent = server.client().with_token(agent.token());
    let again = agent.turn("t-1").await.expect(200);
    assert_eq!(stable(&again.body), stable(&first.body));
    // The cap that the server chose is the one it was, also for whoever names it, once that is allowed again.
    people.at(&server);
    set_max_cap(&people, 200).await;
    agent
        .post("/v1/catalog", json!({"turn": "t-1", "cap": 20}))
        .await
        .expect(200);
    agent
        .post("/v1/catalog", json!({"turn": "t-1", "cap": 1}))
        .await
        .expect_problem(409, "turn-conflict");
}
