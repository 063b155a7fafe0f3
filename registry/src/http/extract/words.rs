//! What a deserializer's message becomes before a caller reads it.

use std::borrow::Cow;

use vestry_policies::{IdError, NameError};

use crate::http::problem::{Fault, Problem};

/// The most characters of a message that are sent: it may quote the request.
const LONGEST_MESSAGE: usize = 300;

const NAMES: [NameError; 3] = [NameError::Empty, NameError::TooLong, NameError::Grammar];
const IDS: [IdError; 4] = [
    IdError::Empty,
    IdError::TooLong,
    IdError::Character,
    IdError::Reserved,
];

/// Rust's words and the caller's, in this order: a longer one before its prefix.
const WORDS: [(&str, &str); 18] = [
    ("expected struct", "expected an object:"),
    ("expected a sequence", "expected an array"),
    ("expected a map", "expected an object"),
    ("expected a string", "expected a text"),
    ("expected u128", "expected a whole number from 0"),
    ("expected u64", "expected a whole number from 0"),
    ("expected u32", "expected a whole number from 0"),
    ("expected u16", "expected a whole number from 0"),
    ("expected usize", "expected a whole number from 0"),
    ("expected u8", "expected a whole number from 0"),
    ("expected i64", "expected a whole number"),
    ("expected i32", "expected a whole number"),
    ("expected i16", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("invalid type: unit value", "invalid type: null"),
    ("invalid type: map", "invalid type: object"),
    ("invalid type: sequence", "invalid type: array"),
    ("invalid type: string", "invalid type: text"),
];

/// A message of serde in words that name no type of Rust's, of bounded length.
fn plain(message: &str) -> String {
    let mut text: String = without_values(message);
    for (rust, ours) in WORDS {
        if text.contains(rust) {
            text = text.replace(rust, ours);
        }
    }
    // `expected an object: CatalogRequest` names the struct: the caller has no use for it.
    if let Some((before, after)) = text.split_once("expected an object: ") {
        let rest = after
            .split_once(|c: char| !c.is_alphanumeric() && c != '_')
            .map_or("", |(_, rest)| rest);
        text = format!(
            "{before}expected an object{}{rest}",
            if rest.is_empty() { "" } else { " " }
        );
    }
    if text.chars().count() > LONGEST_MESSAGE {
        text = text.chars().take(LONGEST_MESSAGE).chain(['…']).collect();
    }
    text
}

/// The message without the text that was sent, which may be a password in the wrong place.
fn without_values(message: &str) -> String {
    for kind in ["invalid type: string", "invalid value: string"] {
        if let Some(rest) = message.strip_prefix(kind)
            && let Some((_, after)) = rest.rsplit_once("\", expected")
        {
            return format!("{kind}, expected{after}");
        }
    }
    message.to_owned()
}

/// The problem of a field that does not deserialise. A name or an id that breaks its grammar is
/// told apart by the message that its parser gave, because serde keeps nothing else of an error.
pub(super) fn problem(field: Option<String>, message: &str) -> Problem {
    let stripped = match message.rsplit_once(" at line ") {
        Some((before, _)) => before,
        None => message,
    };
    let field = complete(field, stripped);
    let fault = |detail: String| Fault {
        detail: detail.into(),
        field: field.clone().map(Cow::Owned),
    };
    if NAMES.iter().any(|error| error.to_string() == stripped) {
        return Problem::InvalidName(fault(sentence(stripped)));
    }
    if IDS.iter().any(|error| error.to_string() == stripped) {
        return Problem::InvalidId(fault(sentence(stripped)));
    }
    let plain = plain(message);
    Problem::Malformed(fault(match &field {
        Some(field) => format!("Correct `{field}`: {plain}."),
        None => format!("Correct the request: {plain}."),
    }))
}

/// A field that is missing or sent twice is blamed on the object by serde; its message has the name.
fn complete(object: Option<String>, message: &str) -> Option<String> {
    let name = ["missing field `", "duplicate field `"]
        .iter()
        .find_map(|prefix| message.strip_prefix(prefix))
        .and_then(|rest| rest.strip_suffix('`'));
    match (object, name) {
        (None, Some(name)) => Some(name.to_owned()),
        (Some(object), Some(name)) => Some(format!("{object}.{name}")),
        (object, None) => object,
    }
}

/// A lower-case message as a sentence.
pub(super) fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).chain(['.']).collect(),
        None => String::new(),
    }
}

/// The path of a field, or none at the root.
pub(super) fn field(path: &serde_path_to_error::Path) -> Option<String> {
    let text = path.to_string();
    (text != ".").then(|| {
        if text.chars().count() > LONGEST_MESSAGE {
            text.chars().take(LONGEST_MESSAGE).chain(['…']).collect()
        } else {
            text
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_no_rust_type() {
        assert_eq!(
            plain("invalid type: map, expected u32 at line 1 column 9"),
            "invalid type: object, expected a whole number from 0 at line 1 column 9"
        );
        assert_eq!(
            plain("invalid type: sequence, expected struct CatalogRequest at line 1 column 0"),
            "invalid type: array, expected an object at line 1 column 0"
        );
    }

    #[test]
    fn repeats_no_text_that_was_sent() {
        let message = "invalid type: string \"my \\\", expected password\", expected an object at line 1 column 9";
        assert_eq!(
            plain(message),
            "invalid type: text, expected an object at line 1 column 9"
        );
    }

    #[test]
    fn tells_names_and_ids_apart() {
        let message = format!("{} at line 1 column 3", NameError::Empty);
        assert!(matches!(
            problem(Some("name".into()), &message),
            Problem::InvalidName(_)
        ));
        assert!(matches!(
            problem(None, &IdError::Reserved.to_string()),
            Problem::InvalidId(_)
        ));
    }
}
