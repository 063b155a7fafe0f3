//! The clients that people have: the conformance suite, the inspector, FastMCP and the TypeScript SDK, each from its registry.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response as Answer;
use serde_json::{Value, json};
use tokio::process::Command;

use super::{begin, skill_md, with_files};
use crate::harness::{Client, node_tools, program, python_tools};

/// The scenarios of the conformance suite that apply to a server of skills.
const SCENARIOS: [&str; 13] = [
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
    "sep-2640-skills-directory",
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "resources-list",
    "dns-rebinding-protection",
    "http-header-validation",
    "sep-2164-resource-not-found",
    "caching",
    "server-stateless",
];
/// What checks say that only the suite's own server can pass, because they call tools of that one, and those of prompts, which
/// there are none of.
const NOT_OF_A_REGISTRY: [&str; 2] = [
    "Not testable: server does not list the diagnostic tool",
    "prompts/list returned JSON-RPC error -32601",
];

/// Skills as people write them.
async fn skills(client: &Client) {
    let files = json!([
        {"path": "references/forms.md", "text": "# Forms\n"},
        {"path": "scripts/fill.py", "text": "print('é')\r\n"},
        {"path": "logo.bin", "base64": "AAECAwQFBgf/"},
    ]);
    with_files(client, "tenant:acme", "fill-forms", files).await;
    let text = "---\nname: odd\ndescription: >-\n  Use it\n  here.\nlicense: Apache-2.0\nversion: 1.5\nmetadata:\n  author: \"Jo\"\n  level: \"007\"\nallowed-tools: Read Bash\n---\n# Odd\n\nDo it: `a < b && c`, ünïcödé.\n";
    skill_md(client, "tenant:acme", "odd", text).await;
    for number in 0..60 {
        let name = format!("more-{number:02}");
        client.create("tenant:acme", &name, "x").await.expect(201);
    }
}

/// Runs a program; what it prints on its output.
async fn output(mut command: Command) -> (bool, String) {
    let running = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let done = tokio::time::timeout(Duration::from_secs(120), running)
        .await
        .expect("it ends in time")
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let error = text(&done.stderr);
    (done.status.success(), text(&done.stdout) + &error)
}

/// A program of npm's, run by the Node among the tools.
fn node(tools: &Path) -> Command {
    Command::new(tools.join("node_modules/.bin/node"))
}

