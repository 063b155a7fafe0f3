//! Activating context schemas: who may, what it says, what it changes in a running server, and what stays.

mod activated;
mod hostile;
mod races;
mod reported;

pub(crate) use races::Gate;

use serde_json::{Value, json};
use vestry::template::schema::Schema;

use crate::harness::{Client, Response};

/// The built-in context schema with another version.
pub(crate) fn built_in(version: u64) -> Value {
    let mut schema: Value = serde_json::from_str(Schema::built_in().text()).unwrap();
    schema["x-version"] = version.into();
    schema
}

/// One that is short enough for the documentation: an organization and its skills, and one situation.
pub(crate) fn small(version: u64) -> Value {
    let whole = built_in(version);
    let (organization, skills) = (
        &whole["properties"]["organization"],
        &whole["properties"]["skills"],
    );
    json!({
        "$schema": whole["$schema"], "title": "A small host", "description": "The data of a run.",
        "x-version": version, "type": "object", "additionalProperties": false,
        "required": ["organization", "skills"],
        "properties": {"organization": organization, "skills": skills},
        "x-situations": {"task-start": {"description": "A run begins."}},
    })
}

/// One that calls the organization otherwise.
pub(crate) fn renamed(version: u64) -> Value {
    let text = built_in(version).to_string();
    serde_json::from_str(&text.replace("organization", "firm")).unwrap()
}

/// One with a further field of tasks.
fn larger(version: u64) -> Value {
    let mut schema = built_in(version);
    schema["properties"]["task"]["properties"]["effort"] = json!({
        "description": "How much work it is; null where nobody said.",
        "type": ["string", "null"], "maxLength": 40, "examples": ["two days"],
    });
    schema
}

/// One that is additive, and under which [`PAIRS`] takes too many steps.
fn crowded(version: u64) -> Value {
    let mut schema = built_in(version);
    schema["properties"]["people"]["maxItems"] = 1_000.into();
    schema
}

/// A template whose steps are the square of the people.
const PAIRS: &str =
    "Pairs.\n{{#each people as |p|}}{{#each @root.people as |q|}}{{q.name}}{{/each}}{{/each}}\n";

pub(crate) const SCHEMA: &str = "/v1/context-schema";

pub(crate) async fn activate(client: &Client, schema: &Value, accept_breaking: bool) -> Response {
    let body = json!({"schema": schema, "accept_breaking": accept_breaking, "reason": "a test"});
    client.put(SCHEMA, body).await
}

/// Publishes a template, whatever is there.
pub(crate) async fn publish(client: &Client, scope: &str, name: &str, body: &str) -> Response {
    let path = format!("/v1/skills/{scope}/{name}");
    let body = json!({"description": "Use when it starts.", "body": body, "templated": true});
    let there = client.get(&path).await.status == 200;
    let headers = if there {
        ("if-match", "*")
    } else {
        ("if-none-match", "*")
    };
    client
        .send(hyper::Method::PUT, &path, &[headers], Some(body))
        .await
}

/// The records of activations in the log of the installation, oldest first.
async fn records(root: &Client) -> Vec<Value> {
    let log = root
        .get("/v1/audit?log=global&action=activate-schema&limit=200")
        .await
        .expect(200);
    let items = log.body["items"].as_array().unwrap();
    items
        .iter()
        .filter(|record| record["verdict"] == "allow")
        // The first start of the server activated the built-in one.
        .filter(|record| record["principal"] != "system")
        .cloned()
        .collect()
}

/// Where templates fail, as `tenant scope/name rREVISION line code`.
fn failing(answer: &Response) -> Vec<String> {
    let failing = answer.body["failing"].as_array().unwrap();
    failing
        .iter()
        .map(|one| {
            format!(
                "{} {}/{} r{} {} {}",
                one["tenant"].as_str().unwrap_or("-"),
                one["scope"].as_str().unwrap(),
                one["name"].as_str().unwrap(),
                one["revision"],
                one["line"],
                one["code"].as_str().unwrap()
            )
        })
        .collect()
}
