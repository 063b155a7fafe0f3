//! Names of turns.

use std::fmt;
use std::sync::Arc;

/// The most characters of a turn's name.
pub const MAX_TURN_LEN: usize = 128;

/// A text is not a turn's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a turn is 1 to {MAX_TURN_LEN} letters, digits and `. _ : @ + -`")]
pub struct TurnNameError;

/// The name of a turn: 1 to 128 of `[A-Za-z0-9._:@+-]`, so that it needs no escaping in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnName(Arc<str>);

impl TurnName {
    /// Parses a name.
    ///
    /// # Errors
    /// [`TurnNameError`] when it breaks the grammar.
    pub fn parse(text: &str) -> Result<Self, TurnNameError> {
        let valid = (1..=MAX_TURN_LEN).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._:@+-".contains(&b));
        if valid {
            Ok(Self(Arc::from(text)))
        } else {
            Err(TurnNameError)
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TurnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
