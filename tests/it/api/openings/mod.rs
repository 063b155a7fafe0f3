//! Openings: what a run begins with, the same when asked again, and nothing half-rendered (design §4.1; invariant 22).

mod bounds;
mod built_in;
mod parts;
mod recalls;
mod turns;

use hyper::Method;
use serde_json::{Value, json};

use crate::harness::{Client, People, Response, TestServer, context};

/// A server with an elevated publisher of acme, and an agent for tom.
async fn begin() -> (TestServer, People, Client, Client) {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    (server, people, maria, agent)
}

/// Publishes an ambient skill.
async fn ambient(client: &Client, scope: &str, name: &str, body: &str) -> Response {
    let content = json!({
        "description": format!("Says {name}."), "body": body, "mode": "ambient", "templated": body.contains("{{"),
    });
    let path = format!("/v1/skills/{scope}/{name}");
    let headers = [("if-match", "*")];
    let exists = client.get(&path).await.status == 200;
    let headers = if exists {
        headers
    } else {
        [("if-none-match", "*")]
    };
    client
        .send(Method::PUT, &path, &headers, Some(content))
        .await
        .expect_one_of(&[200, 201])
}

/// Opens a run of the sample `task-start`, with what else the request has.
async fn open(client: &Client, more: Value) -> Response {
    let mut body = json!({"context": context("task-start")});
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    client.post("/v1/openings", body).await
}

/// The names of the parts, a role's as `role:support`.
fn parts(opening: &Response) -> Vec<String> {
    let parts = opening.body["parts"].as_array().unwrap();
    let names = parts.iter().map(|part| {
        let name = part["name"].as_str().unwrap();
        match part["kind"].as_str().unwrap() {
            "role-instruction" => format!("role:{name}"),
            _ => name.to_owned(),
        }
    });
    names.collect()
}
