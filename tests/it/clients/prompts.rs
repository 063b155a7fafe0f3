//! Prompts for roles of workflows: the program and the clients make the same of the same launches (issue 8, A).

use std::path::Path;
use std::process::Stdio;

use hyper::Method;
use serde_json::{Map, Value, json};
use tokio::process::Command;

use super::{examples, node, succeed};
use crate::api::files::hex;
use crate::harness::{Directory, People, TestServer, node_tools, program, python_tools};

const CASES: &str = include_str!("prompts.json");

fn cases() -> Vec<Value> {
    serde_json::from_str(CASES).unwrap()
}

/// A server with templates, and the places of the launches, each in a directory that is called by its place in the table.
struct Stage {
    server: TestServer,
    agent: String,
    places: Directory,
}

impl Stage {
    async fn set() -> Self {
        let server = TestServer::start().await;
        let mut people = People::usual(&server).await;
        let maria = people.elevated("maria", "tenant:acme").await;
        for (name, body) in [
            ("review", "Acme reviews {{diff}}.\n"),
            ("atted", "@team {{a}}\n"),
        ] {
            let path = format!("/v1/skills/tenant:acme/prompt:{name}");
            let content =
                json!({"description": "d", "body": body, "frontmatter": {"fields": [name]}});
            maria
                .send(Method::PUT, &path, &[("if-none-match", "*")], Some(content))
                .await
                .expect(201);
        }
        let agent = people.agent("acme", "tom", "bot").await;
        let places = Directory::new();
        for (index, case) in cases().iter().enumerate() {
            let place = places.path().join(index.to_string());
            for folder in ["tree", "library"] {
                let base = place.join(folder);
                std::fs::create_dir_all(&base).unwrap();
                for (path, what) in case[folder].as_object().into_iter().flatten() {
                    let path = base.join(path);
                    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                    if let Some(text) = what.as_str() {
                        std::fs::write(path, text).unwrap();
                    } else if let Some(target) = what["link"].as_str() {
                        std::os::unix::fs::symlink(target, path).unwrap();
                    } else {
                        let made = std::process::Command::new("mkfifo").arg(path).status();
                        assert!(made.unwrap().success());
                    }
                }
            }
        }
        Self {
            agent: agent.token().to_owned(),
            server,
            places,
        }
    }

    fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// What the program makes of every launch.
    async fn by_program(&self) -> Vec<Value> {
        let mut made = Vec::new();
        for (index, case) in cases().iter().enumerate() {
            let place = self.places.path().join(index.to_string());
            let launch = &case["launch"];
            let mut command = Command::new(program());
            command
                .env_clear()
                .env("PATH", "/usr/local/bin:/usr/bin:/bin")
                .args([
                    "prompt",
                    "resolve",
                    "--json",
                    "--server",
                    &self.url(),
                    "--token",
                    &self.agent,
                ])
                .arg("--worktree")
                .arg(place.join("tree"))
                .arg("--library")
                .arg(place.join("library"))
                .stdin(Stdio::null());
            for (name, value) in case["environment"].as_object().into_iter().flatten() {
                command.env(name, value.as_str().unwrap());
            }
            for (flag, field, default) in [
                ("--workflow", "workflow", Some("bugfix")),
                ("--role", "role", Some("review")),
                ("--primary-role", "primaryRole", None),
                ("--repository", "repository", None),
                ("--key", "key", None),
                ("--inline-prompt", "inlinePrompt", None),
            ] {
                if let Some(text) = launch[field].as_str().or(default) {
                    command.args([flag, text]);
                }
            }
            for (flag, field) in [("--inputs", "inputs"), ("--context", "context")] {
                if !launch[field].is_null() {
                    let file = place.join(format!("{field}.json"));
                    std::fs::write(&file, in_order(index, field)).unwrap();
                    command.arg(flag).arg(file);
                }
            }
            let output = command.output().await.unwrap();
            made.push(if output.status.success() {
                serde_json::from_slice(&output.stdout).unwrap()
            } else {
                assert!(output.stdout.is_empty());
                json!({"refused": String::from_utf8(output.stderr).unwrap()})
            });
        }
        made
    }

