//! What activating a context schema does, or would do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::template::evolve::Change;

/// A live template that fails under a schema. It tells nothing of its text where the caller may not read that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailingTemplate {
    /// The tenant whose it is; left out for what is nobody's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The scope, as its members write it.
    pub scope: String,
    /// The name.
    pub name: String,
    /// The number of the current revision; 0 for one of a read-only source.
    pub revision: u32,
    /// What is wrong first, such as `unknown-field`: the codes are those of the checker, and `unreadable` for damaged content.
    pub code: String,
    /// Where that is, from 1; left out where it is nowhere in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// One sentence.
    pub sentence: String,
}

/// What activating a schema does, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SchemaReport {
    /// The version that the schema gives itself.
    pub version: u32,
    /// The SHA-256 of its canonical text, in hexadecimal.
    pub digest: String,
    /// Whether it is the one that is part of the program.
    pub built_in: bool,
    /// Whether it is the active one already.
    pub unchanged: bool,
    /// Whether nothing that is there now can stop working by what changes in the schema.
    pub additive: bool,
    /// Whether `accept_breaking` is needed: it is not additive, or a live template fails.
    pub needs_acceptance: bool,
    /// What changes; at most 1,000 of them.
    pub changes: Vec<Change>,
    /// How many changes there are.
    pub changes_count: usize,
    /// How many live templates were checked again: the current revisions of all tenants, and what read-only sources list.
    pub checked: usize,
    /// Those that fail; at most 5,000 of them.
    pub failing: Vec<FailingTemplate>,
    /// How many fail.
    pub failing_count: usize,
}
