//! Templates over HTTP: refused when they could fail, rendered when they are loaded (invariant 22), and nothing kept.

mod loaded;
mod reference;
mod written;

use super::schemas::renamed;
use crate::harness::{Client, People, Response, TestServer};
use hyper::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn template(body: &str) -> Value {
    json!({"description": "Use when it starts.", "body": body, "templated": true})
}

async fn publish(client: &Client, name: &str, body: Value) -> Response {
    let path = format!("/v1/skills/tenant:acme/{name}");
    let new = [("if-none-match", "*")];
    client.send(Method::PUT, &path, &new, Some(body)).await
}

fn sha256(text: &str) -> String {
    let hex: String = Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("sha256:{hex}")
}

/// A server with an elevated publisher, and an agent with the offer of a turn.
async fn begin(skills: &[(&str, &str)]) -> (TestServer, People, Client, String) {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for (name, body) in skills {
        publish(&maria, name, template(body)).await.expect(201);
    }
    let agent = people.agent("acme", "tom", "bot").await;
    let turn = agent.post("/v1/catalog", json!({"turn": "t-1"})).await;
    let offer = turn.expect(200).text("offer");
    (server, people, agent, offer)
}

async fn load(agent: &Client, offer: &str, more: Value) -> Response {
    let mut body = json!({"offer": offer, "name": "begin"});
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    agent.post("/v1/load", body).await
}

/// Makes a schema the active one that calls the organization otherwise.
pub(crate) async fn rename_organization(people: &People) {
    let body = json!({"schema": renamed(2), "accept_breaking": true});
    people
        .root
        .put("/v1/context-schema", body)
        .await
        .expect(200);
}
