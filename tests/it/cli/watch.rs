//! `vestry watch` and `vestry explain`.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use super::Shell;
use crate::harness::{People, TestServer};

const PATIENCE: Duration = Duration::from_secs(60);

/// A `vestry watch` that runs.
struct Watching {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watching {
    fn start(shell: &Shell, arguments: &[&str]) -> Self {
        let all: Vec<&str> = ["watch"].iter().chain(arguments).copied().collect();
        let mut child = shell.command(&all).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    async fn line(&mut self) -> String {
        tokio::time::timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("no line came")
            .unwrap()
            .expect("the output has ended")
    }

    async fn json(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    /// As Ctrl-C does.
    async fn interrupt(mut self) -> Option<i32> {
        let id = self.child.id().unwrap().to_string();
        let sent = Command::new("kill")
            .args(["-INT", &id])
            .status()
            .await
            .unwrap();
        assert!(sent.success());
        tokio::time::timeout(PATIENCE, self.child.wait())
            .await
            .unwrap()
            .unwrap()
            .code()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_prints_what_changes_and_goes_on_after_the_server_was_away() {
    let mut server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria.create("tenant:acme", "first", "x").await.expect(201);
    let shell = Shell::at(&server);
    shell.login("tom").await;
    let mut watching = Watching::start(&shell, &["--since", "start", "--json"]);
    let first = watching.json().await;
    assert_eq!(
        (first["event"].as_str(), first["action"].as_str()),
        (Some("skill"), Some("publish-skill"))
    );
    assert_eq!(
        (first["scope"].as_str(), first["name"].as_str()),
        (Some("tenant:acme"), Some("first"))
    );
    maria
        .verb("tenant:acme", "first", "quarantine")
        .await
        .expect(200);
    assert_eq!(watching.json().await["action"], "quarantine-skill");

    server.restart_in_place().await;
    let maria = server.client().with_token(maria.token());
    maria.create("tenant:acme", "second", "x").await.expect(201);
    let second = watching.json().await;
    assert_eq!(second["name"], "second");
    assert_eq!(watching.interrupt().await, Some(0));

    // From an id on, for people.
    let id = first["id"].as_str().unwrap();
    let mut watching = Watching::start(&shell, &["--since", id]);
    let line = watching.line().await;
    assert!(
        line.contains("quarantine-skill  tenant:acme/first  revision 1"),
        "{line}"
    );
    let line = watching.line().await;
    assert!(
        line.contains("publish-skill  tenant:acme/second") && line.ends_with("by human:maria"),
        "{line}"
    );
    assert_eq!(watching.interrupt().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_says_why_it_cannot() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let shell = Shell::at(&server);
    let service = people.service("acme").await;
    let refused = shell
        .run(&[
            "watch",
            "--server",
            &shell.server,
            "--token",
            service.token(),
        ])
        .await;
    assert!(refused.sentence(1).contains("needs-actor"));
    assert_eq!(shell.run(&["watch", "--since", "yesterday"]).await.code, 2);
    let away = shell
        .run(&["watch", "--server", "http://127.0.0.1:1", "--token", "x"])
        .await;
    assert!(away.sentence(1).contains("cannot reach"));
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_says_what_is_missing() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    people.root.create("global", "tone", "x").await.expect(201);
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let said = shell
        .ok(&["explain", "publish-skill", "tenant:acme/tone"])
        .await;
    assert!(
        said.starts_with("human:maria publish-skill tenant:acme/tone: deny (needs-elevation)\n"),
        "{said}"
    );
    assert!(
        said.contains("  yes the principal is a human acting as itself (humans-only)\n"),
        "{said}"
    );
    assert!(
        said.contains("  no  the principal has an unexpired elevation"),
        "{said}"
    );
    assert!(
        said.contains("With a step up: allow (elevated-human)\n"),
        "{said}"
    );
    let said = shell
        .json(&[
            "explain",
            "publish-skill",
            "tenant:acme",
            "--principal",
            "agent:bot@tom",
        ])
        .await;
    assert_eq!(said["rule"], "humans-only");
    let said = shell.ok(&["explain", "catalog", "--actor", "tom"]).await;
    assert!(
        said.contains("tone") && said.contains("number 1 of the catalog"),
        "{said}"
    );
    let said = shell.json(&["explain", "catalog", "--cap", "1"]).await;
    assert_eq!(said["items"][0]["place"], "offered");
    assert_eq!(shell.run(&["explain", "publish-skill"]).await.code, 2);
    assert_eq!(shell.run(&["explain"]).await.code, 2);
}
