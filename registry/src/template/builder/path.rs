//! The place of a value in the data of a run.

use std::fmt::Write as _;

/// A step on the way to a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'a> {
    /// A field of an object.
    Field(&'a str),
    /// An item of a list.
    Item(usize),
    /// A key of a map.
    Key(&'a str),
}

/// The most characters of a key that a path repeats.
const MAX_KEY: usize = 64;

/// The path in words, such as `opening.task.events[3].at` or `labels["a b"]`.
pub(super) fn text(steps: &[Step<'_>]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Field(name) if is_plain(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
            }
            Step::Item(index) => {
                let _ = write!(path, "[{index}]");
            }
            Step::Field(key) | Step::Key(key) => {
                let short: String = key.chars().take(MAX_KEY).collect();
                let dots = if short.len() < key.len() { "…" } else { "" };
                let quoted = serde_json::Value::from(short + dots);
                let _ = write!(path, "[{quoted}]");
            }
        }
    }
    path
}

/// The names of the fields on the way, which is the path in the schema.
pub(super) fn names<'a>(steps: &[Step<'a>]) -> Vec<&'a str> {
    steps
        .iter()
        .filter_map(|step| match step {
            Step::Field(name) => Some(*name),
            Step::Item(_) | Step::Key(_) => None,
        })
        .collect()
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_KEY
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
