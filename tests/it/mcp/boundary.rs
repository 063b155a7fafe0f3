//! The offer boundary over MCP: what is not offered gets the answer of what does not exist (invariants 10, 11, 12, 13).

use serde_json::json;

use super::speaker::{Speaker, text};
use super::{begin, with_files};

/// Byte for byte the same, and no content is looked up, whether the thing exists for others, did, or never.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_offered_is_what_does_not_exist() {
    let (_server, mut people, maria, tom) = begin().await;
    with_files(
        &maria,
        "tenant:acme",
        "offered",
        json!([{"path": "a.md", "text": "a"}]),
    )
    .await;
    let greta = people.elevated("greta", "tenant:globex").await;
    with_files(
        &greta,
        "tenant:globex",
        "secret",
        json!([{"path": "a.md", "text": "a"}]),
    )
    .await;
    let mia = people.agent("acme", "mia", "bot").await;
    mia.create("actor:mia", "secret", "Mia's.")
        .await
        .expect(201);
    tom.skills().await;
    // It exists for this caller too by now, but was not offered.
    maria
        .create("tenant:acme", "secret", "Acme's.")
        .await
        .expect(201);
    maria
        .create("tenant:acme", "late", "Late.")
        .await
        .expect(201);
    for (method, tail) in [
        ("skills/get", "/SKILL.md"),
        ("resources/read", "/SKILL.md"),
        ("resources/read", "/a.md"),
        ("resources/directory/read", ""),
    ] {
        for kind in ["actor", "tenant", "global"] {
            let mut answers = Vec::new();
            for name in ["secret", "nothing", "lateno"] {
                let uri = format!("skill://{kind}/{name}{tail}");
                let before = tom.client().counter("vestry_content_queries").await;
                let answer = tom.ask(method, json!({"uri": uri})).await;
                let after = tom.client().counter("vestry_content_queries").await;
                assert_eq!(after, before, "{method} {uri} looks for content");
                let body = String::from_utf8(answer.bytes.to_vec()).unwrap();
                answers.push((answer.status, body.replace(name, "NAME")));
                assert_eq!(answer.body["error"]["code"], -32602, "{}", answer.body);
                assert_eq!(answer.body["error"]["data"], json!({"uri": uri}));
            }
            assert!(
                answers.windows(2).all(|pair| pair[0] == pair[1]),
                "{answers:?}"
            );
        }
    }
    // Of an offered skill, a file that it does not have is one that is not served.
    let error = tom
        .error(
            "resources/read",
            json!({"uri": "skill://tenant/offered/b.md"}),
        )
        .await;
    assert_eq!(
        error["message"],
        "Nothing is served at skill://tenant/offered/b.md."
    );
    // And a place that it is not at is none.
    let error = tom
        .error(
            "skills/get",
            json!({"uri": "skill://global/offered/SKILL.md"}),
        )
        .await;
    assert_eq!(error["code"], -32602);
    // The tools say what was offered, as loads over HTTP do, and nothing else.
    for name in ["secret", "nothing", "Not A Name\u{202e}", ""] {
        let failed = tom.failed("skill", json!({"name": name})).await;
        assert_eq!(
            text(&failed),
            format!("No skill named \"{name}\" is available to you. Available: offered.")
        );
        let file = json!({"name": name, "path": "a.md"});
        let failed = tom.failed("skill_file", file).await;
        assert!(text(&failed).starts_with("No skill named"), "{failed}");
    }
}

/// Invariant 16: that something was asked for which was not offered is on record, without its name.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_refused_is_on_record() {
    let (mut server, _people, maria, tom) = begin().await;
    maria.create("tenant:acme", "a", "x").await.expect(201);
    tom.skills().await;
    for method in ["skills/get", "resources/read"] {
        let uri = "skill://tenant/not-for-you/SKILL.md";
        tom.error(method, json!({"uri": uri})).await;
    }
    server.restart_in_place().await;
    let maria = server.client().with_token(maria.token());
    let log = maria.get("/v1/audit?limit=200").await.expect(200);
    let refusals: Vec<_> = log.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|record| record["action"] == "load-skill" && record["verdict"] == "deny")
        .collect();
    assert_eq!(refusals.len(), 1, "{}", log.body);
    assert_eq!(refusals[0]["rule"], "needs-offer");
    assert_eq!(refusals[0]["principal"], "agent:bot");
    assert!(!log.body.to_string().contains("not-for-you"));
}

