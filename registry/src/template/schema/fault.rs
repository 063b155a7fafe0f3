//! What is wrong with a schema, and where.

use schemars::JsonSchema;
use serde::Serialize;

/// A fault of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[error("{}{detail}", place(.path))]
pub struct SchemaFault {
    /// The JSON pointer of the place, such as `/properties/task/maxItems`; empty for the document.
    pub path: String,
    /// One sentence that says what to do.
    pub detail: String,
}

fn place(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!("{path}: ")
    }
}

/// The most faults that are told of one document.
const MAX_FAULTS: usize = 100;

/// The faults found so far, and the place that is being read.
#[derive(Debug, Default)]
pub(super) struct Faults {
    found: Vec<SchemaFault>,
    path: Vec<String>,
}

impl Faults {
    /// Something is wrong at the place that is being read. What a shared definition does wrong is told once.
    pub(super) fn here(&mut self, detail: impl Into<String>) {
        let fault = SchemaFault {
            path: pointer(&self.path),
            detail: detail.into(),
        };
        if self.found.len() < MAX_FAULTS && !self.found.contains(&fault) {
            self.found.push(fault);
        }
    }

    /// Something is wrong one step below the place that is being read.
    pub(super) fn below(&mut self, step: &str, detail: impl Into<String>) {
        self.enter(step);
        self.here(detail);
        self.leave();
    }

    /// Goes one step down.
    pub(super) fn enter(&mut self, step: impl Into<String>) {
        self.path.push(step.into());
    }

    /// Comes back up.
    pub(super) fn leave(&mut self) {
        self.path.pop();
    }

    /// Goes to another place of the document, and says where it was.
    pub(super) fn jump(&mut self, path: Vec<String>) -> Vec<String> {
        std::mem::replace(&mut self.path, path)
    }

    /// Whether nothing is wrong so far.
    pub(super) fn none(&self) -> bool {
        self.found.is_empty()
    }

    /// Everything that is wrong.
    pub(super) fn into_list(self) -> Vec<SchemaFault> {
        self.found
    }
}

fn pointer(path: &[String]) -> String {
    path.iter()
        .map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1")))
        .collect()
}
