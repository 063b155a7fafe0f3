//! What several endpoints say in the same words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::Mode;

use crate::clock::Micros;
use crate::content::check_line;
use crate::http::problem::{Fault, Problem};

/// The most characters of a reason.
const MAX_REASON: usize = 500;

/// A body that says why.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Reasoned {
    /// Why; one line of 1 to 500 characters, for the audit log.
    pub(in crate::http) reason: String,
}

/// How a skill reaches a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HowItComes {
    /// It is in the catalog, and loaded on demand.
    Triggered,
    /// It is rendered into every opening.
    Ambient,
}

impl From<HowItComes> for Mode {
    fn from(mode: HowItComes) -> Self {
        match mode {
            HowItComes::Triggered => Self::Triggered,
            HowItComes::Ambient => Self::Ambient,
        }
    }
}

/// Checks a reason.
pub(in crate::http) fn reason(text: String) -> Result<String, Problem> {
    short_line("reason", text, MAX_REASON)
}

/// Checks a line of at most `most` characters that people will read.
pub(in crate::http) fn short_line(
    field: &'static str,
    text: String,
    most: usize,
) -> Result<String, Problem> {
    if text.trim().is_empty() || text.chars().count() > most {
        return Err(Problem::InvalidContent(Fault::at(
            field,
            format!("Write a line of 1 to {most} characters."),
        )));
    }
    check_line(&text).map_err(|error| {
        Problem::InvalidContent(Fault::at(
            field,
            format!("The {field} is refused: {error}."),
        ))
    })?;
    Ok(text)
}

/// A time as answers write it.
pub(in crate::http) fn time(at: i64) -> String {
    Micros(at).rfc3339()
}

/// A time that a query names, RFC 3339.
pub(in crate::http) fn instant(field: &'static str, text: &str) -> Result<Micros, Problem> {
    text.parse::<jiff::Timestamp>()
        .map(|at| Micros(at.as_microsecond()))
        .map_err(|_| {
            Problem::Malformed(Fault::at(
                field,
                "Write a time with its offset, such as `2027-01-15T08:00:00Z`.",
            ))
        })
}
