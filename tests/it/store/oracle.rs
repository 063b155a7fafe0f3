//! A name that was not offered tells nothing (invariant 11, threat 12).

use serde_json::json;

use crate::harness::{People, Response, TestServer};

/// An answer without the name that was asked for and without the id of the request.
fn faceless(answer: &Response, name: &str) -> String {
    let mut headers: Vec<String> = answer
        .headers
        .iter()
        .filter(|(header, _)| !["x-request-id", "date"].contains(&header.as_str()))
        .map(|(header, value)| format!("{header}: {value:?}"))
        .collect();
    headers.sort();
    let body = String::from_utf8(answer.bytes.to_vec()).unwrap();
    format!(
        "{}\n{}\n{}",
        answer.status,
        headers.join("\n"),
        body.replace(name, "NAME")
    )
}

#[tokio::test]
async fn names_outside_the_offer_are_answered_alike_and_cost_no_query() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let greta = people.elevated("greta", "tenant:globex").await;
    let other = people.agent("acme", "mia", "bot").await;
    // Ten characters each, so that nothing differs but the name.
    people
        .root
        .create("global", "offered-01", "one")
        .await
        .expect(201);
    people
        .root
        .create("global", "quarantine", "two")
        .await
        .expect(201);
    people
        .root
        .verb("global", "quarantine", "quarantine")
        .await
        .expect(200);
    people
        .root
        .create("global", "revoked-01", "two")
        .await
        .expect(201);
    people
        .root
        .verb("global", "revoked-01", "revoke")
        .await
        .expect(200);
    people
        .root
        .create("global", "archived-1", "three")
        .await
        .expect(201);
    people
        .root
        .delete("/v1/skills/global/archived-1")
        .await
        .expect(200);
    people
        .root
        .create("global", "disabled-1", "four")
        .await
        .expect(201);
    people
        .root
        .verb("global", "disabled-1", "disable")
        .await
        .expect(200);
    people
        .root
        .create("global", "hidden-now", "five")
        .await
        .expect(201);
    let hide = json!({"tenant": "acme", "reason": "a test"});
    maria
        .post("/v1/skills/global/hidden-now/hide", hide)
        .await
        .expect(200);
    greta
        .create("tenant:globex", "other-tent", "six")
        .await
        .expect(201);
    other
        .create("actor:mia", "other-actr", "seven")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let before = agent.turn("t-1").await.expect(200);
    // Published since.
    people
        .root
        .create("global", "later-than", "eight")
        .await
        .expect(201);
    let human = people.human("tom").await;
    let human_offer = human.turn("t-1").await.expect(200);
    people
        .root
        .create("global", "even-later", "nine")
        .await
        .expect(201);

    for (caller, offer, later) in [
        (&agent, &before, "later-than"),
        (&human, &human_offer, "even-later"),
    ] {
        let offer = offer.text("offer");
        let queries = caller.counter("vestry_content_queries").await;
        let fills = caller.counter("vestry_scope_fills").await;
        let nowhere = faceless(
            &caller.load(&offer, "does-not-b").await.expect(404),
            "does-not-b",
        );
        assert!(nowhere.contains("skill-not-offered"), "{nowhere}");
        for name in [
            "quarantine",
            "revoked-01",
            "archived-1",
            "disabled-1",
            "hidden-now",
            "other-tent",
            "other-actr",
            later,
        ] {
            let answer = caller.load(&offer, name).await;
            assert_eq!(faceless(&answer, name), nowhere, "{name}");
        }
        for name in [
            "",
            "x",
            "../offered-01",
            "OFFERED-01",
            "offered-01 ",
            "offered-01\0",
            "ø",
            &"a".repeat(5_000),
        ] {
            caller
                .load(&offer, name)
                .await
                .expect_problem(404, "skill-not-offered");
        }
        assert_eq!(caller.counter("vestry_content_queries").await, queries);
        assert_eq!(caller.counter("vestry_scope_fills").await, fills);
        // The counter does count.
        caller.load(&offer, "offered-01").await.expect(200);
    }
    assert!(agent.counter("vestry_content_queries").await > 0);
}

/// With an offer that is not the caller's own, not even the names of it matter.
#[tokio::test]
async fn another_callers_offer_tells_nothing_about_names() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "offered-01", "one")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    // Verified once, so that the cache of offers has it.
    agent.load(&offer, "offered-01").await.expect(200);
    let queries = agent.counter("vestry_content_queries").await;
    let others = [
        people.agent("acme", "tom", "bot2").await,
        people.agent("acme", "mia", "bot").await,
        people.agent("globex", "tom", "bot").await,
        people.human("tom").await,
        people.root.clone(),
    ];
    for other in others {
        let there = other
            .load(&offer, "offered-01")
            .await
            .expect_problem(401, "offer-invalid");
        let not = other
            .load(&offer, "does-not-b")
            .await
            .expect_problem(401, "offer-invalid");
        assert_eq!(faceless(&there, "offered-01"), faceless(&not, "does-not-b"));
    }
    assert_eq!(agent.counter("vestry_content_queries").await, queries);
}

#[tokio::test]
async fn an_empty_offer_says_that_there_are_no_others() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let catalog = agent.turn("t-1").await.expect(200);
    assert_eq!(catalog.body["block"], "");
    let answer = agent
        .load(&catalog.text("offer"), "x")
        .await
        .expect_problem(404, "skill-not-offered");
    assert_eq!(
        answer.detail(),
        "No skill named \"x\" is available to you, and no others are either."
    );
}
