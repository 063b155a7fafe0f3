//! The Python package: installed as users install it, against a server, blocking and awaited, and typed.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::{Stage, examples, passed, succeed};
use crate::harness::{Directory, python_tools, skipped};

/// The program in the environment of the tools.
pub(super) fn python(tools: &Path) -> Command {
    let mut python = Command::new(tools.join("bin/python"));
    python.env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

/// Installs the package from the checkout into a directory of its own. What it needs, and what builds it, is in the
/// environment of the tools, so that nothing is fetched.
pub(super) async fn install(tools: &Path) -> Directory {
    let directory = Directory::new();
    let mut pip = python(tools);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args(["--no-build-isolation", "--disable-pip-version-check"])
        .arg("--target")
        .arg(directory.path())
        .arg(package());
    succeed(&mut pip).await;
    directory
}

fn package() -> PathBuf {
    examples("clients/python")
}

async fn speaks(kind: &str) {
    let Some(tools) = python_tools() else { return };
    let (installed, mut stage) = tokio::join!(install(&tools), Stage::set());
    assert!(installed.path().join("vestry/py.typed").exists());
    let mut script = python(&tools);
    script
        .arg(package().join("tests/run.py"))
        .arg(kind)
        .env("PYTHONPATH", installed.path());
    let printed = stage.play(script).await;
    assert_eq!(passed(&printed, kind), 15, "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_blocking_client_does_all_that_a_loop_needs() {
    speaks("sync").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_awaited_client_does_all_that_a_loop_needs() {
    speaks("async").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_package_its_tests_and_the_loop_are_typed() {
    let Some(tools) = python_tools() else { return };
    if !tools.join("bin/mypy").exists() {
        skipped("VESTRY_PYTHON_TOOLS has no mypy");
        return;
    }
    let cache = Directory::new();
    let mut mypy = Command::new(tools.join("bin/mypy"));
    mypy.arg("--strict")
        .arg("--cache-dir")
        .arg(cache.path())
        .args(["src", "tests", "../../agent-loops/python/loop.py"])
        .current_dir(package());
    let printed = succeed(&mut mypy).await;
    assert!(printed.contains("no issues found"), "{printed}");
}
