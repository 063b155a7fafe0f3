//! Skills for everybody, at the well-known paths: which they are, what is read of them, and that installers can.

mod answers;
mod install;
mod members;

use std::collections::BTreeMap;

use hyper::Method;
use serde_json::{Value, json};

use crate::api::files::{bundle, publish};
use crate::harness::{Client, People, Response, TestServer};

const INDEX: &str = "/.well-known/agent-skills/index.json";
const LEGACY: &str = "/.well-known/skills/index.json";

/// The names that an index lists.
async fn names(anyone: &Client, index: &str) -> Vec<String> {
    let answer = anyone.get(index).await.expect(200);
    answer.body["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Files of all kinds, for a skill that has some.
fn files() -> Value {
    json!([
        {"path": "scripts/run.sh", "text": "#!/bin/sh\necho ok\n"},
        {"path": "references/deep/er/notes.md", "text": "# Notes\n"},
        {"path": "assets/two words.txt", "text": "two words\n"},
        {"path": "assets/logo.bin", "base64": "AP+AAQ=="},
        {"path": "empty", "text": ""},
    ])
}

/// A server with a skill that is a SKILL.md alone and one that has files.
async fn published() -> (TestServer, People) {
    let server = TestServer::start().await;
    let people = People::only_root(&server).await;
    let root = &people.root;
    root.create("global", "plain", "plain").await.expect(201);
    publish(root, "global", "tools", bundle("tools", files()))
        .await
        .expect(201);
    (server, people)
}

/// The files that a skill was published with, by path.
fn expected(skill_md: &Response) -> BTreeMap<String, Vec<u8>> {
    use base64::Engine as _;
    let mut expected = BTreeMap::from([("SKILL.md".to_owned(), skill_md.bytes.to_vec())]);
    for file in files().as_array().unwrap() {
        let bytes = match file["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => base64::engine::general_purpose::STANDARD
                .decode(file["base64"].as_str().unwrap())
                .unwrap(),
        };
        expected.insert(file["path"].as_str().unwrap().to_owned(), bytes);
    }
    expected
}

/// The SKILL.md of a global skill, as its publisher reads it.
async fn skill_md(root: &Client, name: &str) -> Response {
    let path = format!("/v1/skills/global/{name}");
    root.send(Method::GET, &path, &[("accept", "text/markdown")], None)
        .await
        .expect(200)
}
