//! Programs of others that tests run: clients from npm and PyPI.
//!
//! A test that needs one is skipped with a printed reason where it is missing, and fails there under CI.

use std::path::PathBuf;

use super::skipped;

/// The directory with `node_modules`, Node itself among them: `VESTRY_NODE_TOOLS`.
pub(crate) fn node_tools() -> Option<PathBuf> {
    tools("VESTRY_NODE_TOOLS", "node_modules/.bin/node")
}

/// A virtual environment with the Python packages: `VESTRY_PYTHON_TOOLS`.
pub(crate) fn python_tools() -> Option<PathBuf> {
    tools("VESTRY_PYTHON_TOOLS", "bin/python")
}

fn tools(variable: &str, program: &str) -> Option<PathBuf> {
    let directory = std::env::var_os(variable).map(PathBuf::from);
    let found = directory.filter(|directory| directory.join(program).exists());
    if found.is_none() {
        skipped(&format!("{variable} names no directory with {program}"));
    }
    found
}
