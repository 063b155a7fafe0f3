//! Templates over MCP: what they write is fixed by the context of the listing, or is dynamic.

use serde_json::{Value, json};

use super::begin;
use super::speaker::{bytes, text};
use crate::api::files::digest;
use crate::harness::Client;
use crate::store::database::is_stored;

const BODY: &str = "For {{organization.name}}.\n";
const URI: &str = "skill://tenant/begin/SKILL.md";

async fn template(client: &Client, name: &str, body: &str) {
    let content = json!({"description": "Use when it starts.", "body": body, "templated": true,
        "files": [{"path": "a.md", "text": "{{not.rendered}}"}]});
    let path = format!("/v1/skills/tenant:acme/{name}");
    let headers = [("if-none-match", "*")];
    client
        .send(hyper::Method::PUT, &path, &headers, Some(content))
        .await
        .expect(201);
}

fn context(name: &str) -> Value {
    json!({"organization": {"name": name}})
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_context_digests_are_those_of_what_is_written() {
    let (mut server, _people, maria, tom) = begin().await;
    template(&maria, "begin", BODY).await;
    let acme = tom.with_context(context("Acme"));
    let skill = acme.skills().await.remove(0);
    let resources = skill["resources"].as_array().unwrap().clone();
    let read = acme.read(URI).await;
    let body = bytes(&read);
    let text_read = String::from_utf8(body.clone()).unwrap();
    assert!(text_read.ends_with("---\nFor Acme.\n"), "{text_read}");
    assert!(text_read.starts_with("---\nname: begin\n"), "{text_read}");
    assert_eq!(resources[0]["digest"], digest(&body));
    assert_eq!(resources[0]["size"], body.len());
    assert_eq!(skill["_meta"]["dev.vestry/templated"], true);
    // What is in a directory is no matter of contexts.
    tom.get(
        "resources/directory/read",
        json!({"uri": "skill://tenant/begin"}),
    )
    .await;
    // Files are no templates.
    assert_eq!(
        acme.read("skill://tenant/begin/a.md").await["text"],
        "{{not.rendered}}"
    );
    // The order of fields makes no difference; another context does, and one is needed.
    let other = tom.with_context(context("Other"));
    for speaker in [&other, &tom] {
        for method in ["resources/read", "skills/get"] {
            let error = speaker.error(method, json!({"uri": URI})).await;
            assert_eq!(error["code"], -32602, "{error}");
            assert_eq!(error["data"]["code"], "invalid-context", "{error}");
        }
        let failed = speaker.failed("skill", json!({"name": "begin"})).await;
        assert!(text(&failed).contains("context"), "{failed}");
    }
    // What is no template is read with none.
    tom.read("skill://tenant/begin/a.md").await;
    // Listing with another one makes another offer.
    other.skills().await;
    assert!(
        other.read(URI).await["text"]
            .as_str()
            .unwrap()
            .ends_with("For Other.\n")
    );
    let error = acme.error("resources/read", json!({"uri": URI})).await;
    assert_eq!(error["code"], -32602);
    // Only its digest is kept, also across a restart.
    server.restart_in_place().await;
    let restarted = other.after(&server);
    assert!(
        restarted.read(URI).await["text"]
            .as_str()
            .unwrap()
            .ends_with("For Other.\n")
    );
    let error = acme
        .after(&server)
        .error("resources/read", json!({"uri": URI}))
        .await;
    assert_eq!(error["data"]["code"], "invalid-context");
    assert!(is_stored(&server.directory, "organization.name").await);
    assert!(!is_stored(&server.directory, "For Other").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_context_what_is_written_is_dynamic() {
    let (_server, _people, maria, tom) = begin().await;
    template(&maria, "begin", BODY).await;
    let skill = tom.skills().await.remove(0);
    assert_eq!(skill["resources"], "dynamic");
    let got = tom.get("skills/get", json!({"uri": URI})).await;
    assert_eq!(got["skill"]["resources"], "dynamic");
    // What a read brings is what it is rendered with.
    for name in ["Acme", "Other"] {
        let read = tom.with_context(context(name)).read(URI).await;
        assert!(
            read["text"]
                .as_str()
                .unwrap()
                .ends_with(&format!("For {name}.\n"))
        );
    }
    let error = tom.error("resources/read", json!({"uri": URI})).await;
    assert_eq!(error["data"]["code"], "invalid-context");
    // Its files can be found.
    let found = tom
        .get(
            "resources/directory/read",
            json!({"uri": "skill://tenant/begin"}),
        )
        .await;
    assert_eq!(found["resources"].as_array().unwrap().len(), 2);
    let called = tom
        .with_context(context("Acme"))
        .done("skill", json!({"name": "begin"}))
        .await;
    assert!(text(&called).contains("For Acme."), "{called}");
}

/// A template that fails takes no other skill out of a listing: its entry says why, and no run data is told back.
#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_fails_is_listed_with_its_reason() {
    let (_server, _people, maria, tom) = begin().await;
    template(&maria, "begin", BODY).await;
    maria
        .create("tenant:acme", "plain", "Plain.")
        .await
        .expect(201);
    for context in [
        json!({"organization": {"name": "x"}, "secret": "s3cr3t"}),
        json!({"organization": {}}),
    ] {
        let speaker = tom.with_context(context);
        let skills = speaker.skills().await;
        assert_eq!(super::speaker::names(&skills), ["begin", "plain"]);
        assert_eq!(skills[0]["resources"], "dynamic");
        let problem = &skills[0]["_meta"]["dev.vestry/problem"];
        assert_eq!(problem["code"], "invalid-context", "{problem}");
        assert!(skills[1]["resources"].is_array());
        let got = speaker.get("skills/get", json!({"uri": URI})).await;
        assert_eq!(got["skill"], skills[0]);
        let error = speaker.error("resources/read", json!({"uri": URI})).await;
        assert_eq!(error["code"], -32602, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("context."), "{message}");
        let told = format!("{skills:?}{error}");
        assert!(!told.contains("s3cr3t"), "{told}");
    }
}

/// Whoever lists without knowing of contexts leaves that of the turn; `skills/list` alone sets and clears it.
#[tokio::test(flavor = "multi_thread")]
async fn only_a_list_of_skills_changes_the_context() {
    let (_server, _people, maria, tom) = begin().await;
    template(&maria, "begin", BODY).await;
    let (acme, other) = (
        tom.with_context(context("Acme")),
        tom.with_context(context("Other")),
    );
    acme.skills().await;
    tom.get("server/discover", json!({})).await;
    tom.get("resources/list", json!({})).await;
    tom.done("skill_catalog", json!({})).await;
    other.error("resources/read", json!({"uri": URI})).await;
    maria.create("tenant:acme", "new", "x").await.expect(201);
    tom.done("skill_catalog", json!({})).await;
    other.error("resources/read", json!({"uri": URI})).await;
    acme.read(URI).await;
    tom.skills().await;
    other.read(URI).await;
}
