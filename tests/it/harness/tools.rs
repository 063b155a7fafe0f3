//! Tools of others that tests use, in directories that the environment names; see `.ci/run`.

use std::path::PathBuf;

use super::skipped;

/// The directory whose `node_modules` has Node itself and the packages of npm, from `VESTRY_NODE_TOOLS`.
pub(crate) fn node_tools() -> Option<PathBuf> {
    tools("VESTRY_NODE_TOOLS", "node_modules/.bin/node")
}

/// The virtual environment with the packages of `PyPI`, from `VESTRY_PYTHON_TOOLS`.
pub(crate) fn python_tools() -> Option<PathBuf> {
    tools("VESTRY_PYTHON_TOOLS", "bin/python")
}

fn tools(variable: &str, program: &str) -> Option<PathBuf> {
    let Some(directory) = std::env::var_os(variable).map(PathBuf::from) else {
        skipped(&format!("{variable} names no directory"));
        return None;
    };
    if !directory.join(program).exists() {
        skipped(&format!("{variable} names a directory without {program}"));
        return None;
    }
    Some(directory)
}
