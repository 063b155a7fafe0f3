//! Identifiers of tenants, actors, agents and humans.
//!
//! One grammar serves all of them: 1 to 64 characters of `[A-Za-z0-9._:@+-]`, not `.` or `..`,
//! and neither `null` nor `undefined`, which are what a careless client sends for "nothing".

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a text is not an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The text is empty.
    #[error("an id may not be empty")]
    Empty,
    /// The text is longer than [`MAX_ID_LEN`] characters.
    #[error("an id has at most {MAX_ID_LEN} characters")]
    TooLong,
    /// The text has a character outside the grammar.
    #[error("an id is made of letters, digits and `. _ : @ + -` only")]
    Character,
    /// The text is one of the words that are refused: `.`, `..`, `null`, `undefined`.
    #[error("`.`, `..`, `null` and `undefined` are not ids")]
    Reserved,
}

/// The most characters of an id.
pub const MAX_ID_LEN: usize = 64;

fn check(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if !text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'@' | b'+' | b'-'))
    {
        return Err(IdError::Character);
    }
    if text.len() > MAX_ID_LEN {
        return Err(IdError::TooLong);
    }
    if matches!(text, "." | "..")
        || text.eq_ignore_ascii_case("null")
        || text.eq_ignore_ascii_case("undefined")
    {
        return Err(IdError::Reserved);
    }
    Ok(())
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses an id; see the [module](self) for the grammar.
            ///
            /// # Errors
            /// An [`IdError`] that says which part of the grammar the text breaks.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                check(text)?;
                Ok(Self(Arc::from(text)))
            }

            /// The id as it was written.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The id with ASCII letters in lower case: what uniqueness without regard to case compares.
            #[must_use]
            pub fn folded(&self) -> String {
                self.0.to_ascii_lowercase()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}

id_type! {
    /// A tenant. Unique without regard to case.
    TenantId
}
id_type! {
    /// An actor: whose skills an `actor:` scope holds. Belongs to a tenant; the same text in two tenants is two actors.
    ActorId
}
id_type! {
    /// An agent: the program that acts for an actor.
    AgentId
}
id_type! {
    /// A human's name in this installation. Unique without regard to case; the human's actor id in every tenant.
    Username
}

impl From<&Username> for ActorId {
    fn from(username: &Username) -> Self {
        Self(Arc::clone(&username.0))
    }
}
