//! The clients for agent loops, each in its own language against a running server, and the loops that use them.

mod documentation;
mod lines;
mod loops;
mod prompts;
mod python;
mod rust;
mod typescript;

pub(crate) use typescript::node;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use hyper::Method;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

use crate::harness::{Client, People, TestServer, context};

/// How long a script may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// A directory of the examples.
pub(crate) fn examples(below: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(below)
}

/// A server with skills, an agent that a script acts as, and a publisher for what it needs done.
struct Stage {
    server: TestServer,
    agent: Client,
    publisher: Client,
}

impl Stage {
    async fn set() -> Self {
        let server = TestServer::start().await;
        let mut people = People::usual(&server).await;
        let publisher = people.elevated("maria", "tenant:acme").await;
        let agent = people.agent("acme", "tom", "bot").await;
        people
            .root
            .create("global", "refunds", "globally")
            .await
            .expect(201);
        let mia = people.human("mia").await;
        mia.create("actor:mia", "payroll", "payroll")
            .await
            .expect(201);
        let skills = [
            ("refunds", json!({"body": "Do at acme.\n"})),
            ("changing", json!({"body": "Old.\n"})),
            ("recalled", json!({"body": "Once.\n"})),
            (
                "greeting",
                json!({"body": "For {{organization.name}}.\n", "templated": true}),
            ),
            ("tone", json!({"body": "Be brief.\n", "mode": "ambient"})),
            (
                "with-files",
                json!({"body": "Read steps.md.\n", "files": [
                    {"path": "steps.md", "text": "First this.\n"}, {"path": "logo.bin", "base64": "//4="},
                ]}),
            ),
        ];
        for (name, mut content) in skills {
            content["description"] = format!("Use when it is about {name}.").into();
            let path = format!("/v1/skills/tenant:acme/{name}");
            let headers = [("if-none-match", "*")];
            publisher
                .send(Method::PUT, &path, &headers, Some(content))
                .await
                .expect(201);
        }
        Self {
            server,
            agent,
            publisher,
        }
    }

    /// The server's URL.
    fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// Runs a script that has to succeed, does what it asks for, and gives what it printed.
    async fn play(&mut self, mut script: Command) -> String {
        let told = format!("{script:?}");
        let mut child = script
            .env("VESTRY_SERVER", self.url())
            .env("VESTRY_TOKEN", self.agent.token())
            .env("VESTRY_PUBLISHER", self.publisher.token())
            .env("VESTRY_CONTEXT", context("task-start").to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut stderr = child.stderr.take().unwrap();
        let complaints = tokio::spawn(async move {
            let mut text = String::new();
            stderr.read_to_string(&mut text).await.unwrap();
            text
        });
        let mut printed = String::new();
        let playing = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                match line.strip_prefix('@') {
                    Some("restart") => self.server.restart_in_place().await,
                    Some(asked) => {
                        let seconds = asked.strip_prefix("advance ").expect(asked);
                        self.server.advance(seconds.parse().unwrap());
                    }
                    None => {
                        printed.push_str(&line);
                        printed.push('\n');
                        continue;
                    }
                }
                stdin.write_all(b"done\n").await.unwrap();
            }
            child.wait().await.unwrap()
        };
        let status = tokio::time::timeout(PATIENCE, playing)
            .await
            .unwrap_or_else(|_| panic!("{told} does not end"));
        let complaints = complaints.await.unwrap();
        assert!(status.success(), "{told}\n{printed}\n{complaints}");
        printed
    }
}

/// Runs a command that has to succeed, and gives what it printed.
pub(crate) async fn succeed(command: &mut Command) -> String {
    let output = command.output().await.unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}\n{printed}\n{complaints}"
    );
    printed
}

/// The lines that cases of a script said they passed with.
fn passed(printed: &str, kind: &str) -> usize {
    let prefix = format!("{kind}: ");
    printed
        .lines()
        .filter(|line| line.starts_with(&prefix))
        .count()
}
