//! What a schema that was activated changes in a running server, and what it leaves.

use serde_json::{Value, json};

use super::{SCHEMA, activate, built_in, larger, publish, records, renamed};
use crate::harness::{Client, People, Response, TestServer};

async fn load(agent: &Client, offer: &str, name: &str, context: Value) -> Response {
    let body = json!({"offer": offer, "name": name, "context": context});
    agent.post("/v1/load", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_additive_is_there_at_once_and_after_a_restart() {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let mut maria = people.elevated("maria", "tenant:acme").await;
    let with_effort = "{{#if task}}{{default task.effort \"unknown\"}}{{/if}}\n";
    let refused = publish(&maria, "tenant:acme", "effort", with_effort).await;
    refused.expect_problem(422, "template-refused");
    publish(
        &maria,
        "tenant:acme",
        "before",
        "Of {{organization.name}}.\n",
    )
    .await
    .expect(201);

    let answer = activate(&people.root, &larger(2), false).await.expect(200);
    for (field, value) in [
        ("version", json!(2)),
        ("built_in", json!(false)),
        ("unchanged", json!(false)),
        ("additive", json!(true)),
        ("needs_acceptance", json!(false)),
        ("checked", json!(1)),
        ("failing", json!([])),
        ("failing_count", json!(0)),
        ("changes_count", json!(1)),
    ] {
        assert_eq!(answer.body[field], value, "{field}");
    }
    let change = &answer.body["changes"][0];
    assert_eq!(
        (&change["path"], &change["kind"], &change["breaking"]),
        (&json!("task.effort"), &json!("added"), &json!(false))
    );
    assert_eq!(answer.etag(), answer.text("digest"));

    for restarted in [false, true] {
        if restarted {
            // The program knows only the older one that is part of it; the one of the database stays.
            server.restart().await;
            people.at(&server);
            maria = server.client().with_token(maria.token());
        }
        let active = maria.get(SCHEMA).await.expect(200);
        assert_eq!(active.text("digest"), answer.text("digest"));
        assert_eq!(active.body["schema"], larger(2));
        assert_eq!(active.body["built_in"], false);
        assert!(active.text("activated_at").starts_with("2027-01-15T"));
        publish(&maria, "tenant:acme", "effort", with_effort)
            .await
            .expect_one_of(&[200, 201]);
        let reference = maria.get("/v1/reference").await.expect(200);
        assert!(reference.body.to_string().contains("task.effort"));
    }

    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    for name in ["before", "effort"] {
        let context = json!({"organization": {"name": "Acme"}});
        load(&agent, &offer, name, context).await.expect(200);
    }
}

/// Templates that fail under what is active now fail by name, the others go on, and all load again under the one before.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_accepted_as_breaking_fails_by_name_until_the_one_before_is_back() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(
        &maria,
        "tenant:acme",
        "named",
        "One.\nOf {{organization.name}}.\n",
    )
    .await
    .expect(201);
    publish(&maria, "tenant:acme", "other", "{{len people}} people.\n")
        .await
        .expect(201);
    maria
        .create("tenant:acme", "plain", "plain")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    let context = || json!({"organization": {"name": "Acme"}, "people": []});
    let firm = || json!({"firm": {"name": "Acme"}, "people": []});
    load(&agent, &offer, "named", context()).await.expect(200);

    activate(&people.root, &renamed(2), true).await.expect(200);
    let failed = load(&agent, &offer, "named", context()).await;
    let failed = failed.expect_problem(422, "template-failed");
    for part in ["`named` at tenant:acme, revision 1", "Line 2"] {
        assert!(failed.detail().contains(part), "{}", failed.detail());
    }
    load(&agent, &offer, "other", firm()).await.expect(200);
    load(&agent, &offer, "other", context())
        .await
        .expect_problem(422, "invalid-context");
    agent.load(&offer, "plain").await.expect(200);
    // What is written from now on is of the new one.
    publish(
        &maria,
        "tenant:acme",
        "named",
        "One.\nOf {{organization.name}}.\n",
    )
    .await
    .expect_problem(422, "template-refused");

    // The one before has its old version, and may have it, because it was active before.
    let back = activate(&people.root, &built_in(1), false).await;
    let back = back.expect_problem(409, "schema-breaking");
    assert_eq!(back.body["failing"], json!([]), "{}", back.body);
    let back = activate(&people.root, &built_in(1), true).await.expect(200);
    assert_eq!(back.body["built_in"], true);
    load(&agent, &offer, "named", context()).await.expect(200);
    // And so may the other one; but no third with its version.
    activate(&people.root, &renamed(2), true).await.expect(200);
    assert_eq!(records(&people.root).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_means_one_schema() {
    let server = TestServer::start().await;
    let people = People::only_root(&server).await;
    for version in [0, 1] {
        let mut other = larger(version);
        other["description"] = "Another one.".into();
        let refused = activate(&people.root, &other, true).await;
        let refused = refused.expect_problem(422, "invalid-schema");
        assert_eq!(refused.body["faults"][0]["path"], "/x-version");
    }
    activate(&people.root, &larger(7), false).await.expect(200);
    for version in [2, 6, 7] {
        let refused = activate(&people.root, &renamed(version), true).await;
        let refused = refused.expect_problem(422, "invalid-schema");
        assert!(
            refused.detail().contains("version 8"),
            "{}",
            refused.detail()
        );
    }
    // Also once an older one is active again.
    activate(&people.root, &built_in(1), true).await.expect(200);
    activate(&people.root, &renamed(3), true)
        .await
        .expect_problem(422, "invalid-schema");
    activate(&people.root, &larger(7), false).await.expect(200);
    activate(&people.root, &renamed(8), true).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_again_is_unchanged_and_not_recorded() {
    let server = TestServer::start().await;
    let people = People::only_root(&server).await;
    let root = &people.root;
    let same = activate(root, &built_in(1), false).await.expect(200);
    assert_eq!(same.body["unchanged"], true);
    let active = root.get(SCHEMA).await.expect(200);
    assert!(active.text("activated_at").starts_with("2027-01-15T"));
    assert_eq!(records(root).await, Vec::<Value>::new());
    let first = activate(root, &larger(2), false).await.expect(200);
    server.advance(60);
    // The order of keys and white space make no other schema.
    let text = serde_json::to_string_pretty(&larger(2)).unwrap();
    let body = format!("{{\"accept_breaking\": false, \"schema\": {text}\n }}");
    let again = root
        .raw(
            hyper::Method::PUT,
            SCHEMA,
            &[("content-type", "application/json")],
            body.into_bytes(),
        )
        .await
        .expect(200);
    assert_eq!(again.body["unchanged"], true);
    assert_eq!(again.text("digest"), first.text("digest"));
    assert_eq!(again.body["changes"], json!([]));
    assert_eq!(records(root).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_precondition_changes_nothing() {
    let server = TestServer::start().await;
    let people = People::only_root(&server).await;
    let root = &people.root;
    let before = root.get(SCHEMA).await.expect(200).text("digest");
    let put = async |tag: &str, schema: Value| {
        let tag = format!("\"{tag}\"");
        let headers = [("if-match", tag.as_str())];
        root.send(
            hyper::Method::PUT,
            SCHEMA,
            &headers,
            Some(json!({"schema": schema})),
        )
        .await
    };
    put(&"0".repeat(64), larger(2))
        .await
        .expect_problem(412, "precondition-failed");
    assert_eq!(root.get(SCHEMA).await.expect(200).text("digest"), before);
    put(&before, larger(2)).await.expect(200);
    put(&before, larger(3))
        .await
        .expect_problem(412, "precondition-failed");
}

/// One record, in the log of the installation: who, which schema instead of which, how many templates fail, and why.
#[tokio::test(flavor = "multi_thread")]
async fn an_activation_is_recorded_with_its_numbers_and_no_text() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(
        &maria,
        "tenant:acme",
        "named",
        "Of {{organization.name}}.\n",
    )
    .await
    .expect(201);
    let before = people.root.get(SCHEMA).await.expect(200).text("digest");
    let made = activate(&people.root, &renamed(2), true).await.expect(200);
    let records = records(&people.root).await;
    let [record] = records.as_slice() else {
        panic!("{records:?}");
    };
    for (field, value) in [
        ("principal", json!("human:root")),
        ("target", json!("context-schema")),
        ("rule", json!("elevated-administrator")),
        ("before", json!(format!("sha256:{before}"))),
        ("after", json!(format!("sha256:{}", made.text("digest")))),
        (
            "detail",
            json!({"version": 2, "breaking": true, "checked": 1, "failing": 1, "reason": "a test"}),
        ),
    ] {
        assert_eq!(record[field], value, "{field}");
    }
    // The tenant's own log has nothing of it.
    let log = maria
        .get("/v1/audit?action=activate-schema")
        .await
        .expect(200);
    assert_eq!(log.body["items"], json!([]));
}

/// No version is so high that none comes after it.
#[tokio::test(flavor = "multi_thread")]
async fn a_version_leaves_room_for_others() {
    let server = TestServer::start().await;
    let people = People::only_root(&server).await;
    for version in [4_294_967_295, 1_000_002] {
        let refused = activate(&people.root, &larger(version), true).await;
        let refused = refused.expect_problem(422, "invalid-schema");
        assert!(
            refused.detail().contains("version 2"),
            "{}",
            refused.detail()
        );
    }
    activate(&people.root, &larger(1_000_001), true)
        .await
        .expect(200);
    activate(&people.root, &larger(1_000_002), true)
        .await
        .expect(200);
}
