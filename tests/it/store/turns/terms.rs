//! What a catalog is asked for with: caps, budgets, and the catalog that the caller has.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{people, set_max_cap, stable};
use crate::harness::{Client, Response, TestServer};

#[tokio::test]
async fn other_terms_are_a_conflict() {
    let mut server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let ask = json!({"turn": "t-1", "cap": 2, "role": "support", "token_budget": 5_000});
    let first = agent.post("/v1/catalog", ask.clone()).await.expect(200);
    for _ in 0..2 {
        let agent = server.client().with_token(agent.token());
        for (field, other) in [
            ("cap", json!(1)),
            ("cap", Value::Null),
            ("role", json!("sales")),
            ("role", Value::Null),
            ("token_budget", json!(5_001)),
            ("token_budget", Value::Null),
        ] {
            let mut asked = ask.clone();
            asked[field] = other;
            agent
                .post("/v1/catalog", asked)
                .await
                .expect_problem(409, "turn-conflict");
        }
        let mut asked = ask.clone();
        // What is recorded only, or depends on the conversation, is no other term.
        asked["session"] = "s-9".into();
        let again = agent.post("/v1/catalog", asked).await.expect(200);
        assert_eq!(stable(&again.body), stable(&first.body));
        server.restart().await;
    }
}

#[tokio::test]
async fn a_caller_that_has_the_catalog_gets_a_short_answer() {
    let server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let first = agent.post("/v1/catalog", json!({})).await.expect(200);
    let etag = first.text("etag");
    let short = agent
        .post("/v1/catalog", json!({"have": etag}))
        .await
        .expect(200);
    let members: BTreeSet<&str> = short
        .body
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        members,
        BTreeSet::from(["turn", "scopes", "etag", "unchanged", "offer", "expires_at"])
    );
    assert_eq!(short.body["unchanged"], true);
    assert_eq!(short.text("etag"), etag);
    agent
        .load(&short.text("offer"), "refunds")
        .await
        .expect(200);
    // A named turn too, first and again.
    for _ in 0..2 {
        let short = agent
            .post("/v1/catalog", json!({"turn": "t-1", "have": etag}))
            .await
            .expect(200);
        assert_eq!(short.body["unchanged"], true);
    }
    people
        .root
        .update("global", "refunds", "refunds, newly")
        .await
        .expect(200);
    let long = agent
        .post("/v1/catalog", json!({"have": etag}))
        .await
        .expect(200);
    assert!(long.body.get("unchanged").is_none());
    assert_ne!(long.text("etag"), etag);
    assert_eq!(long.body["entries"].as_array().unwrap().len(), 2);
    // The turn keeps its catalog, and so its etag.
    let short = agent
        .post("/v1/catalog", json!({"turn": "t-1", "have": etag}))
        .await
        .expect(200);
    assert_eq!(short.body["unchanged"], true);
    // What was changed and changed back is the same catalog for everyone but its revision numbers.
    let other = agent
        .post("/v1/catalog", json!({"have": "sha256:nothing"}))
        .await
        .expect(200);
    assert!(other.body.get("unchanged").is_none());
}

#[tokio::test]
async fn a_budget_cuts_and_says_so() {
    let server = TestServer::start().await;
    let mut people = people(&server).await;
    people
        .root
        .create("global", "sealed", "what is sealed")
        .await
        .expect(201);
    people
        .root
        .verb("global", "sealed", "seal")
        .await
        .expect(200);
    let agent = people.agent("acme", "tom", "bot").await;
    let whole = agent.post("/v1/catalog", json!({})).await.expect(200);
    assert!(whole.body.get("report").is_none());
    let tokens = whole.text("block").len().div_ceil(4);
    for budget in [1, tokens - 1, tokens, tokens + 1, 10_000_000] {
        let answer = agent
            .post("/v1/catalog", json!({"token_budget": budget}))
            .await
            .expect(200);
        let report = &answer.body["report"];
        let entries = answer.body["entries"].as_array().unwrap();
        assert_eq!(report["kept"], entries.len());
        assert_eq!(report["token_budget"], budget);
        assert_eq!(
            report["estimated_tokens"],
            answer.text("block").len().div_ceil(4)
        );
        assert_eq!(entries[0]["name"], "sealed", "a sealed one is never cut");
        let cut = report["cut"].as_array().unwrap();
        assert_eq!(cut.is_empty(), budget >= tokens);
        assert_eq!(answer.body["omitted"], cut.len());
        assert_eq!(&answer.body["omitted_names"], &report["cut"]);
        assert!(!report["reason"].as_str().unwrap().is_empty());
        for name in cut {
            let name = name.as_str().unwrap();
            agent
                .load(&answer.text("offer"), name)
                .await
                .expect_problem(404, "skill-not-offered");
        }
    }
    for budget in [
        json!(0),
        json!(10_000_001),
        json!(-1),
        json!(1.5),
        json!("9"),
    ] {
        let answer = agent
            .post("/v1/catalog", json!({"token_budget": budget}))
            .await;
        assert!(
            [400, 422].contains(&answer.status.as_u16()),
            "{budget}: {}",
            answer.body
        );
    }
}

async fn cap(agent: &Client, cap: Value) -> Response {
    agent.post("/v1/catalog", json!({"cap": cap})).await
}

#[tokio::test]
async fn a_cap_is_a_whole_number_in_range_or_left_out() {
    let server = TestServer::start().await;
    let mut people = people(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    for refused in [
        json!(-1),
        json!(0),
        json!(1.5),
        json!(1.0),
        json!("1"),
        json!(201),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(1e300),
        json!(true),
        json!([1]),
        json!({}),
    ] {
        let answer = cap(&agent, refused.clone())
            .await
            .expect_problem(422, "invalid-cap");
        assert!(
            answer.detail().contains("1 to 200"),
            "{refused}: {}",
            answer.detail()
        );
    }
    for taken in [json!(1), json!(200), Value::Null] {
        cap(&agent, taken).await.expect(200);
    }
    assert_eq!(cap(&agent, json!(1)).await.body["omitted"], 1);
    set_max_cap(&people, 1).await;
    cap(&agent, json!(2))
        .await
        .expect_problem(422, "invalid-cap");
    assert_eq!(cap(&agent, json!(1)).await.expect(200).body["omitted"], 1);
    assert_eq!(
        cap(&agent, Value::Null).await.expect(200).body["omitted"],
        1,
        "the default is held to it too"
    );
    // Another tenant is not touched.
    let other = people.agent("globex", "tom", "bot").await;
    cap(&other, json!(2)).await.expect(200);
}
