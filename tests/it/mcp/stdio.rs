//! `vestry mcp`: MCP over standard input and output.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::begin;
use super::speaker::{CONTEXT, LATEST};
use crate::harness::{Directory, TestServer, program};

/// A running `vestry mcp`.
struct Host {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Host {
    fn start(server: &TestServer, token: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(program())
            .args(["mcp", "--server", &format!("http://{}", server.address)])
            .args(arguments)
            .env("VESTRY_TOKEN", token)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
        }
    }

    async fn write(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).await.unwrap();
        self.input.write_all(b"\n").await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let line = self.output.next_line().await.unwrap().expect("an answer");
        serde_json::from_str(&line).unwrap()
    }

    /// A request of the latest revision.
    async fn ask(&mut self, id: u64, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": LATEST,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&message.to_string()).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Closes its input, and gives its exit code.
    async fn end(self) -> Option<i32> {
        let Self {
            mut child, input, ..
        } = self;
        drop(input);
        child.wait().await.unwrap().code()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_speaks_every_revision_over_stdio() {
    let (server, _people, maria, tom) = begin().await;
    maria
        .create("tenant:acme", "refunds", "Refund.")
        .await
        .expect(201);
    let mut host = Host::start(&server, tom.client().token(), &[]);
    let listed = host.ask(1, "skills/list", json!({})).await;
    assert_eq!(listed["result"]["skills"], json!(tom.skills().await));
    let uri = "skill://tenant/refunds/SKILL.md";
    let read = host.ask(2, "resources/read", json!({"uri": uri})).await;
    assert_eq!(read["result"]["contents"][0], tom.read(uri).await);
    // A name that no header takes as it is.
    let odd = host
        .ask(3, "resources/read", json!({"uri": "skill://é\r\nx"}))
        .await;
    assert_eq!(odd["error"]["code"], -32602, "{odd}");
    host.write("this is not JSON").await;
    assert_eq!(host.next().await["error"]["code"], -32700);
    host.write("[]").await;
    assert_eq!(host.next().await["error"]["code"], -32600);
    host.write("").await;
    // What is too long is skipped, and what comes after it is answered.
    host.write(&"x".repeat(5 << 20)).await;
    assert_eq!(host.next().await["error"]["code"], -32600);
    let odd = host.ask(4, "skills/\r\nx: y", json!({})).await;
    assert!(odd["error"].is_object(), "{odd}");
    host.ask(5, "skills/list", json!({})).await;
    assert_eq!(host.end().await, Some(0));

    let mut host = Host::start(&server, tom.client().token(), &[]);
    let initialize = json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    host.write(&initialize.to_string()).await;
    let answer = host.next().await;
    assert_eq!(
        answer["result"]["protocolVersion"], "2025-06-18",
        "{answer}"
    );
    // A notification has no answer; what comes next is that of the call.
    let said = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    host.write(&said.to_string()).await;
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "skill", "arguments": {"name": "refunds"}}});
    host.write(&call.to_string()).await;
    let answer = host.next().await;
    assert_eq!(answer["id"], 7);
    assert!(
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("Refund.")
    );
    assert_eq!(host.end().await, Some(0));
}

/// Nobody is taken for somebody else: where tokens are to be minted, the credential is the key of a service.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_to_be_minted_for_is_not_ignored() {
    let (server, people, _maria, tom) = begin().await;
    let maria = people.human("maria").await;
    for token in [maria.token(), tom.client().token()] {
        let arguments = ["--actor", "tom", "--agent", "bot"];
        let host = Host::start(&server, token, &arguments);
        assert_eq!(host.end().await, Some(2));
    }
}

/// With the key of a service, tokens are minted as they are needed, and again when they have ended.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_key_mints_for_its_host() {
    let (server, people, maria, _tom) = begin().await;
    maria
        .create("tenant:acme", "refunds", "Refund.")
        .await
        .expect(201);
    maria
        .put(
            "/v1/roles/tenant:acme/support/attachments",
            json!({"skills": [{"name": "refunds"}]}),
        )
        .await
        .expect_one_of(&[200, 201]);
    let directory = Directory::new();
    let file = directory.path().join("context.json");
    std::fs::write(&file, r#"{"organization": {"name": "Acme"}}"#).unwrap();
    let body = json!({"description": "x", "body": "For {{organization.name}}.", "templated": true});
    maria
        .send(
            hyper::Method::PUT,
            "/v1/skills/tenant:acme/greet",
            &[("if-none-match", "*")],
            Some(body),
        )
        .await
        .expect(201);
    let created = maria
        .post("/v1/services", json!({"tenant": "acme", "name": "hosts"}))
        .await
        .expect(201);
    let (key, id) = (created.text("key"), created.text("id"));
    let arguments = [
        "--actor",
        "tom",
        "--agent",
        "bot",
        "--role",
        "support",
        "--cap",
        "5",
        "--context",
        file.to_str().unwrap(),
    ];
    let mut host = Host::start(&server, &key, &arguments);
    let listed = host.ask(1, "skills/list", json!({})).await;
    let skills = listed["result"]["skills"].as_array().unwrap();
    assert_eq!(super::speaker::names(skills), ["greet", "refunds"]);
    // The context goes with every request.
    assert!(skills[0]["resources"].is_array(), "{listed}");
    let uri = json!({"uri": "skill://tenant/greet/SKILL.md"});
    let read = host.ask(2, "resources/read", uri.clone()).await;
    assert!(
        read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .ends_with("For Acme."),
        "{read} {CONTEXT}"
    );
    // Minted for an hour.
    server.advance(2 * 60 * 60);
    let read = host.ask(3, "resources/read", uri).await;
    assert!(read["result"].is_object(), "{read}");
    // A key that has ended ends it, with a sentence.
    people
        .elevated("maria", "tenant:acme")
        .await
        .delete(&format!("/v1/tenants/acme/services/{id}"))
        .await
        .expect_one_of(&[200, 204]);
    let refused = host.ask(4, "skills/list", json!({})).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    assert_eq!(host.end().await, Some(0));
}