    /// What a script of a client prints, a line a launch.
    async fn by_script(&self, mut command: Command, script: &Path) -> Vec<Value> {
        let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/clients/prompts.json");
        command
            .arg(script)
            .arg(table)
            .arg(self.places.path())
            .args([&self.url(), &self.agent])
            .stdin(Stdio::null());
        let printed = succeed(&mut command).await;
        let lines = printed.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// An object of a launch as the table writes it, in its order, which a parsed one has lost.
fn in_order(index: usize, field: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Case<'a> {
        #[serde(borrow)]
        launch: std::collections::BTreeMap<String, &'a serde_json::value::RawValue>,
    }
    let cases: Vec<Case<'_>> = serde_json::from_str(CASES).unwrap();
    cases[index].launch[field].get().to_owned()
}

/// Holds what was made to the table.
fn hold(whose: &str, made: &[Value]) {
    let cases = cases();
    assert_eq!(made.len(), cases.len(), "{whose}");
    let wrong: Vec<String> = made
        .iter()
        .zip(&cases)
        .filter(|(made, case)| !is_as_expected(made, case["expect"].as_object().unwrap()))
        .map(|(made, case)| format!("{}: {made}", case["name"]))
        .collect();
    assert!(wrong.is_empty(), "{whose}:\n{}", wrong.join("\n"));
}

fn is_as_expected(made: &Value, expected: &Map<String, Value>) -> bool {
    if let Some(words) = expected.get("refused").and_then(Value::as_str) {
        let said = made["refused"].as_str();
        return said.is_some_and(|said| words.split('|').any(|words| said.contains(words)));
    }
    let digest = |field: &str| hex(made[field].as_str().unwrap_or_default().as_bytes());
    made["replaces"] == "user-prompt"
        && made["templateSha256"] == digest("template")
        && made["renderedSha256"] == digest("prompt")
        && expected.iter().all(|(field, value)| &made[field] == value)
}

/// Python, with the client as it is written.
fn python(tools: &Path) -> Command {
    let mut python = Command::new(tools.join("bin/python"));
    python
        .env("PYTHONPATH", examples("clients/python/src"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

/// Holds the whole answers of a client to those of the program; of refusals that they are such.
fn hold_to_program(made: &[Value], by_program: &[Value]) {
    let of = |made: &Value| match made.get("refused") {
        Some(_) => json!("refused"),
        None => made.clone(),
    };
    for ((made, by_program), case) in made.iter().zip(by_program).zip(cases()) {
        assert_eq!(of(made), of(by_program), "{}", case["name"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_does_what_the_table_says() {
    let stage = Stage::set().await;
    hold("the program", &stage.by_program().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_client_does_the_same() {
    let Some(tools) = node_tools() else { return };
    let stage = Stage::set().await;
    let place = examples("clients/typescript/tests/prompts.ts");
    let made = stage.by_script(node(&tools), &place).await;
    hold("TypeScript", &made);
    hold_to_program(&made, &stage.by_program().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_client_does_the_same() {
    let Some(tools) = python_tools() else { return };
    let stage = Stage::set().await;
    let place = examples("clients/python/tests/prompts.py");
    let made = stage.by_script(python(&tools), &place).await;
    hold("Python", &made);
    hold_to_program(&made, &stage.by_program().await);
}

/// Races, bytes that are no text, and what is too much: no table says them.
#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_client_refuses_what_no_table_says() {
    let Some(tools) = node_tools() else { return };
    let script = examples("clients/typescript/tests/refusals.ts");
    let printed = succeed(node(&tools).arg(script)).await;
    assert!(printed.ends_with("passed\n"), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_client_refuses_what_no_table_says() {
    let Some(tools) = python_tools() else { return };
    let printed = succeed(python(&tools).arg(examples("clients/python/tests/refusals.py"))).await;
    assert!(printed.ends_with("passed\n"), "{printed}");
}
