//! Documents that are no schemas, and those that would like to cost something.

use std::time::Instant;

use hyper::Method;
use serde_json::{Value, json};

use super::{SCHEMA, built_in, records};
use crate::harness::{Client, People, Response, TestServer};

async fn put(root: &Client, schema: &str) -> Response {
    let body = format!("{{\"schema\": {schema}, \"accept_breaking\": true}}");
    root.raw(
        Method::PUT,
        SCHEMA,
        &[("content-type", "application/json")],
        body.into_bytes(),
    )
    .await
}

fn with(change: impl FnOnce(&mut Value)) -> String {
    let mut schema = built_in(2);
    change(&mut schema);
    schema.to_string()
}

/// A text field.
fn text() -> Value {
    json!({"description": "A text.", "type": "string", "maxLength": 10, "examples": ["x"]})
}

/// Definitions of which each refers to the next twice.
fn doubling(schema: &mut Value) {
    let levels = 30;
    for level in 0..levels {
        let next = if level + 1 == levels {
            text()
        } else {
            json!({"$ref": format!("#/$defs/d{}", level + 1), "description": "More."})
        };
        schema["$defs"][format!("d{level}")] = json!({
            "type": "object", "additionalProperties": false, "required": ["a", "b"],
            "description": "Two.", "properties": {"a": next, "b": next},
        });
    }
    schema["properties"]["big"] = json!({"$ref": "#/$defs/d0", "description": "Big."});
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_schema_is_refused_in_little_time() {
    let server = TestServer::start().await;
    let people = People::only_root(&server).await;
    let root = &people.root;
    let many_fields = with(|schema| {
        for number in 0..600 {
            schema["properties"][format!("field_{number}")] = text();
        }
    });
    let recursive = with(|schema| {
        schema["$defs"]["loop"] = json!({
            "type": "object", "additionalProperties": false, "required": [], "description": "A loop.",
            "properties": {"again": {"$ref": "#/$defs/loop", "description": "Again."}},
        });
        schema["properties"]["again"] = json!({"$ref": "#/$defs/loop", "description": "Again."});
    });
    let nested = |levels: usize| {
        let mut field = text();
        for _ in 0..levels {
            field = json!({
                "type": "object", "additionalProperties": false, "required": [], "description": "One.",
                "properties": {"in": field},
            });
        }
        with(|schema| schema["properties"]["deep"] = field)
    };
    let raw_depth = format!("{{\"a\": {}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let twice = built_in(2)
        .to_string()
        .replacen('{', "{\"x-version\": 3,", 1);
    let long = with(|schema| schema["description"] = "x".repeat(300_000).into());
    let helper = with(|schema| schema["properties"]["len"] = text());
    let unknown = with(|schema| schema["allOf"] = json!([]));
    let faulty = with(|schema| {
        for number in 0..300 {
            schema["properties"][format!("f{number}")] = json!({});
        }
    });
    for (what, schema) in [
        ("nothing", "{}".to_owned()),
        ("600 fields", many_fields),
        ("a loop", recursive),
        ("12 levels", nested(12)),
        ("100 levels", nested(35)),
        ("50,000 levels of text", raw_depth),
        ("a key twice", twice),
        ("300 kB", long),
        ("doubling", with(doubling)),
        ("a helper's name", helper),
        ("an unknown key", unknown),
        ("300 faults", faulty),
        (
            "no situations",
            with(|schema| schema["x-situations"] = json!({})),
        ),
        (
            "a version that is a text",
            with(|schema| schema["x-version"] = "2".into()),
        ),
        (
            "a version below one",
            with(|schema| schema["x-version"] = (-1).into()),
        ),
        (
            "a huge version",
            with(|schema| schema["x-version"] = json!(u64::MAX)),
        ),
    ] {
        let begin = Instant::now();
        let refused = put(root, &schema).await;
        let refused = refused.expect_problem(422, "invalid-schema");
        let faults = refused.body["faults"].as_array().unwrap();
        assert!(
            (1..=100).contains(&faults.len()),
            "{what}: {}",
            faults.len()
        );
        assert!(refused.bytes.len() < 100_000, "{what}");
        // Far more than any takes, and far less than one that is not bounded would.
        assert!(begin.elapsed().as_secs() < 10, "{what}");
    }
    let all = put(
        root,
        &with(|schema| {
            schema["properties"]["a"] = json!({});
            schema["properties"]["b"] = json!({});
        }),
    )
    .await
    .expect_problem(422, "invalid-schema");
    let text = all.body["faults"].to_string();
    assert!(
        text.contains("/properties/a") && text.contains("/properties/b"),
        "{text}"
    );
    assert!(records(root).await.is_empty());
    // Through the check it is the same.
    root.post("/v1/context-schema/check", json!({"schema": {}}))
        .await
        .expect_problem(422, "invalid-schema");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_none_is_malformed() {
    let server = TestServer::start().await;
    let people = People::only_root(&server).await;
    let root = &people.root;
    for schema in ["null", "1", "\"x\"", "[]", "true"] {
        put(root, schema).await.expect_problem(400, "malformed");
    }
    for body in [
        json!({}),
        json!({"schema": built_in(2), "accept_breaking": "yes"}),
        json!({"schema": built_in(2), "accept_breaking": null}),
        json!({"schema": built_in(2), "reason": null}),
        json!({"schema": built_in(2), "force": true}),
    ] {
        root.put(SCHEMA, body)
            .await
            .expect_problem(400, "malformed");
    }
    for reason in ["", "two\nlines", &"x".repeat(501)] {
        let body = json!({"schema": built_in(2), "reason": reason});
        root.put(SCHEMA, body)
            .await
            .expect_problem(422, "invalid-content");
    }
    let large = format!("{{\"description\": \"{}\"}}", "x".repeat(2 << 20));
    put(root, &large).await.expect_problem(413, "too-large");
}
