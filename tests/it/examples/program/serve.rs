//! `vestry serve`.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use hyper::Method;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use super::{PASSWORD, code, create_admin, elevated, one_sentence};
use crate::harness::{
    Client, Directory, Spawned, make_keys, on_postgres, program, run, run_at, sqlite_only,
};

#[tokio::test(flavor = "multi_thread")]
async fn serve_prints_one_line_and_ends_with_zero_on_sigterm() {
    let directory = Directory::new();
    make_keys(&directory).await;
    let mut child = Command::new(program())
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(directory.flags().await)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut text = Vec::new();
    while !text.ends_with(b"\n") {
        text.push(stdout.read_u8().await.unwrap());
    }
    let line = String::from_utf8(text).unwrap();
    let address = line
        .strip_prefix("vestry is listening on http://")
        .unwrap()
        .trim_end();
    let address: std::net::SocketAddr = address.parse().unwrap();
    Client::new(address).get("/healthz").await.expect(200);
    assert_eq!(code(&create_admin(&directory, "root", PASSWORD).await), 0);
    let root = elevated(address, "root").await;
    for path in ["/v1/me", "/v1/skills", "/v1/users", "/v1/audit"] {
        root.get(path).await.expect(200);
    }
    // Many at once, each with an id of its own, so that its line can be found.
    let asked: Vec<_> = (0..64)
        .map(|number| {
            let root = root.clone();
            tokio::spawn(async move {
                let id = format!("many-{number}");
                let headers = [("x-request-id", id.as_str())];
                root.send(Method::GET, "/v1/me", &headers, None)
                    .await
                    .expect(200);
            })
        })
        .collect();
    for task in asked {
        task.await.unwrap();
    }
    let id = child.id().unwrap().to_string();
    Command::new("kill")
        .args(["-TERM", &id])
        .status()
        .await
        .unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "", "standard output is one line");
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .await
        .unwrap();
    assert_eq!(child.wait().await.unwrap().code(), Some(0), "{errors}");
    // Logs are JSON when nobody looks, and what is in order warns of nothing.
    let mut warnings = Vec::new();
    let mut many = BTreeSet::new();
    for line in errors.lines() {
        let record: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let fields = &record["fields"];
        if record["target"] == "vestry::access" {
            assert_eq!(fields["message"], "request answered");
            assert_eq!(fields["client.address"], "127.0.0.1");
            assert!(fields["duration_us"].as_i64().unwrap() >= 0);
            let id = fields["request.id"].as_str().unwrap();
            if id.starts_with("many-") {
                assert_eq!(fields["http.method"], "GET");
                assert_eq!(fields["http.route"], "/v1/me");
                assert_eq!(fields["http.status"], 200);
                assert!(fields.get("problem.code").is_none());
                assert!(many.insert(id.to_owned()), "{id} has two lines");
            }
        }
        if record["level"] != "INFO" {
            warnings.push(record["fields"]["message"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(many.len(), 64, "every request has its line");
    assert_eq!(
        warnings,
        ["there is no global administrator yet: make one with `vestry admin create`"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_answers_what_is_in_flight() {
    let directory = Directory::new();
    let server = Spawned::start(&directory).await;
    // A request whose body is still on its way when the server is told to end.
    let mut socket = tokio::net::TcpStream::connect(server.address)
        .await
        .unwrap();
    let body = br#"{"username":"nobody","password":"a wrong password"}"#;
    let head = format!(
        "POST /v1/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    socket.write_all(&body[..10]).await.unwrap();
    socket.flush().await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let ended = tokio::spawn(server.terminate());
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!ended.is_finished(), "it waits for the request");
    socket.write_all(&body[10..]).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    assert!(answer.contains("\"code\":\"unauthenticated\""), "{answer}");
    assert_eq!(ended.await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_server_on_the_same_data_is_refused() {
    if sqlite_only("replicas share a database, and keep nothing in the directory") {
        return;
    }
    let directory = Directory::new();
    let first = Spawned::start(&directory).await;
    let data = directory.path().to_str().unwrap();
    let output = run(
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log",
            "warn",
            "--data",
            data,
        ],
        "",
    )
    .await;
    let sentence = one_sentence(&output);
    assert!(
        sentence.contains("is in use by another vestry server; stop it, or choose another --data"),
        "{sentence}"
    );
    Client::new(first.address).get("/readyz").await.expect(200);
    assert_eq!(first.terminate().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_taken_is_said_to_be_so() {
    let directory = Directory::new();
    let first = Spawned::start(&directory).await;
    // On PostgreSQL the second is another replica, with the same keys.
    let other = Directory::new();
    let listen = first.address.to_string();
    let arguments = ["serve", "--listen", &listen, "--log", "warn"];
    let place = if on_postgres() { &directory } else { &other };
    let output = run_at(place, &arguments, "").await;
    let sentence = one_sentence(&output);
    assert!(sentence.contains("choose another --listen"), "{sentence}");
    Client::new(first.address).get("/readyz").await.expect(200);
    assert_eq!(first.terminate().await, Some(0));
}
