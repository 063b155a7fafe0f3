//! Every code of the table is answered by something, and looks as it should.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::time::Duration;

use serde_json::{Value, json};
use vestry::http::limiter::{PasswordRates, Rate};
use vestry::http::problem::Code;

use crate::api::original_turns::flip_stored_byte;
use crate::api::samples::{Cast, Who};
use crate::harness::{Builder, People, Response};

/// The codes that no request can bring about by itself, and why.
const UNREACHABLE: [(Code, &str); 6] = [
    (
        Code::TemplateFailed,
        "another context schema would have to be active than the one that it was checked against; the tests of templates put one there",
    ),
    (
        Code::Internal,
        "a fault of the server; the tests of the HTTP layer make one",
    ),
    (
        Code::Busy,
        "the writer would have to be held for seconds; the store's tests hold it",
    ),
    (
        Code::DatabaseUnavailable,
        "PostgreSQL would have to be away; the tests of replicas take it away",
    ),
    (
        Code::OutcomeUnknown,
        "the connection would have to break during a commit; the tests of replicas cut it",
    ),
    (
        Code::Timeout,
        "a handler would have to take 30 s; the tests of the HTTP layer have a slow one",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_code_is_answered_by_something() {
    let rate = |burst| Rate {
        burst: NonZeroU32::new(burst).unwrap(),
        every: Duration::from_secs(30),
    };
    let builder = Builder {
        rates: Some(PasswordRates {
            account: rate(20),
            address: rate(1000),
        }),
        ..Builder::default()
    };
    let mut server = builder.start().await;
    let mut people = People::usual(&server).await;
    let cast = Cast::of(&server, &mut people).await;
    let (root, maria, agent) = (
        cast.client(Who::Root),
        cast.client(Who::Maria),
        cast.client(Who::Agent),
    );
    let anonymous = cast.client(Who::Nobody);
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    let mut seen: BTreeMap<String, Response> = BTreeMap::new();
    let mut note = |answer: Response| {
        seen.entry(answer.code().to_owned()).or_insert(answer);
    };

    note(agent.post("/v1/catalog", json!({"zzz": 1})).await);
    note(agent.get("/v1/skills?cursor=x").await);
    note(anonymous.get("/v1/me").await);
    note(agent.load("x", "refunds").await);
    note(agent.create("global", "x", "x").await);
    note(agent.get("/v1/skills/actor:mia/x").await);
    note(agent.load(&offer, "x").await);
    let body = json!({"offer": offer, "name": "refunds", "path": "x"});
    note(agent.post("/v1/load/file", body).await);
    note(agent.delete("/v1/catalog").await);
    let body = json!({"tenant": "acme", "reason": "x"});
    root.create("global", "sealed", "x").await.expect(201);
    root.verb("global", "sealed", "seal").await.expect(200);
    note(maria.post("/v1/skills/global/sealed/hide", body).await);
    note(
        agent
            .post("/v1/catalog", json!({"turn": "t-1", "cap": 7}))
            .await,
    );
    note(
        root.post("/v1/tenants", json!({"id": "acme", "name": "x"}))
            .await,
    );
    people
        .agent("acme", "zoe", "bot")
        .await
        .create("actor:zoe", "x", "x")
        .await
        .expect(201);
    people.user("zoe").await;
    note(people.member("acme", "zoe", "member").await);
    note(maria.create("tenant:acme", "refunds", "x").await);
    let body = json!({"reason": "x"});
    let made = agent
        .propose("tenant:acme", "refunds", "overtaken")
        .await
        .expect(201);
    maria
        .update("tenant:acme", "refunds", "overtakes")
        .await
        .expect(200);
    note(maria.approve(&made.text("id")).await);
    let id = made.text("id");
    agent.on_proposal(&id, "withdraw", body).await.expect(200);
    note(maria.approve(&id).await);
    note(
        agent
            .post("/v1/catalog", json!({"session": "x".repeat(2 << 20)}))
            .await,
    );
    note(
        agent
            .raw(hyper::Method::POST, "/v1/load", &[], b"{}".to_vec())
            .await,
    );
    note(agent.post("/v1/catalog", json!({"token_budget": 0})).await);
    note(agent.get("/v1/skills/everywhere/x").await);
    note(agent.get("/v1/skills/global/X").await);
    note(root.get("/v1/tenants/a*b/members").await);
    note(agent.post("/v1/catalog", json!({"cap": 0})).await);
    note(agent.post("/v1/catalog", json!({"turn": "a b"})).await);
    let body = json!({"source": "{{nothing}}", "sample": "task-start"});
    note(agent.post("/v1/templates/render", body).await);
    let body = json!({"source": "x", "context": {"nothing": 1}});
    note(agent.post("/v1/templates/render", body).await);
    note(root.put("/v1/context-schema", json!({"schema": {}})).await);
    let body = json!({"schema": crate::api::schemas::small(2)});
    note(root.put("/v1/context-schema", body).await);
    for number in 0..6 {
        maria
            .create("tenant:acme", &format!("s{number}"), "x")
            .await
            .expect(201);
        note(
            maria
                .verb("tenant:acme", &format!("s{number}"), "seal")
                .await,
        );
    }
    for id in ["one", "two"] {
        let body = Some(json!({"id": id, "name": "x"}));
        note(
            root.send(
                hyper::Method::POST,
                "/v1/tenants",
                &[("idempotency-key", "k")],
                body,
            )
            .await,
        );
    }
    let body = json!({"username": "weak", "password": "x", "display_name": "x"});
    note(root.post("/v1/users", body).await);
    note(
        maria
            .put("/v1/skills/tenant:acme/other", crate::harness::content("x"))
            .await,
    );
    for _ in 0..21 {
        note(
            anonymous
                .post("/v1/login", json!({"username": "gus", "password": "x"}))
                .await,
        );
    }
    let mia = people.human("mia").await;
    root.delete("/v1/tenants/acme/members/mia")
        .await
        .expect(200);
    note(mia.get("/v1/me").await);
    let body = json!({"reason": "x", "revision": 2});
    maria
        .post("/v1/skills/tenant:acme/refunds/quarantine", body)
        .await
        .expect(200);
    note(agent.load(&offer, "refunds").await);

    let tom = people.human("tom").await;
    tom.create("actor:tom", "damaged", "damage")
        .await
        .expect(201);
    let damaged = tom.turn("t-2").await.expect(200).text("offer");
    flip_stored_byte(&mut server, "Do damage.\n").await;
    let tom = server.client().with_token(tom.token());
    note(tom.load(&damaged, "damaged").await);
    server.advance(905);
    let body = json!({"actor": {"id": "tom"}, "agent": "support-bot", "ttl_seconds": 60});
    let service = server
        .client()
        .with_token(cast.client(Who::Service).token());
    let again = service.post("/v1/token", body).await.expect(200);
    note(
        service
            .with_token(again.text("access_token"))
            .load(&offer, "refunds")
            .await,
    );

    let reached: BTreeSet<&str> = seen
        .keys()
        .map(String::as_str)
        .filter(|code| !code.is_empty())
        .collect();
    let reasons: BTreeSet<&str> = UNREACHABLE.iter().map(|(code, _)| code.as_str()).collect();
    let all: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(reached.intersection(&reasons).next(), None);
    let missing: Vec<&&str> = all
        .iter()
        .filter(|code| !reached.contains(**code) && !reasons.contains(**code))
        .collect();
    assert!(missing.is_empty(), "nothing answers {missing:?}");
    for (text, answer) in seen.iter().filter(|(code, _)| !code.is_empty()) {
        looks_right(Code::parse(text).unwrap(), answer);
        let page = server
            .client()
            .get(answer.body["type"].as_str().unwrap())
            .await
            .expect(200);
        assert!(String::from_utf8_lossy(&page.bytes).contains(text.as_str()));
    }
}

fn looks_right(code: Code, answer: &Response) {
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert!(answer.headers.contains_key("x-request-id"));
    assert_eq!(answer.status, code.status().as_u16());
    let members = answer.body.as_object().unwrap();
    assert_eq!(members["type"], code.type_uri());
    assert_eq!(members["title"], code.title());
    assert_eq!(members["status"], answer.status.as_u16());
    assert_eq!(members["code"], code.as_str());
    for name in members.keys() {
        assert!(
            [
                "type",
                "title",
                "status",
                "code",
                "detail",
                "rule",
                "field",
                "diagnostics",
                "faults",
                "changes",
                "failing"
            ]
            .contains(&name.as_str()),
            "{code:?} has a member {name}"
        );
    }
    assert_eq!(
        members.contains_key("diagnostics"),
        code == Code::TemplateRefused,
        "{code:?}"
    );
    assert_eq!(
        members.contains_key("rule"),
        code == Code::Refused,
        "{code:?}"
    );
    let has = |header: &str| answer.headers.contains_key(header);
    assert_eq!(has("www-authenticate"), answer.status == 401, "{code:?}");
    assert_eq!(
        has("retry-after"),
        matches!(answer.status.as_u16(), 429 | 503),
        "{code:?}"
    );
    assert_eq!(has("allow"), answer.status == 405, "{code:?}");
    assert!(members.get("field").is_none_or(Value::is_string));
    assert!(answer.detail().ends_with('.'), "{}", answer.detail());
}
