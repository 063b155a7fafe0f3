//! The agent loops, run as their READMEs say, with the scripted model.

use std::path::Path;

use serde_json::Value;
use tokio::process::Command;

use super::python::{install, python};
use super::typescript::node;
use super::{Stage, examples};
use crate::harness::{Directory, node_tools, python_tools};

/// What a loop prints, with its turn as `TURN` and without the digest.
const TRANSCRIPT: [&str; 11] = [
    "-- turn TURN: 5 skills are offered",
    "user: A customer asks about refunds: the parcel of order 4711 came broken.",
    "model calls skill {\"name\": \"refunds\"}",
    "  result: <skill name=\"refunds\" scope=\"tenant:acme\"",
    "model calls skill {\"name\": \"office-gossip\"}",
    "  error: No skill named \"office-gossip\" is available to you. Available: changing, greeting, recalled, refunds, with-files.",
    "-- the loop dies here",
    "-- going on with turn TURN: 5 skills, as they were",
    "model calls skill {\"name\": \"refunds\"}",
    "  result: The skill \"refunds\" is in this conversation already, unchanged: follow it.",
    "model: Done as the skill refunds says.",
];

/// Runs a loop twice on one journal.
async fn runs(start: impl Fn() -> Command) {
    let mut stage = Stage::set().await;
    let home = Directory::new();
    let file = home.path().join("journal.jsonl");
    let started = || {
        let mut script = start();
        script.env("VESTRY_LOOP_JOURNAL", &file);
        script
    };
    let printed = stage.play(started()).await;
    let steps = steps(&file);
    let turn = steps[0]["turn"]["terms"]["turn"].as_str().unwrap();
    let lines: Vec<String> = printed
        .lines()
        .map(|line| {
            line.replace(turn, "TURN")
                .replace("{\"name\":\"", "{\"name\": \"")
        })
        .collect();
    for (line, expected) in lines.iter().zip(TRANSCRIPT) {
        assert!(line.starts_with(expected), "{expected}\n{printed}");
    }
    let last = &lines[TRANSCRIPT.len()..];
    assert_eq!(last, ["-- lesson p-1 for tenant:acme is open"], "{printed}");

    // The journal: one turn with the same pins throughout, a fresh offer after the restart, and no token.
    let pins = |step: &Value| (step["turn"]["terms"].clone(), step["turn"]["etag"].clone());
    assert!(steps.iter().all(|step| pins(step) == pins(&steps[0])));
    assert_ne!(steps[2]["turn"]["offer"], steps[3]["turn"]["offer"]);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(stage.agent.token()), "{text}");
    assert!(text.contains("Do at acme."), "{text}");

    // The lesson waits for humans, and says where it was learned.
    let proposal = stage.publisher.get("/v1/proposals/p-1").await.expect(200);
    assert_eq!(proposal.text("name"), "broken-parcels");
    assert_eq!(proposal.body["review"]["evidence"]["turn"], turn);

    // Started again, also after a later write and a restart of the server, it knows that it is done.
    let update = stage
        .publisher
        .update("tenant:acme", "refunds", "otherwise");
    update.await.expect(200);
    stage.server.restart_in_place().await;
    let printed = stage.play(started()).await;
    let resumed = format!("-- going on with turn {turn}: 5 skills, as they were\n");
    assert_eq!(printed, resumed);
    let proposals = stage.publisher.get("/v1/proposals").await.expect(200);
    assert_eq!(proposals.body["items"].as_array().unwrap().len(), 1);
}

/// The steps that a journal has.
fn steps(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines
        .filter(|line: &Value| line["kind"] == "step")
        .map(|line| line["value"].clone())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_loop_goes_on_after_its_crash_and_proposes_its_lesson() {
    let Some(tools) = python_tools() else { return };
    let installed = install(&tools).await;
    runs(|| {
        let mut script = python(&tools);
        script
            .arg(examples("agent-loops/python/loop.py"))
            .env("PYTHONPATH", installed.path());
        script
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_loop_goes_on_after_its_crash_and_proposes_its_lesson() {
    let Some(tools) = node_tools() else { return };
    runs(|| {
        let mut script = node(&tools);
        script.arg(examples("agent-loops/typescript/loop.ts"));
        script
    })
    .await;
}
