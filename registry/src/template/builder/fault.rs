//! What is wrong with the data of a run, and what was cut of it.

use serde::Serialize;

/// The most faults that are told of one context.
pub const MAX_FAULTS: usize = 100;

/// Something that is wrong with the data of a run. The sentence never repeats the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}{detail}", place(.path))]
pub struct BuildFault {
    /// Where, such as `opening.task.events[3].at`; empty for the context as a whole.
    pub path: String,
    /// One sentence that says what to do.
    pub detail: String,
}

impl BuildFault {
    /// A fault of the context as a whole.
    pub(super) fn whole(detail: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            detail: detail.into(),
        }
    }
}

fn place(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!("{path}: ")
    }
}

/// What a maximum counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CutUnit {
    /// The characters of a text.
    Characters,
    /// The items of a list.
    Items,
    /// The entries of a map.
    Entries,
}

/// Something that was longer than its maximum and was cut to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// Where, such as `task.body`.
    pub path: String,
    /// What was counted.
    pub unit: CutUnit,
    /// How many the host gave.
    pub given: usize,
    /// How many were kept: the maximum of the schema.
    pub kept: usize,
}
