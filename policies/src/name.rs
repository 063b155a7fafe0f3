//! Names of skills: the grammar of the Agent Skills specification, `^[a-z0-9]+(-[a-z0-9]+)*$`, 1 to 64 characters.
//!
//! Because every character is ASCII, order by bytes, by UTF-16 units and by characters is the same order.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most characters of a name.
pub const MAX_NAME_LEN: usize = 64;

/// Why a text is not a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The text is empty.
    #[error("a name may not be empty")]
    Empty,
    /// The text is longer than [`MAX_NAME_LEN`] characters.
    #[error("a name has at most {MAX_NAME_LEN} characters")]
    TooLong,
    /// The text breaks `^[a-z0-9]+(-[a-z0-9]+)*$`.
    #[error(
        "a name is made of lower-case letters, digits and single hyphens between them, like `refund-policy`"
    )]
    Grammar,
}

/// A name of a skill.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SkillName(Arc<str>);

impl SkillName {
    /// Parses a name.
    ///
    /// # Errors
    /// A [`NameError`] that says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        let words_are_valid = text.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        });
        if !words_are_valid {
            return Err(NameError::Grammar);
        }
        if text.len() > MAX_NAME_LEN {
            return Err(NameError::TooLong);
        }
        Ok(Self(Arc::from(text)))
    }

    /// A name again, of a text that was one.
    pub(crate) fn known(text: &str) -> Self {
        Self(Arc::from(text))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SkillName({})", self.0)
    }
}

impl FromStr for SkillName {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

impl std::borrow::Borrow<str> for SkillName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Serialize for SkillName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SkillName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}
