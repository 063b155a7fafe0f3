//! `vestry schema`: showing, checking and activating what templates are written against.

use serde_json::{Value, json};

use super::Shell;
use super::import::put;
use crate::api::schemas::built_in;
use crate::harness::{PASSWORD, People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_is_shown_edited_checked_and_activated() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let body = json!({"description": "Use it.", "body": "One.\n{{organization.name}}\n", "templated": true});
    maria
        .send(
            hyper::Method::PUT,
            "/v1/skills/tenant:acme/named",
            &[("if-none-match", "*")],
            Some(body),
        )
        .await
        .expect(201);
    let root = Shell::at(&server);
    root.login("root").await;

    // What is shown is the document: it can be edited and sent back.
    let ran = root.run(&["schema", "show"]).await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("version 1") && ran.stderr.contains("the built-in one"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.text(), root.ok(&["schema", "show", "--built-in"]).await);
    let shown: Value = serde_json::from_str(&ran.text()).unwrap();
    assert_eq!(shown, built_in(1));
    assert_eq!(root.json(&["schema", "show"]).await["schema"], shown);
    assert_eq!(
        root.json(&["schema", "show", "--built-in"]).await["schema"],
        shown
    );
    let home = root.home.path();
    put(home, "same.json", ran.text());
    let text = root.ok(&["schema", "check", "same.json"]).await;
    assert!(text.contains("it is the active one already"), "{text}");

    // A breaking one is shown with what it breaks.
    let renamed = built_in(2).to_string().replace("organization", "firm");
    put(home, "breaking.json", &renamed);
    let ran = root.run(&["schema", "check", "breaking.json"]).await;
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for part in [
        "BREAKS",
        "removed",
        "organization",
        "tenant:acme/named",
        "unknown-field",
        "1 live templates checked, 1 fail",
        "--accept-breaking",
    ] {
        assert!(ran.text().contains(part), "{part}: {}", ran.text());
    }
    let sentence = root
        .run(&["schema", "activate", "breaking.json"])
        .await
        .sentence(1);
    assert!(
        sentence.contains("vestry elevate --scope global"),
        "{sentence}"
    );
    root.elevate("global").await;
    let ran = root.run(&["schema", "activate", "breaking.json"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.text().contains("tenant:acme/named"), "{}", ran.text());
    assert!(ran.stderr.contains("--accept-breaking"), "{}", ran.stderr);
    let ran = root
        .run(&["schema", "activate", "breaking.json", "--json"])
        .await;
    assert_eq!(
        (ran.code, &ran.json()["code"]),
        (1, &json!("schema-breaking"))
    );

    // One that is additive goes through, and is what is shown then.
    let mut larger = built_in(2);
    larger["properties"]["task"]["properties"]["effort"] = json!({
        "description": "How much work it is.", "type": ["string", "null"], "maxLength": 40,
        "examples": ["two days"],
    });
    put(home, "larger.json", larger.to_string());
    let text = root
        .ok(&["schema", "activate", "larger.json", "--reason", "efforts"])
        .await;
    for part in ["task.effort", "none breaking", "it is active now"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let ran = root.run(&["schema", "show"]).await;
    assert!(
        ran.stderr
            .contains("one of its own, activated at 2027-01-15T"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.text(), format!("{larger}\n"));
    put(
        home,
        "renamed.json",
        built_in(3).to_string().replace("organization", "firm"),
    );
    let accepted = root
        .json(&["schema", "activate", "renamed.json", "--accept-breaking"])
        .await;
    assert_eq!(accepted["failing"][0]["name"], "named");
    let log = root
        .json(&[
            "audit",
            "list",
            "--log",
            "global",
            "--action",
            "activate-schema",
        ])
        .await;
    let reasons: Vec<&Value> = log["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|record| record["verdict"] == "allow" && record["principal"] != "system")
        .map(|record| &record["detail"]["reason"])
        .collect();
    assert_eq!(reasons, [&json!("efforts"), &Value::Null]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_schema_is_refused_with_every_fault() {
    let server = TestServer::start().await;
    server.make_admin("root", PASSWORD).await;
    let root = Shell::at(&server);
    root.login("root").await;
    root.elevate("global").await;
    let home = root.home.path();
    let mut faulty = built_in(2);
    faulty["properties"]["a"] = json!({});
    faulty["properties"]["b"] = json!({});
    put(home, "faulty.json", faulty.to_string());
    put(home, "text.json", "no JSON");
    for command in ["check", "activate"] {
        let ran = root.run(&["schema", command, "faulty.json"]).await;
        assert_eq!(ran.code, 1);
        for part in ["/properties/a", "/properties/b"] {
            assert!(ran.text().contains(part), "{part}: {}", ran.text());
        }
        let sentence = root
            .run(&["schema", command, "text.json"])
            .await
            .sentence(1);
        assert!(sentence.contains("is not JSON"), "{sentence}");
        let sentence = root
            .run(&["schema", command, "none.json"])
            .await
            .sentence(1);
        assert!(sentence.contains("cannot read"), "{sentence}");
        assert_eq!(root.run(&["schema", command]).await.code, 2);
    }
}