/// An address that adds the token to whatever is sent there: the conformance suite has no credentials.
async fn with_token_added(client: &Client) -> String {
    let client = client.clone();
    let service = move |request: Request| {
        let client = client.clone();
        async move {
            let (parts, body) = request.into_parts();
            let headers: Vec<(&str, &str)> = parts
                .headers
                .iter()
                .filter(|(name, _)| !matches!(name.as_str(), "content-length" | "connection"))
                .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
                .collect();
            let bytes = to_bytes(body, 1 << 20).await.unwrap().to_vec();
            let path = parts.uri.path_and_query().unwrap().as_str();
            let got = client.raw(parts.method, path, &headers, bytes).await;
            let mut answer = Answer::new(Body::from(got.bytes));
            *answer.status_mut() = got.status;
            *answer.headers_mut() = got.headers;
            answer
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().fallback(service);
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}/mcp")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_conformance_suite_passes() {
    let Some(tools) = node_tools() else { return };
    let (_server, _people, maria, tom) = begin().await;
    skills(&maria).await;
    let url = with_token_added(tom.client()).await;
    for scenario in SCENARIOS {
        let mut command = node(&tools);
        command
            .arg(tools.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
            .args(["server", "--url", &url, "--scenario", scenario])
            .current_dir(std::env::temp_dir());
        let (_, said) = output(command).await;
        let said: String = said.replace("\u{1b}[0m", "").replace("\u{1b}[31m", "");
        let summary = said
            .lines()
            .find(|line| line.starts_with("Passed: "))
            .unwrap_or_else(|| panic!("{scenario} does not end: {said}"));
        let failed: usize = summary
            .split_once(", ")
            .and_then(|(_, rest)| rest.split_once(" failed"))
            .and_then(|(number, _)| number.parse().ok())
            .unwrap_or_else(|| panic!("{summary}"));
        let not_for_us = said
            .lines()
            .filter(|line| line.trim_start().starts_with("Error: "))
            .filter(|line| NOT_OF_A_REGISTRY.iter().any(|why| line.contains(why)))
            .count();
        let skills = scenario.starts_with("sep-2640");
        assert!(
            failed == if skills { 0 } else { not_for_us },
            "{scenario}: {summary}\n{said}"
        );
        if skills {
            assert!(
                !summary.starts_with("Passed: 0/"),
                "{scenario} checks nothing"
            );
        }
    }
}

/// `skills/list --verify` of the inspector: every skill conforms, and every file is what its digest says.
#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_verifies_every_skill() {
    let Some(tools) = node_tools() else { return };
    let (server, _people, maria, tom) = begin().await;
    skills(&maria).await;
    let home = crate::harness::Directory::new();
    let mut command = node(&tools);
    command
        .arg(std::fs::canonicalize(tools.join("node_modules/.bin/mcp-inspector")).unwrap())
        .args(["--cli", &format!("http://{}/mcp?cap=200", server.address)])
        .args([
            "--transport",
            "http",
            "--method",
            "skills/list",
            "--verify",
            "--require-digests",
        ])
        .args([
            "--header",
            &format!("Authorization: Bearer {}", tom.client().token()),
        ])
        .env("MCP_CATALOG_PATH", home.path().join("catalog.json"));
    let (is_done, said) = output(command).await;
    assert!(is_done, "{said}");
    let reports: Vec<Value> = said
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert_eq!(reports.len(), 62, "{said}");
    for report in reports {
        assert_eq!(report["outcome"], "verified", "{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fastmcp_lists_gets_reads_and_verifies() {
    let Some(tools) = python_tools() else { return };
    let (server, _people, maria, tom) = begin().await;
    skills(&maria).await;
    let mut command = Command::new(tools.join("bin/python"));
    command
        .arg("it/mcp/scripts/fastmcp_client.py")
        .arg(format!("http://{}/mcp?cap=200", server.address))
        .arg(tom.client().token());
    let (is_done, said) = output(command).await;
    assert!(is_done, "{said}");
    let told: Value = said
        .lines()
        .find_map(|line| serde_json::from_str(line).ok())
        .unwrap_or_else(|| panic!("{said}"));
    let found = told["skills"].as_array().unwrap();
    assert_eq!(found.len(), 62);
    let bundled = found
        .iter()
        .find(|skill| skill["uri"] == "skill://tenant/fill-forms/SKILL.md");
    assert_eq!(bundled.unwrap()["files"], 4);
    check_tools(&told);
}

fn check_tools(told: &Value) {
    assert_eq!(
        told["tools"],
        json!([
            "skill_catalog",
            "skill",
            "skill_file",
            "write_own_skill",
            "propose_skill",
            "my_proposals"
        ])
    );
    assert!(told["block"].as_str().unwrap().starts_with("<skills>"));
    let loaded = told["loaded"].as_str().unwrap();
    assert!(loaded.starts_with("<skill name=\"fill-forms\""), "{loaded}");
    assert_eq!(told["wrong"][0], true);
    let wrong = told["wrong"][1].as_str().unwrap();
    assert!(wrong.starts_with("No skill named \"nothing\" is available to you. Available: "));
}

/// The TypeScript SDK connects over HTTP, and over the standard input and output of `vestry mcp`: it sees the same.
#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_sdk_sees_the_same_both_ways() {
    let Some(tools) = node_tools() else { return };
    let (server, _people, maria, tom) = begin().await;
    skills(&maria).await;
    let address = format!("http://{}", server.address);
    let url = format!("{address}/mcp");
    let program = program();
    let program = program.to_str().unwrap();
    let mut told = Vec::new();
    for target in [
        vec!["http", tom.client().token(), &url],
        vec![
            "stdio",
            tom.client().token(),
            program,
            "mcp",
            "--server",
            &address,
        ],
    ] {
        let mut command = node(&tools);
        command
            .arg("it/mcp/scripts/sdk_client.mjs")
            .arg(&tools)
            .args(target);
        let (is_done, said) = output(command).await;
        assert!(is_done, "{said}");
        let one: Value = said
            .lines()
            .find_map(|line| serde_json::from_str(line).ok())
            .unwrap_or_else(|| panic!("{said}"));
        check_tools(&one);
        assert_eq!(one["resources"].as_array().unwrap().len(), 20);
        assert!(
            one["read"]
                .as_str()
                .unwrap()
                .starts_with("---\nname: fill-forms\n")
        );
        assert!(
            one["instructions"]
                .as_str()
                .unwrap()
                .contains("- fill-forms [tenant:acme] — ")
        );
        told.push(one);
    }
    assert_eq!(told[0], told[1]);
}
