//! The rules of content (threats 3 and 6).

use serde_json::{Value, json};

use super::put;
use crate::harness::{People, Response, TestServer};

const PATH: &str = "/v1/skills/actor:tom/it";

async fn check(tom: &crate::harness::Client, body: &Value) -> Response {
    tom.post(&format!("{PATH}/check"), body.clone()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn content_outside_the_rules_is_refused_with_its_place() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let valid = json!({"description": "Use it.", "body": "Do it.\n"});
    check(&tom, &valid).await.expect(200);
    let long = "x".repeat(1025);
    let mut cases: Vec<(&str, Value, &str)> = vec![
        ("description", json!(""), "1 to 1024"),
        ("description", json!(" padded"), "white space"),
        ("description", json!("padded "), "white space"),
        ("description", json!(long), "1 to 1024"),
        ("description", json!("a\u{200b}b"), "U+200B"),
        ("description", json!("e\u{301}"), "Form C"),
        ("description", json!("a\tb\u{7}"), "U+0007"),
        ("body", json!(""), "empty"),
        ("body", json!(" \n\t\n"), "empty"),
        ("body", json!("a\rb"), "U+000D"),
        (
            "body",
            json!("line\nhidden \u{e0041}\u{e0042}"),
            "line 2, column 8",
        ),
        ("body", json!("A\u{30a}"), "Form C"),
        ("message", json!("two\nlines"), "line break"),
        ("message", json!("x".repeat(501)), "500"),
        ("frontmatter", json!({"name": "other"}), "name"),
        ("frontmatter", json!({"name": 1}), "name"),
        (
            "frontmatter",
            json!({"description": "Use another."}),
            "description",
        ),
        ("frontmatter", json!({"a\nb": 1}), "line break"),
        ("frontmatter", json!({"a": {"b": ["\u{202e}"]}}), "U+202E"),
        ("frontmatter", json!({"a": {"\u{200b}": 1}}), "U+200B"),
    ];
    for hidden in [
        '\u{0}',
        '\u{1b}',
        '\u{7f}',
        '\u{9b}',
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{115f}',
        '\u{1160}',
        '\u{17b4}',
        '\u{180e}',
        '\u{200b}',
        '\u{200c}',
        '\u{200e}',
        '\u{200f}',
        '\u{2028}',
        '\u{2029}',
        '\u{202a}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{2069}',
        '\u{3164}',
        '\u{fe00}',
        '\u{fe0f}',
        '\u{feff}',
        '\u{ffa0}',
        '\u{fff9}',
        '\u{e000}',
        '\u{fdd0}',
        '\u{ffff}',
        '\u{1d173}',
        '\u{e0001}',
        '\u{e0020}',
        '\u{e007f}',
        '\u{e0100}',
        '\u{e01ef}',
        '\u{f0000}',
        '\u{10fffd}',
    ] {
        cases.push((
            "body",
            json!(format!("ok\nab{hidden}c")),
            "line 2, column 3",
        ));
    }
    for (field, value, says) in cases {
        let mut body = valid.clone();
        body[field] = value;
        for refused in [
            check(&tom, &body).await,
            put(&tom, PATH, &[("if-none-match", "*")], body.clone()).await,
        ] {
            let refused = refused.expect_problem(422, "invalid-content");
            assert_eq!(refused.body["field"], field, "{body}");
            assert!(
                refused.detail().contains(says),
                "{} does not say `{says}`",
                refused.detail()
            );
        }
    }
    tom.get(PATH).await.expect_problem(404, "not-found");
    for allowed in [
        "\u{2764}\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
        "\u{4e2d}\u{6587}",
        "\u{645}\u{631}",
        "a\tb\r\nc",
    ] {
        let mut body = valid.clone();
        body["body"] = allowed.into();
        check(&tom, &body).await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_the_frontmatter_is_there_once() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    for frontmatter in [
        r#"{"a":1,"a":2}"#,
        r#"{"a":{"b":1,"b":1}}"#,
        r#"{"a":[{"b":1,"\u0062":1}]}"#,
        "[]",
        "null",
        "[[\"a\",1]]",
    ] {
        let text = format!(r#"{{"description":"Use it.","body":"x","frontmatter":{frontmatter}}}"#);
        let headers = [("if-none-match", "*"), ("content-type", "application/json")];
        let refused = tom
            .raw(hyper::Method::PUT, PATH, &headers, text.into())
            .await;
        refused.expect_problem(400, "malformed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_is_a_template_only_if_it_says_so() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    for (templated, metadata, expected) in [
        (None, None, Ok(false)),
        (Some(true), None, Ok(true)),
        (Some(false), None, Ok(false)),
        (None, Some(json!("true")), Ok(true)),
        (Some(true), Some(json!("true")), Ok(true)),
        (None, Some(json!("false")), Ok(false)),
        (None, Some(json!(true)), Ok(true)),
        (Some(true), Some(json!("false")), Err("templated")),
        (Some(true), Some(json!("yes")), Err("templated")),
        (None, Some(json!("yes")), Err("frontmatter")),
    ] {
        let mut body = json!({"description": "Use it.", "body": format!("{{{{organization.name}}}} {templated:?} {metadata:?}")});
        if let Some(templated) = templated {
            body["templated"] = templated.into();
        }
        if let Some(metadata) = &metadata {
            body["frontmatter"] = json!({"metadata": {"templated": metadata}});
        }
        let name = format!("t-{}", body["body"].to_string().len());
        let path = format!("/v1/skills/actor:tom/{name}");
        let exists = tom.get(&path).await.status == 200;
        let headers = if exists {
            [("if-match", "*")]
        } else {
            [("if-none-match", "*")]
        };
        let made = put(&tom, &path, &headers, body).await;
        match expected {
            Ok(templated) => {
                assert!(made.status.is_success(), "{}", made.body);
                assert_eq!(
                    tom.get(&path).await.expect(200).body["templated"],
                    templated
                );
            }
            Err(field) => assert_eq!(
                made.expect_problem(422, "invalid-content").body["field"],
                field
            ),
        }
    }
    let body = json!({"description": "Use it.", "body": "x", "templated": true, "frontmatter": {"metadata": 1}});
    check(&tom, &body)
        .await
        .expect_problem(422, "invalid-content");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_has_a_size() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    // Just within: the largest text that a body of 1 MiB carries.
    let body = json!({"description": "Use it.", "body": "x".repeat((1 << 20) - 60)});
    put(&tom, PATH, &[("if-none-match", "*")], body)
        .await
        .expect(201);
    let body = json!({"description": "Use it.", "body": "x".repeat((1 << 20) - 10)});
    put(&tom, PATH, &[("if-match", "*")], body)
        .await
        .expect_problem(413, "too-large");
    // The frontmatter counts too: what JSON sends in one byte may be more in the SKILL.md.
    let read = tom.get(PATH).await.expect(200);
    assert_eq!(read.text("body").len(), (1 << 20) - 60);
}
