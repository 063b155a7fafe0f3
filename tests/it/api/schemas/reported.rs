//! What is said of a schema before it is activated, and to whom.

use serde_json::json;

use super::{PAIRS, SCHEMA, activate, crowded, failing, larger, publish, records, renamed};
use crate::harness::{Builder, Directory, People, TestServer};

const CHECK: &str = "/v1/context-schema/check";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_breaking_is_refused_with_what_it_breaks() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let greta = people.elevated("greta", "tenant:globex").await;
    let named = "One.\nOf {{organization.name}}.\n";
    publish(&maria, "tenant:acme", "first", named)
        .await
        .expect(201);
    publish(&maria, "tenant:acme", "fine", "{{len people}}\n")
        .await
        .expect(201);
    publish(&greta, "tenant:globex", "second", named)
        .await
        .expect(201);
    publish(&people.root, "global", "third", named)
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    publish(&agent, "actor:tom", "own", named).await.expect(201);
    // What is disabled comes back as it is; what is archived does not, and what was before does not load any more.
    publish(&maria, "tenant:acme", "off", named)
        .await
        .expect(201);
    maria
        .verb("tenant:acme", "off", "disable")
        .await
        .expect(200);
    publish(&maria, "tenant:acme", "gone", named)
        .await
        .expect(201);
    maria
        .send(
            hyper::Method::DELETE,
            "/v1/skills/tenant:acme/gone",
            &[("if-match", "*")],
            None,
        )
        .await
        .expect(200);
    publish(&maria, "tenant:acme", "mended", named)
        .await
        .expect(201);
    publish(&maria, "tenant:acme", "mended", "x\n")
        .await
        .expect(200);

    let expected = [
        "- global/third r1 2 unknown-field",
        "acme tenant:acme/first r1 2 unknown-field",
        "acme tenant:acme/off r1 2 unknown-field",
        "acme actor:tom/own r1 2 unknown-field",
        "globex tenant:globex/second r1 2 unknown-field",
    ];
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all
    };
    let expected = sorted(expected.map(str::to_owned).to_vec());
    let refused = activate(&people.root, &renamed(2), false).await;
    let refused = refused.expect_problem(409, "schema-breaking");
    assert_eq!(sorted(failing(&refused)), expected);
    let changes = refused.body["changes"].as_array().unwrap();
    assert!(
        changes
            .iter()
            .any(|change| change["path"] == "organization" && change["breaking"] == true),
        "{changes:?}"
    );
    // Of the text of a tenant nothing is told, which no administrator may read; of a global one, what is wrong.
    for one in refused.body["failing"].as_array().unwrap() {
        let sentence = one["sentence"].as_str().unwrap();
        assert_eq!(
            sentence.contains("organization"),
            one["scope"] == "global",
            "{sentence}"
        );
    }
    // Nothing has happened.
    assert_eq!(
        people.root.get(SCHEMA).await.expect(200).body["built_in"],
        true
    );
    assert!(records(&people.root).await.is_empty());

    // A check says the same, and asks for nothing.
    let checked = people
        .root
        .post(CHECK, json!({"schema": renamed(2)}))
        .await
        .expect(200);
    assert_eq!(sorted(failing(&checked)), expected);
    assert_eq!(checked.body["changes"], refused.body["changes"]);
    for (field, value) in [
        ("checked", json!(7)),
        ("failing_count", json!(5)),
        ("additive", json!(false)),
        ("needs_acceptance", json!(true)),
        ("unchanged", json!(false)),
    ] {
        assert_eq!(checked.body[field], value, "{field}");
    }
    assert_eq!(
        people.root.get(SCHEMA).await.expect(200).body["built_in"],
        true
    );
    let accepted = activate(&people.root, &renamed(2), true).await.expect(200);
    assert_eq!(sorted(failing(&accepted)), expected);
}

/// A raised maximum takes nothing away, and a loop may cost too much by it.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_additive_needs_to_be_accepted_too_where_a_template_fails() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(&maria, "tenant:acme", "pairs", PAIRS)
        .await
        .expect(201);
    let refused = activate(&people.root, &crowded(2), false).await;
    let refused = refused.expect_problem(409, "schema-breaking");
    let named = failing(&refused);
    assert_eq!(named.len(), 1, "{named:?}");
    assert!(
        named[0].starts_with("acme tenant:acme/pairs r1 "),
        "{named:?}"
    );
    for change in refused.body["changes"].as_array().unwrap() {
        assert_eq!(change["breaking"], false);
    }
    let accepted = activate(&people.root, &crowded(2), true).await.expect(200);
    assert_eq!(accepted.body["additive"], true);
    assert_eq!(accepted.body["needs_acceptance"], true);
}

/// Read-only sources list templates too.
#[tokio::test(flavor = "multi_thread")]
async fn templates_of_sources_are_checked_too() {
    let folder = Directory::new();
    let skill = folder.path().join("mounted");
    std::fs::create_dir_all(&skill).unwrap();
    let text = "---\nname: mounted\ndescription: Use it.\nmetadata:\n  templated: \"true\"\n---\nOf {{organization.name}}.\n";
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
    let server = Builder {
        sources: vec![vestry::store::SourceSpec {
            directory: folder.path().to_owned(),
            scope: vestry_policies::Scope::Global,
            order: vestry::store::SourceOrder::After,
        }],
        ..Builder::default()
    }
    .start()
    .await;
    let people = People::only_root(&server).await;
    let refused = activate(&people.root, &renamed(2), false).await;
    let refused = refused.expect_problem(409, "schema-breaking");
    assert_eq!(failing(&refused), ["- global/mounted r0 1 unknown-field"]);
}

/// The right is asked for before anything is read, so that nobody learns of other tenants by what is wrong with a schema.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_not_is_told_that_and_nothing_else() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let service = people.service("acme").await;
    let plain = crate::harness::login(&server.client(), "root", None).await;
    for schema in [json!({}), larger(2), renamed(2)] {
        for (client, rule) in [
            (&maria, "needs-role"),
            (&agent, "humans-only"),
            (&service, "humans-only"),
            (&plain, "needs-elevation"),
        ] {
            let refused = activate(client, &schema, true).await.expect(403);
            assert_eq!(refused.rule(), rule);
            let checked = client.post(CHECK, json!({"schema": schema})).await;
            if rule == "needs-elevation" {
                // Who administers may ask without stepping up.
                assert_ne!(checked.status, 403);
            } else {
                assert_eq!(checked.expect(403).rule(), rule);
            }
        }
    }
    assert!(records(&people.root).await.is_empty());
}
