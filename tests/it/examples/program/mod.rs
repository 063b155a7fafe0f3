//! The program: what it prints where, and what it exits with.

mod admin;
mod audit;
mod key_files;
mod rotation;
mod serve;

use std::process::Output;

use serde_json::json;

use crate::harness::{Client, Directory, run, run_at};

const PASSWORD: &str = "a password that nobody guesses";

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// The sentence of a failure: one line on standard error, and nothing on standard output.
#[track_caller]
fn failed(output: &Output, code: i32) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    errors
}

#[track_caller]
fn one_sentence(output: &Output) -> String {
    let errors = failed(output, 1);
    let line = errors.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'), "more than one line: {errors}");
    let sentence = line
        .strip_prefix("vestry: ")
        .unwrap_or_else(|| panic!("{errors}"));
    assert!(!sentence.is_empty());
    sentence.to_owned()
}

async fn create_admin(directory: &Directory, username: &str, password: &str) -> Output {
    let arguments = [
        "admin",
        "create",
        "--username",
        username,
        "--password-stdin",
    ];
    run_at(directory, &arguments, password).await
}

async fn elevated(address: std::net::SocketAddr, username: &str) -> Client {
    let client = Client::new(address);
    let body = json!({"username": username, "password": PASSWORD});
    let login = client.post("/v1/login", body).await.expect(200);
    let client = client.with_token(login.text("access_token"));
    let body = json!({"scope": "global", "password": PASSWORD, "reason": "a test"});
    let answer = client.post("/v1/elevate", body).await.expect(200);
    client.with_token(answer.text("access_token"))
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_usage_is_two() {
    for arguments in [
        &["frobnicate"][..],
        &["serve", "--no-such-option"],
        &["serve", "--listen", "nowhere"],
        &["serve", "--offer-ttl", "0"],
        &["admin", "create", "--username", "x"],
        &["admin", "keys", "begin"],
        &["audit"],
        &["quickstart", "--listen"],
    ] {
        let errors = failed(&run(arguments, "").await, 2);
        assert!(
            errors.contains("Usage: vestry") || errors.contains("--help"),
            "{arguments:?}: {errors}"
        );
    }
    // Nothing at all is a question, answered by the usage.
    let output = run(&[], "").await;
    assert_eq!(code(&output), 2);
    let output = run(&["--help"], "").await;
    assert_eq!(code(&output), 0);
    assert!(String::from_utf8_lossy(&output.stdout).contains("quickstart"));
}
