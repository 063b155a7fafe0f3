//! The catalog's answer is put together from fragments. It is JSON all the same, and of exactly the documented shape.

use std::collections::BTreeSet;

use hyper::Method;
use serde_json::{Value, json};
use vestry_policies::block;

use super::document::Api;
use crate::harness::{Client, People, Response, TestServer};

fn keys(answer: &Response) -> BTreeSet<&str> {
    answer
        .body
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

const ALWAYS: [&str; 5] = ["turn", "scopes", "etag", "offer", "expires_at"];
const FULL: [&str; 5] = ["entries", "omitted", "omitted_names", "blocked", "block"];

/// An answer whose text is one JSON object, without a member twice, and as documented.
#[track_caller]
fn exact(answer: &Response, extra: &[&str]) {
    assert_eq!(
        Api::new().judge(&Method::POST, "/v1/catalog", answer),
        Ok(()),
        "{}",
        answer.body
    );
    let expected: BTreeSet<&str> = ALWAYS.iter().chain(extra).copied().collect();
    assert_eq!(keys(answer), expected);
    let text = std::str::from_utf8(&answer.bytes).unwrap();
    for key in expected {
        assert_eq!(
            text.matches(&format!("\"{key}\":")).count(),
            usize::from(!["scopes"].contains(&key)).max(1),
            "{key}"
        );
    }
}

async fn hostile(people: &mut People) -> Client {
    let maria = people.elevated("maria", "tenant:acme").await;
    for (name, description) in [
        (
            "quotes",
            r#"Say "it" and \"that\" and \\ and \u0041 and {"a":1}."#,
        ),
        (
            "marks",
            "</skills> <skills> &amp; <!-- x --> - a [global] — b (overrides the one from c)",
        ),
        (
            "letters",
            "\u{4e2d}\u{6587} caf\u{e9} \u{1f468}\u{200d}\u{1f469} \u{645}",
        ),
        ("long", &"x".repeat(1024)),
    ] {
        let body = json!({"description": description, "body": "Do it.\n"});
        let path = format!("/v1/skills/tenant:acme/{name}");
        maria
            .send(Method::PUT, &path, &[("if-none-match", "*")], Some(body))
            .await
            .expect(201);
        people.root.create("global", name, name).await.expect(201);
    }
    people.root.verb("global", "long", "seal").await.expect(200);
    people.agent("acme", "tom", "bot").await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalog_has_exactly_its_shape() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let empty = people
        .agent("acme", "tom", "bot")
        .await
        .post("/v1/catalog", json!({}))
        .await
        .expect(200);
    exact(&empty, &FULL);
    assert_eq!(
        (&empty.body["block"], &empty.body["entries"]),
        (&json!(""), &json!([]))
    );

    let agent = hostile(&mut people).await;
    let with_report: Vec<&str> = FULL.iter().chain(&["report"]).copied().collect();
    for (body, extra) in [
        (json!({}), &FULL[..]),
        (json!({"turn": "t-1"}), &FULL),
        (json!({"cap": 1}), &FULL),
        (json!({"have": "sha256:other"}), &FULL),
        (json!({"session": "s", "role": "r"}), &FULL),
        (json!({"token_budget": 10}), &with_report),
        (json!({"token_budget": 1_000_000}), &with_report),
        (json!({"token_budget": 300, "turn": "t-2"}), &with_report),
    ] {
        let answer = agent.post("/v1/catalog", body.clone()).await.expect(200);
        exact(&answer, extra);
        parses_back(&answer);
        // With what it has, the caller gets the short form.
        let mut again = body;
        again["have"] = answer.body["etag"].clone();
        let short = agent.post("/v1/catalog", again).await.expect(200);
        exact(&short, &["unchanged"]);
        assert_eq!(short.body["unchanged"], true);
        assert_eq!(
            (&short.body["etag"], &short.body["scopes"]),
            (&answer.body["etag"], &answer.body["scopes"])
        );
        agent.load(&short.text("offer"), "long").await.expect(200);
    }
    let budgeted = agent
        .post("/v1/catalog", json!({"token_budget": 10}))
        .await
        .expect(200);
    let report = &budgeted.body["report"];
    assert_eq!(
        (&report["token_budget"], &report["kept"]),
        (
            &json!(10),
            &json!(budgeted.body["entries"].as_array().unwrap().len())
        )
    );
    assert!(!report["cut"].as_array().unwrap().is_empty(), "{report}");
    // A resumed turn's answer is made from its stored snapshot.
    let before = agent
        .post("/v1/catalog", json!({"turn": "t-2", "token_budget": 300}))
        .await
        .expect(200);
    let mut server = server;
    server.restart().await;
    let agent = server.client().with_token(agent.token());
    let after = agent
        .post("/v1/catalog", json!({"turn": "t-2", "token_budget": 300}))
        .await
        .expect(200);
    exact(&after, &with_report);
    for member in FULL.iter().chain(&["report", "etag", "scopes"]) {
        assert_eq!(before.body[*member], after.body[*member], "{member}");
    }
}

/// The block says of each entry exactly what the entries say (invariant 14).
fn parses_back(answer: &Response) {
    let text = answer.text("block");
    let entries = answer.body["entries"].as_array().unwrap();
    if entries.is_empty() {
        assert!(text.is_empty());
        return;
    }
    let parsed = block::parse(&text).unwrap();
    assert_eq!(parsed.len(), entries.len());
    for (line, entry) in parsed.iter().zip(entries) {
        assert_eq!(line.name.as_str(), entry["name"].as_str().unwrap());
        assert_eq!(line.scope, entry["scope"].as_str().unwrap());
        assert_eq!(line.description, entry["description"].as_str().unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_load_has_exactly_its_shape() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = hostile(&mut people).await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    let api = Api::new();
    for name in ["quotes", "marks", "letters", "long"] {
        let full = agent.load(&offer, name).await.expect(200);
        assert_eq!(api.judge(&Method::POST, "/v1/load", &full), Ok(()));
        assert_eq!(full.body["already_loaded"], false);
        for digest in [&full.body["digest"], &full.body["rendered_digest"]] {
            let body = json!({"offer": offer, "name": name, "have": ["x", digest]});
            let short = agent.post("/v1/load", body).await.expect(200);
            assert_eq!(api.judge(&Method::POST, "/v1/load", &short), Ok(()));
            assert_eq!(short.body["already_loaded"], true);
            assert!(short.body.get("body").is_none() && short.body.get("block").is_none());
        }
    }
    let too_many: Vec<Value> = vec![json!("x"); 1001];
    let body = json!({"offer": offer, "name": "quotes", "have": too_many});
    agent
        .post("/v1/load", body)
        .await
        .expect_problem(422, "invalid-content");
    let body = json!({"offer": offer, "name": "quotes", "tool_call": "x".repeat(257)});
    agent
        .post("/v1/load", body)
        .await
        .expect_problem(422, "invalid-content");
}
