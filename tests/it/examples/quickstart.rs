//! `vestry quickstart`, and the curl lines that it prints.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::harness::{program, run};

#[tokio::test(flavor = "multi_thread")]
async fn it_shows_the_main_job_and_ends() {
    let output = run(&["quickstart", "--once", "--listen", "127.0.0.1:0"], "").await;
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}{errors}");
    assert_eq!(errors, "");
    for shown in [
        "vestry is listening on http://127.0.0.1:",
        "It holds an example world: 21 skills of 2 tenants.",
        "The agent support-bot acts for tom of acme.",
        "  <skills>",
        "  - secrets-handling [global] ",
        "  </skills>",
        "  writing-style of actor:tom shadows the one of global",
        "  refunds of tenant:acme shadows the one of global",
        "  secrets-handling of actor:tom is blocked by the sealed one of global",
        "  writing-style actor:tom revision 1",
        "  404 skill-not-offered",
        "  No skill named \"sales-outreach\" is available to you. Available: data-retention, ",
        "  403 refused (rule humans-only)",
    ] {
        assert!(text.contains(shown), "{shown:?} is missing from\n{text}");
    }
    let entries = text.lines().filter(|line| line.starts_with("  - ")).count();
    assert_eq!(entries, 15, "{text}");
    assert!(!text.contains("stays up"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_world_that_cannot_be_read_is_a_failure_with_a_sentence() {
    let arguments = [
        "quickstart",
        "--once",
        "--listen",
        "127.0.0.1:0",
        "--world",
        "/nowhere",
    ];
    let output = run(&arguments, "").await;
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        errors.starts_with("vestry: cannot read /nowhere/world.toml: "),
        "{errors}"
    );
}

/// Every line that it prints to be typed is typed into a shell.
#[tokio::test(flavor = "multi_thread")]
async fn the_lines_that_it_prints_work() {
    let curl = Command::new("curl")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .await;
    if !curl.is_ok_and(|status| status.success()) {
        println!("skipped: there is no curl on this machine");
        return;
    }
    let mut child = Command::new(program())
        .args(["quickstart", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut shell = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.starts_with("The server stays up") {
            break;
        }
        let line = line.trim_start();
        let continues = shell
            .last()
            .is_some_and(|last: &String| last.ends_with('\\'));
        if line.starts_with("export ") || line.starts_with("curl ") || continues {
            shell.push(line.to_owned());
        }
    }
    let mut script = String::from("set -e\n");
    for line in &shell {
        script.push_str(line);
        script.push('\n');
        if line.starts_with("curl ") {
            script.push_str("echo\n");
        }
    }
    let output = Command::new("sh")
        .arg("-c")
        .arg(&script)
        .output()
        .await
        .unwrap();
    assert!(
        output.status.success(),
        "{script}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answers: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}\n{script}"))
        })
        .collect();
    let [catalog, load, not_offered, refused] = answers.as_slice() else {
        panic!("{} answers to\n{script}", answers.len());
    };
    assert_eq!(catalog["entries"].as_array().unwrap().len(), 15);
    assert_eq!(load["name"], "writing-style");
    assert!(load["body"].as_str().unwrap().len() > 1_000);
    assert_eq!(not_offered["code"], "skill-not-offered");
    assert_eq!(refused["rule"], "humans-only");

    let id = child.id().unwrap().to_string();
    let sent = Command::new("kill")
        .args(["-TERM", &id])
        .status()
        .await
        .unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
}
