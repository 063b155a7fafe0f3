//! How long turns, offers and logins live.

use serde_json::{Value, json};

use super::super::database::File;
use super::{DAY, people, stable};
use crate::harness::{START, TestServer};

#[tokio::test]
async fn a_turn_is_kept_for_thirty_days() {
    let mut server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let first = agent.turn("t-1").await.expect(200);
    people
        .root
        .create("global", "later", "later")
        .await
        .expect(201);
    let entries = |answer: &Value| answer["entries"].as_array().unwrap().len();
    server.advance(30 * DAY - 1);
    // Twice: from memory, and after a restart from the database, past its housekeeping.
    for _ in 0..2 {
        let agent = people.agent("acme", "tom", "bot").await;
        let agent = server.client().with_token(agent.token());
        let again = agent.turn("t-1").await.expect(200);
        assert_eq!(stable(&again.body), stable(&first.body));
        let people_again = agent.token().to_owned();
        server.restart().await;
        let agent = server.client().with_token(people_again);
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        let again = agent.turn("t-1").await.expect(200);
        assert_eq!(stable(&again.body), stable(&first.body));
        people.at(&server);
    }
    server.advance(2);
    let agent = people.agent("acme", "tom", "bot").await;
    let new = agent.turn("t-1").await.expect(200);
    assert_eq!(
        entries(&new.body),
        3,
        "after thirty days the turn is a new one"
    );
    assert_eq!(
        stable(&agent.turn("t-1").await.expect(200).body),
        stable(&new.body)
    );
    server.restart().await;
    let agent = server.client().with_token(agent.token());
    assert_eq!(
        stable(&agent.turn("t-1").await.expect(200).body),
        stable(&new.body)
    );
    agent
        .post("/v1/catalog", json!({"turn": "t-1", "cap": 1}))
        .await
        .expect_problem(409, "turn-conflict");
}

#[tokio::test]
async fn housekeeping_drops_old_turns_and_their_snapshots() {
    let mut server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    agent.turn("t-1").await.expect(200);
    // Reading the log waits for the journal.
    let ines = people.human("ines").await;
    ines.get("/v1/audit").await.expect(200);
    server.advance(91 * DAY);
    let root = crate::harness::login(&server.client(), "root", None).await;
    let root = crate::harness::elevate(&root, "global").await;
    root.update("global", "refunds", "refunds, newly")
        .await
        .expect(200);
    let agent = people.agent("acme", "tom", "bot").await;
    agent.turn("t-2").await.expect(200);
    tokio::time::sleep(std::time::Duration::from_millis(1_000)).await;
    server.stop().await;
    let file = File::of(&server.directory).await;
    assert_eq!(file.number("SELECT count(*) FROM turns").await, 1);
    assert_eq!(file.number("SELECT count(*) FROM snapshots").await, 1);
    assert_eq!(
        file.number("SELECT count(*) FROM turns JOIN snapshots ON turns.snapshot = snapshots.digest AND turns.tenant = snapshots.tenant").await,
        1
    );
    file.close().await;
}

#[tokio::test]
async fn an_offer_expires_and_the_turn_signs_a_new_one() {
    let server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let first = agent.turn("t-1").await.expect(200);
    let old = first.text("offer");
    assert_eq!(first.text("expires_at"), START.plus_seconds(900).rfc3339());
    server.advance(899);
    agent.load(&old, "refunds").await.expect(200);
    // The leeway of five seconds that offers have, as tokens do.
    server.advance(6);
    // It was verified before, and it was not: both ways it is over.
    agent
        .load(&old, "refunds")
        .await
        .expect_problem(401, "offer-expired");
    server.advance(10);
    agent
        .load(&old, "refunds")
        .await
        .expect_problem(401, "offer-expired");
    let again = agent.turn("t-1").await.expect(200);
    assert_eq!(stable(&again.body), stable(&first.body));
    agent
        .load(&again.text("offer"), "refunds")
        .await
        .expect(200);
    agent
        .load(&old, "refunds")
        .await
        .expect_problem(401, "offer-expired");
}

/// A login that was ended stays ended until the last of its tokens has expired, also when its session would have ended.
#[tokio::test]
async fn a_logout_outlives_its_session() {
    let server = TestServer::start().await;
    let _people = people(&server).await;
    let client = server.client();
    let body = json!({"username": "tom", "password": "correct horse battery", "tenant": "acme"});
    let session = client.post("/v1/login", body).await.expect(200);
    server.advance(30 * DAY - 60);
    let refresh = json!({"refresh_token": session.text("refresh_token")});
    let tokens = client.post("/v1/refresh", refresh).await.expect(200);
    let tom = client.with_token(tokens.text("access_token"));
    tom.post("/v1/catalog", json!({})).await.expect(200);
    tom.post("/v1/logout", json!({})).await;
    tom.post("/v1/catalog", json!({}))
        .await
        .expect_problem(401, "authority-ended");
    server.advance(120);
    // Housekeeping forgets logins that are over.
    tokio::time::sleep(std::time::Duration::from_millis(1_000)).await;
    tom.post("/v1/catalog", json!({}))
        .await
        .expect_problem(401, "authority-ended");
}
