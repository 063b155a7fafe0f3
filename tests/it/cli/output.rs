//! What goes where, and how it looks.

use std::process::Stdio;

use super::Shell;
use super::fake::{Fake, Said};
use crate::harness::{People, TestServer};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn there_are_no_colours_but_on_a_terminal_or_when_asked() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    people
        .root
        .create("global", "style", "writing")
        .await
        .expect(201);
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let list = ["skill", "list"];
    assert!(!shell.ok(&list).await.contains('\u{1b}'));
    let mut always = list.to_vec();
    always.extend(["--color", "always"]);
    assert!(
        shell
            .ok(&always)
            .await
            .contains("\u{1b}[36mglobal\u{1b}[0m")
    );
    always.push("--json");
    assert!(!shell.ok(&always).await.contains('\u{1b}'));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_has_had_enough_is_no_failure() {
    let items: Vec<_> = (0..2_000)
        .map(|n| json!({"name": format!("skill-{n}"), "description": "x".repeat(200), "scope": "global", "revision": 1}))
        .collect();
    let fake =
        Fake::start(move |_| Said::json(200, &json!({"items": items, "next_cursor": null}))).await;
    let shell = Shell::of(fake.url());
    for json in [false, true] {
        let mut command =
            shell.command(&["skill", "list", "--server", &shell.server, "--token", "x"]);
        if json {
            command.arg("--json");
        }
        let mut child = command.spawn().unwrap();
        // Closed before anything is written.
        drop(child.stdout.take());
        let output = child.wait_with_output().await.unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
    }
    // A disk that is full is one.
    let mut command = shell.command(&["skill", "list", "--server", &shell.server, "--token", "x"]);
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    command.stdout(Stdio::from(full));
    let output = command.spawn().unwrap().wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}
