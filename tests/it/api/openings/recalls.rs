//! Openings obey recalls, appear in reports of them, and never leave half-rendered.

use serde_json::json;

use super::{ambient, begin, open, parts};
use crate::api::roles::instruct;
use crate::api::templates::rename_organization;
use crate::harness::content;
use crate::store::database::is_stored;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_recalled_opens_nothing_any_more() {
    let (_server, people, maria, agent) = begin().await;
    instruct(&maria, "tenant:acme", "support", content("be kind"))
        .await
        .expect(201);
    ambient(&maria, "tenant:acme", "tone", "Be kind.\n").await;
    ambient(&maria, "tenant:acme", "other", "Other.\n").await;
    let asked = json!({"turn": "t-1", "role": "support", "session": "s-1"});
    open(&agent, asked.clone()).await.expect(200);
    let unnamed = open(&agent, json!({"role": "support"})).await.expect(200);
    let human = people.human("tom").await;
    open(&human, json!({"turn": "t-2"})).await.expect(200);

    let quarantine = json!({"reason": "it misleads"});
    let tone = "/v1/skills/tenant:acme/tone";
    maria
        .post(&format!("{tone}/quarantine"), quarantine.clone())
        .await
        .expect(200);
    // Invariant 10: the turn had it, and does not get it any more; nor the rest without a word.
    let refused = open(&agent, asked.clone()).await;
    let refused = refused.expect_problem(410, "skill-recalled");
    assert!(
        refused.detail().contains("`tone`") || refused.detail().contains("\"tone\""),
        "{}",
        refused.body
    );
    // A new turn goes without it.
    let opening = open(&agent, json!({"turn": "t-3", "role": "support"}))
        .await
        .expect(200);
    assert_eq!(parts(&opening), ["role:support", "other"]);
    maria
        .post(&format!("{tone}/release"), json!({"reason": "it does not"}))
        .await
        .expect(200);
    open(&agent, asked.clone()).await.expect(200);
    let role = "/v1/skills/tenant:acme/role:support";
    maria
        .post(&format!("{role}/revoke"), quarantine)
        .await
        .expect(200);
    let refused = open(&agent, asked)
        .await
        .expect_problem(410, "skill-recalled");
    assert!(
        refused.detail().contains("role:support"),
        "{}",
        refused.body
    );

    // Who was told what: the reports have it, by turn.
    let told = |report: &crate::harness::Response| -> Vec<(String, String)> {
        let items = report.body["items"].as_array().unwrap();
        let mut told: Vec<(String, String)> = items
            .iter()
            .filter(|event| event["event"] == "opened")
            .map(|event| {
                let text = |field: &str| event[field].as_str().unwrap().to_owned();
                (text("turn"), text("principal"))
            })
            .collect();
        told.sort();
        told.dedup();
        told
    };
    let report = maria
        .get("/v1/recall/turns?scope=tenant:acme&name=tone&revision=1")
        .await
        .expect(200);
    let mut expected = vec![
        ("t-1".to_owned(), "agent:bot@tom".to_owned()),
        ("t-2".to_owned(), "human:tom".to_owned()),
        (unnamed.text("turn"), "agent:bot@tom".to_owned()),
    ];
    expected.sort();
    let principals: Vec<String> = told(&report).into_iter().map(|(turn, _)| turn).collect();
    let turns: Vec<String> = expected.into_iter().map(|(turn, _)| turn).collect();
    assert_eq!(principals, turns, "{}", report.body);
    let session = report.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|event| event["turn"] == "t-1")
        .unwrap();
    assert_eq!(session["session"], "s-1");
    let report = maria
        .get("/v1/recall/turns?scope=tenant:acme&name=role:support&revision=1")
        .await
        .expect(200);
    assert_eq!(told(&report).len(), 3, "{}", report.body);
    people.root.create("global", "x", "x").await.expect(201);
}

/// Invariant 22 holds for what was accepted; when the schema changes under it, the whole opening fails by name.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_half_rendered_ever_leaves() {
    let (_server, people, maria, agent) = begin().await;
    ambient(&maria, "tenant:acme", "first", "Before.\n").await;
    ambient(
        &maria,
        "tenant:acme",
        "second",
        "One.\nOf {{organization.name}}.\n",
    )
    .await;
    let opening = open(&agent, json!({"turn": "t-1"})).await.expect(200);
    assert_eq!(parts(&opening), ["first", "second"]);
    rename_organization(&people).await;
    let context = crate::harness::context("task-start").to_string();
    let renamed: serde_json::Value =
        serde_json::from_str(&context.replace("organization", "firm")).unwrap();
    for turn in ["t-2", "t-3"] {
        let failed = open(&agent, json!({"turn": turn, "context": renamed})).await;
        let failed = failed.expect_problem(422, "template-failed");
        for part in ["`second`", "tenant:acme", "revision 1", "Line 2"] {
            assert!(failed.detail().contains(part), "{}", failed.detail());
        }
        assert!(
            !failed.body.to_string().contains("Before."),
            "{}",
            failed.body
        );
    }
    // Nothing was recorded of what never left.
    let maria = people.elevated("maria", "tenant:acme").await;
    let log = maria.get("/v1/audit?action=open-run").await.expect(200);
    assert_eq!(log.body["items"].as_array().unwrap().len(), 1);
    let report = maria
        .get("/v1/recall/turns?scope=tenant:acme&name=first&revision=1")
        .await
        .expect(200);
    let turns: Vec<&str> = report.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["turn"].as_str().unwrap())
        .collect();
    assert_eq!(turns, ["t-1"]);
}

/// The data of a run is never kept, nor is what a template made of it: not in the database, not in its journal.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_the_context_is_kept() {
    let (mut server, _people, maria, agent) = begin().await;
    ambient(
        &maria,
        "tenant:acme",
        "tone",
        "{{#if task}}Of {{task.title}}.{{/if}}\n",
    )
    .await;
    let mut context = crate::harness::context("task-start");
    context["task"]["title"] = "hunter2-title".into();
    context["organization"]["name"] = "hunter2-org".into();
    let opening = open(&agent, json!({"turn": "t-1", "context": context}))
        .await
        .expect(200);
    assert!(opening.text("text").contains("hunter2-title"));
    server.stop().await;
    assert!(is_stored(&server.directory, "Of {{task.title}}").await);
    assert!(!is_stored(&server.directory, "hunter2").await);
}

/// A part that wrote nothing is no part of what the turn got: what becomes of it is no matter of the turn's.
#[tokio::test(flavor = "multi_thread")]
async fn what_wrote_nothing_ends_no_turn_when_it_is_recalled() {
    let (_server, _people, maria, agent) = begin().await;
    ambient(&maria, "tenant:acme", "tone", "Be kind.\n").await;
    ambient(
        &maria,
        "tenant:acme",
        "quiet",
        "{{#if conversation}}Listen.{{/if}}\n",
    )
    .await;
    let asked = json!({"turn": "t-1"});
    let first = open(&agent, asked.clone()).await.expect(200);
    assert_eq!(parts(&first), ["tone"]);
    maria
        .verb("tenant:acme", "quiet", "revoke")
        .await
        .expect(200);
    let again = open(&agent, asked).await.expect(200);
    assert_eq!(again.bytes, first.bytes);
}
