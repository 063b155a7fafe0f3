//! What became of each skill of an import.

use serde_json::Value;

/// What became of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is new, or would be.
    Created,
    /// It has a new revision, or would have.
    Updated,
    /// It was there already.
    Unchanged,
    /// It is not there, and why.
    Refused {
        /// The problem's code, or empty.
        code: String,
        /// The rule, or empty.
        rule: String,
        /// One sentence.
        reason: String,
    },
    /// Nobody tried, because it would have been in vain.
    NotTried,
}

impl Verdict {
    /// A refusal that is not the server's.
    pub(super) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused {
            code: String::new(),
            rule: String::new(),
            reason: reason.into(),
        }
    }
}

/// A skill and what became of it.
#[derive(Debug, Clone)]
pub(super) struct Done {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) verdict: Verdict,
    /// What the server warns of.
    pub(super) warnings: Vec<String>,
    /// What the server's scanner found.
    pub(super) findings: Vec<Value>,
    /// Why the rest is in vain, and what to do.
    pub(super) fatal: Option<String>,
}

impl Done {
    pub(super) fn new(name: &str, path: &str, verdict: Verdict) -> Self {
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
            verdict,
            warnings: Vec::new(),
            findings: Vec::new(),
            fatal: None,
        }
    }
}
