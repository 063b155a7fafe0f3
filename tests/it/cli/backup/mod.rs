//! Backing up, restoring, and verifying a database whole.

mod answers;
mod damage;
mod killed;
mod load;
mod moved;
mod refusals;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Ran, Shell};
use crate::api::files::{bundle, publish, upload};
use crate::harness::{Client, Directory, People, TestServer, context};

/// Why the backups of a whole run on PostgreSQL are no subject of these tests.
const FILE: &str = "`vestry backup` copies the file of SQLite, and `vestry restore` makes one";

/// People with a bit of everything that is kept: revisions with files, recalls, proposals, turns, loads, openings, settings.
async fn grown(server: &TestServer) -> (People, Client) {
    let mut people = People::usual(server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let large = vec![0xfe; 70_000];
    upload(&maria, &large).await.expect(201);
    for text in ["first", "second", "third"] {
        let files = json!([
            {"path": "notes.md", "text": format!("Notes of the {text}.")},
            {"path": "bin/large", "digest": crate::api::files::digest(&large)},
        ]);
        let put = publish(&maria, "tenant:acme", "refunds", bundle(text, files)).await;
        put.expect_one_of(&[200, 201]);
    }
    for name in ["alpha", "beta"] {
        people.root.create("global", name, name).await.expect(201);
    }
    maria
        .verb("tenant:acme", "refunds", "quarantine")
        .await
        .expect(200);
    people
        .root
        .create("global", "gamma", "gamma")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let files = json!([{"path": "a", "text": "proposed"}]);
    let proposal = json!({
        "scope": "tenant:acme", "name": "ideas", "description": "Use when proposed.", "body": "Do it.\n",
        "rationale": "It helps.", "files": files,
    });
    agent.post("/v1/proposals", proposal).await.expect(201);
    let offered = agent.turn("t-1").await.expect(200);
    let load = json!({"offer": offered.text("offer"), "name": "alpha"});
    agent.post("/v1/load", load).await.expect(200);
    let open = json!({"context": context("task-start"), "turn": "t-2"});
    agent.post("/v1/openings", open).await.expect(200);
    (people, agent)
}

/// A data directory that is not there yet, in one that goes away with the test.
struct Place {
    around: Directory,
}

impl Place {
    fn new() -> Self {
        Self {
            around: Directory::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        text(&self.path(name))
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The names in a directory.
fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

impl Shell {
    /// Somebody who asks no server.
    fn alone() -> Self {
        Self::of("http://127.0.0.1:1".to_owned())
    }

    async fn backup(&self, data: &Path, file: &str) -> Value {
        self.json(&["backup", file, "--data", &text(data)]).await
    }
}

impl Ran {
    /// What was checked, by the name of the part.
    fn part(&self, name: &str) -> Value {
        let answer = self.json();
        let parts = answer["parts"].as_array().unwrap();
        parts
            .iter()
            .find(|part| part["part"] == name)
            .unwrap_or_else(|| panic!("no part {name}: {answer}"))
            .clone()
    }
}
