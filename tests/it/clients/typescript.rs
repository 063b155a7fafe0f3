//! The TypeScript package: checked and built by the compiler, and run against a server as it is written.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::{Stage, examples, passed, succeed};
use crate::harness::{Directory, node_tools, skipped};

/// Node, with whatever npm has put beside it.
pub(crate) fn node(tools: &Path) -> Command {
    tool(tools, "node")
}

fn tool(tools: &Path, name: &str) -> Command {
    let bin = tools.join("node_modules/.bin");
    let mut command = Command::new(bin.join(name));
    let others = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(bin).chain(std::env::split_paths(&others));
    command.env("PATH", std::env::join_paths(paths).unwrap());
    command
}

fn package() -> PathBuf {
    examples("clients/typescript")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_does_all_that_a_loop_needs() {
    let Some(tools) = node_tools() else { return };
    let mut stage = Stage::set().await;
    let mut script = node(&tools);
    script.arg(package().join("tests/run.ts"));
    let printed = stage.play(script).await;
    assert_eq!(passed(&printed, "node"), 15, "{printed}");
}

/// A directory in whose `node_modules` the compiled package is, as npm would put it there.
pub(super) async fn build(tools: &Path) -> Option<Directory> {
    if !tools.join("node_modules/.bin/tsc").exists() {
        skipped("VESTRY_NODE_TOOLS has no typescript");
        return None;
    }
    let built = Directory::new();
    let home = built.path().join("node_modules/vestry-client");
    std::fs::create_dir_all(&home).unwrap();
    let mut build = tool(tools, "tsc");
    build
        .args(["-p", "tsconfig.json", "--outDir"])
        .arg(home.join("dist"))
        .arg("--typeRoots")
        .arg(tools.join("node_modules/@types"))
        .current_dir(package());
    succeed(&mut build).await;
    assert!(home.join("dist/index.d.ts").exists());
    std::fs::copy(package().join("package.json"), home.join("package.json")).unwrap();
    Some(built)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_package_its_tests_and_the_loop_are_typed() {
    let Some(tools) = node_tools() else { return };
    if !tools.join("node_modules/.bin/tsc").exists() {
        skipped("VESTRY_NODE_TOOLS has no typescript");
        return;
    }
    let mut check = tool(&tools, "tsc");
    check
        .args(["--noEmit", "-p", "tsconfig.check.json", "--typeRoots"])
        .arg(tools.join("node_modules/@types"))
        .current_dir(package());
    succeed(&mut check).await;
}
