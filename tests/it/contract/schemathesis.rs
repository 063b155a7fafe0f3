//! Schemathesis asks every operation of the document, with what the document says is valid and with what it says is not, and follows
//! from answer to request. Whatever is answered has to be what the document promises, and never a 500.
//!
//! `schemathesis/hooks.py` says what it cannot know: who may do what. Left out of its checks are two: `positive_data_acceptance`,
//! because a valid request may be refused all the same (the rules see to that, and `tests/it/access` to the rules), and `ignored_auth`,
//! because the hooks put the credentials in (`tests/it/api/forged_*` are about those).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::api::samples::{Cast, Who};
use crate::harness::{Directory, PASSWORD, People, TestServer, knob, python_tools};

/// The most examples of an operation in each of the random phases; nights ask for more.
const EXAMPLES: u64 = 6;
/// How long it may take in all.
const PATIENCE: Duration = Duration::from_secs(900);

const CONFIGURATION: &str = "[generation]\nwith-security-parameters = false\n";

/// What the hooks need to know about the server.
async fn world(server: &TestServer) -> Value {
    let mut people = People::usual(server).await;
    let cast = Cast::of(server, &mut people).await;
    let root = cast.client(Who::Root);
    let path = "/v1/tenants/acme/settings";
    let read = root.get(path).await.expect(200).body;
    let api = super::document::Api::new();
    let template = "/v1/tenants/{tenant}/settings";
    let schema = api.body_schema(&hyper::Method::PUT, template).unwrap();
    let mut settings = json!({});
    for field in schema["properties"].as_object().unwrap().keys() {
        settings[field] = read[field].clone();
    }
    // What is made up shall not use up what there is.
    for quota in [
        "max_open_proposals",
        "skills_per_actor",
        "skills_per_tenant",
    ] {
        settings[quota] = 100_000.into();
    }
    root.put(path, settings.clone()).await.expect(200);
    let agent = cast.client(Who::Agent);
    let mine = agent.get("/v1/proposals").await.expect(200);
    let proposals: Vec<&Value> = mine.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["id"])
        .collect();
    assert!(!proposals.is_empty());
    let services = root.get("/v1/tenants/acme/services").await.expect(200);
    let token = |who| cast.client(who).token().to_owned();
    json!({
        "server": format!("http://{}", server.address),
        "password": PASSWORD,
        "tokens": {
            "root": token(Who::Root),
            "maria": token(Who::Maria),
            "agent": token(Who::Agent),
            "service": token(Who::Service),
            "tom": people.human("tom").await.token(),
        },
        "service_id": services.body["items"][0]["id"],
        "proposals": proposals,
        "settings": settings,
    })
}

/// Which statuses each operation was answered with, from the events that a run writes down.
fn answers(events: &Path) -> BTreeMap<String, BTreeSet<u64>> {
    let mut answers: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for line in std::fs::read_to_string(events).unwrap().lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let recorder = &event["ScenarioFinished"]["recorder"];
        for (id, interaction) in recorder["interactions"].as_object().into_iter().flatten() {
            let case = &recorder["cases"][id]["value"];
            let (method, path) = (case["method"].as_str(), case["path"].as_str());
            let status = interaction["response"]["status_code"].as_u64();
            if let (Some(method), Some(path), Some(status)) = (method, path, status) {
                answers
                    .entry(format!("{method} {path}"))
                    .or_default()
                    .insert(status);
            }
        }
    }
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn schemathesis_finds_nothing() {
    let Some(tools) = python_tools() else {
        return;
    };
    let server = TestServer::start().await;
    let directory = Directory::new();
    let at = |name: &str| directory.path().join(name);
    let world = world(&server).await;
    std::fs::write(at("world.json"), world.to_string()).unwrap();
    std::fs::write(at("schemathesis.toml"), CONFIGURATION).unwrap();
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/contract/schemathesis");
    let seed = knob("VESTRY_SEED", 1).to_string();
    let examples = knob("VESTRY_SCHEMATHESIS_EXAMPLES", EXAMPLES).to_string();
    println!("seed {seed}, {examples} examples");
    let address = format!("http://{}/openapi.json", server.address);
    let (report, events) = (at("report.json"), at("events.ndjson"));
    let running = Command::new(tools.join("bin/schemathesis"))
        .args(["--config-file", at("schemathesis.toml").to_str().unwrap()])
        .args([
            "run",
            &address,
            "--seed",
            &seed,
            "--max-examples",
            &examples,
        ])
        .args(["--checks", "all"])
        .args(["--exclude-checks", "positive_data_acceptance,ignored_auth"])
        .args(["--continue-on-failure", "--no-shrink", "--no-color"])
        .args(["--generation-database", "none"])
        .args(["--report", "json,ndjson"])
        .args(["--report-json-path", report.to_str().unwrap()])
        .args(["--report-ndjson-path", events.to_str().unwrap()])
        .current_dir(directory.path())
        .env("SCHEMATHESIS_HOOKS", "hooks")
        .env("PYTHONPATH", hooks)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("VESTRY_WORLD", at("world.json"))
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let ran = tokio::time::timeout(PATIENCE, running)
        .await
        .expect("it ends in time")
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        ran.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!(report["failures"], json!([]), "{told}");
    assert_eq!(report["errors"], json!([]), "{told}");
    for phase in ["examples", "coverage", "fuzzing", "stateful"] {
        assert_eq!(report["phases"][phase]["status"], "success", "{phase}");
    }
    let operations = &report["operations"];
    assert_eq!(operations["tested"], operations["total"], "{operations}");

    // Every operation of the document was asked, and every one succeeded at least once.
    let answers = answers(&events);
    let document = server.client().get("/openapi.json").await.expect(200).body;
    let mut missing = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let operation = format!("{} {path}", method.to_uppercase());
            // It is what the run itself begins with.
            if operation == "GET /openapi.json" {
                continue;
            }
            let statuses = answers.get(&operation).cloned().unwrap_or_default();
            if !statuses.iter().any(|status| (200..300).contains(status)) {
                missing.push(format!("{operation}: {statuses:?}"));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "never succeeded:\n{}",
        missing.join("\n")
    );
    println!(
        "{} requests to {} operations",
        report["test_cases"]["generated"], operations["tested"]
    );
}
