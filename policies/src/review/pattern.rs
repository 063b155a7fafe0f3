//! Which names of skills a tenant has reviewed: a name, names that begin alike, or all.

use std::fmt;

use crate::name::SkillName;

/// Names of skills: `refund-policy`, `refund-*` or `*`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NamePattern {
    /// Every name: `*`.
    All,
    /// The names that begin with these words: `refund-*`.
    Beginning(SkillName),
    /// This name.
    Exactly(SkillName),
}

/// Why a text is not a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a name of a skill, the beginning of names with `-*` after it, or `*` for all")]
pub struct PatternError;

impl NamePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`PatternError`] when the text has none of the three forms.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if text == "*" {
            return Ok(Self::All);
        }
        let name = |text| SkillName::parse(text).map_err(|_| PatternError);
        match text.strip_suffix("-*") {
            Some(beginning) => name(beginning).map(Self::Beginning),
            None => name(text).map(Self::Exactly),
        }
    }

    /// Whether a name is one of these.
    #[must_use]
    pub fn matches(&self, name: &SkillName) -> bool {
        match self {
            Self::All => true,
            Self::Exactly(exact) => exact == name,
            Self::Beginning(words) => name
                .as_str()
                .strip_prefix(words.as_str())
                .is_some_and(|rest| rest.starts_with('-')),
        }
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Beginning(words) => write!(f, "{words}-*"),
            Self::Exactly(name) => write!(f, "{name}"),
        }
    }
}
