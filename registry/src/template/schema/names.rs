//! Which names a field may have: such that every path to it means the same to every engine.

use super::limits::MAX_NAME_CHARACTERS;

/// Names that no field may have: those of helpers and blocks, words of the template language, and members that
/// every object of another engine has. Names that begin with `else` are refused as well.
pub const RESERVED_NAMES: &[&str] = &[
    "and",
    "as",
    "constructor",
    "date",
    "default",
    "each",
    "eq",
    "false",
    "gt",
    "gte",
    "if",
    "indent",
    "inline",
    "join",
    "json",
    "len",
    "length",
    "log",
    "lookup",
    "lower",
    "lt",
    "lte",
    "ne",
    "not",
    "null",
    "or",
    "raw",
    "this",
    "true",
    "truncate",
    "undefined",
    "unless",
    "upper",
    "with",
];

/// Why a field may not have that name.
pub(super) fn refuse(name: &str) -> Option<String> {
    if RESERVED_NAMES.contains(&name) {
        return Some(format!(
            "`{name}` means something else in a template; give the field another name."
        ));
    }
    if name.starts_with("else") {
        return Some(format!(
            "`{name}` begins with `else`, which some engines read as a branch; give the field another name."
        ));
    }
    if !is_name(name) {
        return Some(format!(
            "`{name}` is no name for a field; write it with small letters, digits and `_`, a letter first, at most {MAX_NAME_CHARACTERS} characters."
        ));
    }
    None
}

fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME_CHARACTERS
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Whether it is a word that an enum or a situation may use.
pub(super) fn is_word(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= MAX_NAME_CHARACTERS
        && word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}
