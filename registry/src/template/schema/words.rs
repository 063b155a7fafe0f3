//! Types in words, for faults and for the reference.

use super::types::{Object, Type};

impl Type {
    /// The type in words, such as `text of at most 300 characters`.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Str { max } => format!("text of at most {max} characters"),
            Self::Enum { values } => {
                let words: Vec<String> = values.iter().map(|word| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Int { min, max } => format!("whole number from {min} to {max}"),
            Self::Bool => "true or false".to_owned(),
            Self::Object(_) => "object".to_owned(),
            Self::List { of, max } => {
                format!("list of at most {max} items, each {}", of.with_article())
            }
            Self::Map { of, max, key_max } => format!(
                "map of at most {max} entries, each {}, under keys of at most {key_max} characters",
                of.with_article()
            ),
        }
    }

    /// The type in words, with an article before it.
    pub(in crate::template) fn with_article(&self) -> String {
        let words = self.in_words();
        match self {
            Self::Enum { .. } | Self::Bool => words,
            Self::Object(_) => format!("an {words}"),
            _ => format!("a {words}"),
        }
    }

    /// The fields that a path finds below: those of the object itself, of the items of a list or of the values of a map.
    #[must_use]
    pub fn inner_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            Self::List { of, .. } | Self::Map { of, .. } => of.inner_object(),
            Self::Str { .. } | Self::Enum { .. } | Self::Int { .. } | Self::Bool => None,
        }
    }
}
