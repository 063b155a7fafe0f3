//! Where a prompt came from, in one word.

use std::fmt;

use super::TemplateKey;
use crate::item::ItemName;
use crate::scope::Scope;

/// The most characters of a caller's label.
const MAX_LABEL: usize = 512;

/// Why a text is no label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a source is one line of 1 to {MAX_LABEL} characters")]
pub struct LabelError;

/// What a caller says of where its template came from. It is recorded, and nothing reads it: neither does it grant anything, nor
/// does it change what is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLabel(String);

impl SourceLabel {
    /// Parses a label.
    ///
    /// # Errors
    /// When it is empty, too long or of several lines.
    pub fn parse(text: &str) -> Result<Self, LabelError> {
        let is_line = !text.trim().is_empty()
            && text.chars().count() <= MAX_LABEL
            && !text.chars().any(char::is_control);
        if is_line {
            Ok(Self(text.to_owned()))
        } else {
            Err(LabelError)
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where a prompt came from. Its text is what is recorded with a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolvedSource {
    /// The launch input had the text: `input:inline`.
    InputInline,
    /// The launch input named a file of the worktree: `repo:@path`.
    InputPath(String),
    /// A file of the user's own library: `user:<file>`.
    User(String),
    /// A template of the registry: `registry:<scope>/<name>@<revision>`.
    Registry {
        /// Where it lives.
        scope: Scope,
        /// Its name.
        name: ItemName,
        /// The number of the revision.
        revision: u32,
    },
    /// A committed file of the repository: `repo:.conductor/<key>.md`.
    Repository(TemplateKey),
    /// The default that comes with Vestry: `bundled:<key>`.
    Bundled(TemplateKey),
    /// The prompt that the workflow has itself: `workflow:inline-prompt`.
    InlinePrompt,
}

impl fmt::Display for ResolvedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InputInline => f.write_str("input:inline"),
            Self::InputPath(path) => write!(f, "repo:@{path}"),
            Self::User(file) => write!(f, "user:{file}"),
            Self::Registry {
                scope,
                name,
                revision,
            } => write!(f, "registry:{scope}/{}@{revision}", name.name()),
            Self::Repository(key) => write!(f, "repo:.conductor/{}", key.file()),
            Self::Bundled(key) => write!(f, "bundled:{key}"),
            Self::InlinePrompt => f.write_str("workflow:inline-prompt"),
        }
    }
}
