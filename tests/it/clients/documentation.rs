//! What `docs/clients.md` shows runs as it stands there, with the packages as their users get them.

use std::path::PathBuf;

use super::python::{install, python};
use super::typescript::{build, node};
use super::{Stage, examples};
use crate::harness::{Directory, node_tools, python_tools};

fn page() -> String {
    std::fs::read_to_string(examples("../docs/clients.md")).unwrap()
}

/// The one block of this language on the page.
fn block(language: &str) -> String {
    let page = page();
    let fence = format!("\n```{language}\n");
    let mut blocks = page.split(&fence).skip(1);
    let block = blocks.next().and_then(|rest| rest.split("\n```").next());
    assert!(blocks.next().is_none(), "more than one block of {language}");
    format!("{}\n", block.unwrap())
}

fn written(directory: &Directory, name: &str, text: &str) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

async fn has_proposed(stage: &Stage) {
    let proposals = stage.publisher.get("/v1/proposals").await.expect(200);
    assert_eq!(proposals.body["items"][0]["name"], "broken-parcels");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_of_the_page_runs() {
    let Some(tools) = python_tools() else { return };
    let installed = install(&tools).await;
    let mut stage = Stage::set().await;
    let mut script = python(&tools);
    script
        .arg(written(&installed, "page.py", &block("python")))
        .env("PYTHONPATH", installed.path());
    let printed = stage.play(script).await;
    assert!(printed.contains("Do at acme."), "{printed}");
    has_proposed(&stage).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_of_the_page_runs() {
    let Some(tools) = node_tools() else { return };
    let Some(built) = build(&tools).await else {
        return;
    };
    let mut stage = Stage::set().await;
    let mut script = node(&tools);
    script.arg(written(&built, "page.mts", &block("ts")));
    let printed = stage.play(script).await;
    assert!(printed.contains("Do at acme."), "{printed}");
    has_proposed(&stage).await;
}

#[test]
fn the_rust_of_the_page_is_that_of_the_module() {
    // There it is compiled, as a doctest.
    let module = examples("../registry/src/client/agent/mod.rs");
    let module = std::fs::read_to_string(module).unwrap();
    let lines = module.lines().filter_map(|line| line.strip_prefix("//!"));
    let text: Vec<&str> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .filter(|line| !line.starts_with("# "))
        .collect();
    let text = text.join("\n");
    assert!(text.contains(block("rust").trim_end()), "{text}");
}
