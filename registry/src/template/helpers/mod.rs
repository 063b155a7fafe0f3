//! The helpers: their table, from which the reference is made, and what they do.
//!
//! Each is total: it gives a value for every value of the types that the checker lets through, null included, and never fails.

pub mod date;
mod logic;
mod table;
mod text;

use std::ops::RangeInclusive;

use serde_json::Value as Json;

pub use table::{HelperDoc, table};

/// What a helper does with its arguments.
pub(super) type Function = fn(&[&Json]) -> Json;

/// Names that the engines know and templates may not use.
pub(super) const RESERVED: [&str; 7] = ["lookup", "log", "raw", "if", "unless", "with", "each"];

/// All helpers with what they do.
pub(super) const FUNCTIONS: [(&str, Function); 14] = [
    ("eq", logic::eq),
    ("ne", logic::ne),
    ("and", logic::and),
    ("or", logic::or),
    ("not", logic::not),
    ("len", text::len),
    ("default", logic::default),
    ("join", text::join),
    ("upper", text::upper),
    ("lower", text::lower),
    ("truncate", text::truncate),
    ("date", date::date),
    ("indent", text::indent),
    ("json", text::json),
];

/// Whether a value is true to a condition, as handlebars.js has it: an empty map is.
pub(super) fn truthy(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(truth) => *truth,
        Json::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Json::String(text) => !text.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(_) => true,
    }
}

/// Whether there is a helper of that name.
#[must_use]
pub fn is_helper(name: &str) -> bool {
    arity(name).is_some()
}

/// How many arguments a helper takes.
pub(super) fn arity(name: &str) -> Option<RangeInclusive<usize>> {
    Some(match name {
        "not" | "len" | "upper" | "lower" | "json" => 1..=1,
        "eq" | "ne" | "default" | "join" | "truncate" | "date" | "indent" => 2..=2,
        "and" | "or" => 2..=super::limits::ARGUMENTS,
        _ => return None,
    })
}

/// How a helper is written.
pub(super) fn usage(name: &str) -> String {
    match table().iter().find(|helper| helper.name == name) {
        Some(helper) => format!("write {}", helper.signature),
        None => "write the path: task.title".to_owned(),
    }
}
