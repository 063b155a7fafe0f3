//! Creating and updating: preconditions, numbers, history.

use hyper::Method;
use serde_json::json;

use super::{archive, put};
use crate::harness::{People, TestServer, content};

const PATH: &str = "/v1/skills/actor:tom/notes";

#[tokio::test(flavor = "multi_thread")]
async fn a_write_needs_a_precondition_that_holds() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    put(&tom, PATH, &[], content("one"))
        .await
        .expect_problem(428, "precondition-required");
    for header in ["*", "\"sha256:0\""] {
        let refused = put(&tom, PATH, &[("if-match", header)], content("one")).await;
        let refused = refused.expect_problem(412, "precondition-failed");
        assert!(
            refused.detail().contains("does not exist"),
            "{}",
            refused.detail()
        );
    }
    let made = put(&tom, PATH, &[("if-none-match", "*")], content("one"))
        .await
        .expect(201);
    assert_eq!(
        (&made.body["revision"], &made.body["status"]),
        (&json!(1), &json!("active"))
    );
    let first = made.etag();
    assert_eq!(made.text("digest"), first);
    // It exists now: the answer tells the current entity tag.
    for headers in [
        vec![("if-none-match", "*")],
        vec![("if-match", "\"sha256:0\"")],
    ] {
        let refused = put(&tom, PATH, &headers, content("two"))
            .await
            .expect_problem(412, "precondition-failed");
        assert!(
            refused.detail().contains(&format!("\"{first}\"")),
            "{}",
            refused.detail()
        );
    }
    let quoted = format!("\"{first}\"");
    let made = put(&tom, PATH, &[("if-match", &quoted)], content("two"))
        .await
        .expect(200);
    assert_eq!(made.body["revision"], 2);
    // Stale: another has written in between (invariant 20).
    put(&tom, PATH, &[("if-match", &quoted)], content("three"))
        .await
        .expect_problem(412, "precondition-failed");
    let listed = format!("\"sha256:1\", {quoted} , \"{}\"", made.etag());
    let third = put(&tom, PATH, &[("if-match", &listed)], content("three"))
        .await
        .expect(200);
    assert_eq!(third.body["revision"], 3);
    put(&tom, PATH, &[("if-match", "*")], content("four"))
        .await
        .expect(200);
    let weak = format!("W/\"{}\"", third.etag());
    put(&tom, PATH, &[("if-match", &weak)], content("five"))
        .await
        .expect_problem(400, "malformed");
    let history = tom.get(&format!("{PATH}/revisions")).await.expect(200);
    assert_eq!(history.body["items"].as_array().unwrap().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_content_again_changes_nothing() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let ines = people.human("ines").await;
    let first = maria
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    let count = async || {
        let audit = ines.get("/v1/audit?action=publish-skill").await.expect(200);
        audit.body["items"].as_array().unwrap().len()
    };
    assert_eq!(count().await, 1);
    let again = maria
        .update("tenant:acme", "refunds", "refunds")
        .await
        .expect(200);
    assert_eq!(
        (&again.body["unchanged"], &again.body["revision"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(again.etag(), first.etag());
    assert_eq!(count().await, 1);
    // A precondition that does not hold is said first.
    maria
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect_problem(412, "precondition-failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_go_on_after_archiving_and_rolling_back() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    tom.create("actor:tom", "notes", "one").await.expect(201);
    tom.update("actor:tom", "notes", "two").await.expect(200);
    assert_eq!(
        archive(&tom, "actor:tom", "notes").await.expect(200).body["status"],
        "archived"
    );
    assert_eq!(
        archive(&tom, "actor:tom", "notes").await.expect(200).body["unchanged"],
        true
    );
    let made = tom.create("actor:tom", "notes", "three").await.expect(201);
    assert_eq!(
        (&made.body["revision"], &made.body["status"]),
        (&json!(3), &json!("active"))
    );
    let rolled = tom
        .post(
            &format!("{PATH}/rollback"),
            json!({"to": 1, "reason": "it was better"}),
        )
        .await
        .expect(200);
    assert_eq!(rolled.body["revision"], 4);
    let history = tom.get(&format!("{PATH}/revisions")).await.expect(200);
    let numbers: Vec<_> = history.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["revision"].clone())
        .collect();
    assert_eq!(numbers, [4, 3, 2, 1]);
    let newest = &history.body["items"][0];
    assert_eq!(
        (&newest["rolled_back_to"], &newest["message"]),
        (&json!(1), &json!("it was better"))
    );
    assert_eq!(newest["digest"], history.body["items"][3]["digest"]);
    assert_eq!(tom.get(PATH).await.expect(200).body["body"], "Do one.\n");
    for (to, status, code) in [(0, 404, "not-found"), (5, 404, "not-found")] {
        tom.post(&format!("{PATH}/rollback"), json!({"to": to}))
            .await
            .expect_problem(status, code);
    }
    let stale = [("if-match", "\"sha256:0\"")];
    let body = Some(json!({"to": 2}));
    let refused = tom
        .send(Method::POST, &format!("{PATH}/rollback"), &stale, body)
        .await;
    refused.expect_problem(412, "precondition-failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_difference_of_two_revisions() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    tom.create("actor:tom", "notes", "one").await.expect(201);
    tom.update("actor:tom", "notes", "two").await.expect(200);
    let diff = tom
        .get(&format!("{PATH}/diff?from=1&to=2"))
        .await
        .expect(200);
    let unified = diff.text("unified");
    assert!(
        unified.contains("-Do one.\n") && unified.contains("+Do two.\n"),
        "{unified}"
    );
    let diff = tom
        .get(&format!("{PATH}/diff?from=2&to=2"))
        .await
        .expect(200);
    assert_eq!(diff.body["unified"], "");
    tom.get(&format!("{PATH}/diff?from=1&to=3"))
        .await
        .expect_problem(404, "not-found");
    tom.get(&format!("{PATH}/revisions/3"))
        .await
        .expect_problem(404, "not-found");
    tom.get(&format!("{PATH}/revisions/4294967296"))
        .await
        .expect_problem(404, "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn checking_tells_what_publishing_would_do() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.human("maria").await;
    let elevated = people.elevated("maria", "tenant:acme").await;
    let path = "/v1/skills/tenant:acme/refunds/check";
    let checked = maria.post(path, content("refunds")).await.expect(200);
    assert_eq!(
        (&checked.body["allowed"], &checked.body["rule"]),
        (&json!(false), &json!("needs-elevation"))
    );
    assert_eq!(
        (&checked.body["creates"], &checked.body["current"]),
        (&json!(true), &json!(null))
    );
    maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect_problem(404, "not-found");
    let made = elevated
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    assert_eq!(made.body["digest"], checked.body["digest"]);
    let checked = elevated.post(path, content("refunds")).await.expect(200);
    assert_eq!(
        (&checked.body["allowed"], &checked.body["unchanged"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(checked.body["current"], made.body["digest"]);
    let body = json!({"description": "a\nb", "body": "x"});
    maria
        .post(path, body)
        .await
        .expect_problem(422, "invalid-content");
    maria
        .post("/v1/skills/tenant:globex/refunds/check", content("x"))
        .await
        .expect_problem(404, "not-found");
}
