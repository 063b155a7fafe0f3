//! MCP (design §8): what is served is what the caller was offered, over every revision of the protocol, to every host.

mod boundary;
mod clients;
mod directories;
mod files;
mod listed;
mod protocol;
mod rules;
pub(crate) mod speaker;
mod stdio;
mod templates;
mod tools;
mod turns;

use serde_json::{Value, json};

use crate::harness::{Client, People, TestServer};
use speaker::Speaker;

/// A server, its people, an elevated publisher of acme, and what an agent for tom speaks with.
async fn begin() -> (TestServer, People, Client, Speaker) {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    (server, people, maria, Speaker::new(&agent))
}

/// Publishes a skill with files.
async fn with_files(client: &Client, scope: &str, name: &str, files: Value) {
    let body = json!({
        "description": format!("Use for {name}."), "body": format!("See the files of {name}.\n"), "files": files,
    });
    let path = format!("/v1/skills/{scope}/{name}");
    client
        .send(
            hyper::Method::PUT,
            &path,
            &[("if-none-match", "*")],
            Some(body),
        )
        .await
        .expect(201);
}

/// Publishes a SKILL.md as it is.
async fn skill_md(client: &Client, scope: &str, name: &str, text: &str) {
    let headers = [("if-none-match", "*"), ("content-type", "text/markdown")];
    let path = format!("/v1/skills/{scope}/{name}");
    client
        .raw(
            hyper::Method::PUT,
            &path,
            &headers,
            text.as_bytes().to_vec(),
        )
        .await
        .expect(201);
}