/// Invariants 10 and 12: later writes do not change what was offered; a recall ends it at once, and a new list is without it.
#[tokio::test(flavor = "multi_thread")]
async fn writes_change_nothing_that_was_offered_and_recalls_end_it() {
    let (_server, _people, maria, tom) = begin().await;
    maria.create("tenant:acme", "a", "First.").await.expect(201);
    maria.create("tenant:acme", "b", "First.").await.expect(201);
    tom.skills().await;
    maria
        .update("tenant:acme", "a", "Second.")
        .await
        .expect(200);
    let uri = "skill://tenant/a/SKILL.md";
    let read = tom.read(uri).await["text"].as_str().unwrap().to_owned();
    assert!(read.contains("Do First."), "{read}");
    let called = tom.done("skill", json!({"name": "a"})).await;
    assert!(text(&called).contains("First."));
    assert_eq!(called["_meta"]["dev.vestry/revision"], 1);
    // A new list has what is there now.
    tom.skills().await;
    let read = tom.read(uri).await["text"].as_str().unwrap().to_owned();
    assert!(read.contains("Do Second."), "{read}");
    maria
        .verb("tenant:acme", "a", "quarantine")
        .await
        .expect(200);
    for (method, uri) in [
        ("resources/read", uri),
        ("skills/get", uri),
        ("resources/directory/read", "skill://tenant/a"),
    ] {
        let error = tom.error(method, json!({"uri": uri})).await;
        assert_eq!(error["code"], -32602, "{error}");
        assert_eq!(error["data"]["code"], "skill-recalled", "{error}");
    }
    let failed = tom.failed("skill", json!({"name": "a"})).await;
    assert_eq!(
        failed["_meta"]["dev.vestry/problem"]["code"],
        "skill-recalled"
    );
    assert_eq!(super::speaker::names(&tom.skills().await), ["b"]);
}

/// What is loaded over MCP is in the report of who was reached by a recalled revision, as every load is.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_is_reported_when_it_is_recalled() {
    let (_server, _people, maria, tom) = begin().await;
    maria.create("tenant:acme", "a", "First.").await.expect(201);
    tom.skills().await;
    let path = "/v1/recall/turns?scope=tenant:acme&name=a&revision=1";
    let loads = async || {
        let report = maria.get(path).await.expect(200);
        let items = report.body["items"].as_array().unwrap();
        items
            .iter()
            .filter(|item| item["event"] == "loaded")
            .count()
    };
    assert_eq!(loads().await, 0);
    tom.read("skill://tenant/a/SKILL.md").await;
    assert_eq!(loads().await, 1);
}

/// Invariant 13: two callers with the same words in their requests have each their own offer.
#[tokio::test(flavor = "multi_thread")]
async fn each_token_has_its_own_offer() {
    let (_server, mut people, maria, tom) = begin().await;
    maria.create("tenant:acme", "a", "x").await.expect(201);
    tom.skills().await;
    // The same actor and agent with a new token: its first read makes an offer of now.
    maria.create("tenant:acme", "b", "x").await.expect(201);
    let again = Speaker::new(&people.agent("acme", "tom", "bot").await);
    again.read("skill://tenant/b/SKILL.md").await;
    let error = tom
        .error(
            "resources/read",
            json!({"uri": "skill://tenant/b/SKILL.md"}),
        )
        .await;
    assert_eq!(error["code"], -32602);
    let gus = Speaker::new(&people.agent("globex", "tom", "bot").await);
    assert!(gus.skills().await.is_empty());
}
