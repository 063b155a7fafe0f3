//! Why something is proposed, and what speaks for it.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::content::{check_line, check_text};
use crate::http::extract::{object, present, without_null_defaults};
use crate::http::problem::{Fault, Problem};

/// The most characters of a rationale, and of a comment.
const MAX_TEXT: usize = 4_000;
/// The most characters of a name in evidence.
const MAX_NAME: usize = 128;
/// The most links.
const MAX_LINKS: usize = 10;
/// The most characters of a link.
const MAX_LINK: usize = 2_000;

/// What speaks for a proposal: where it was learned.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults)]
pub(in crate::http) struct Evidence {
    /// The turn that it was learned in.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "String")]
    turn: Option<String>,
    /// The id of the offer that the turn had: the `jti` in it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "String")]
    offer: Option<String>,
    /// Up to 10 `https` links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<String>,
}

impl Evidence {
    /// Checks it, and writes it as a document.
    pub(super) fn document(&self) -> Result<String, Problem> {
        let Self { turn, offer, links } = self;
        for (field, text) in [("evidence.turn", turn), ("evidence.offer", offer)] {
            if let Some(text) = text {
                line(field, text, MAX_NAME)?;
            }
        }
        if links.len() > MAX_LINKS {
            return Err(Problem::InvalidContent(Fault::at(
                "evidence.links",
                format!("Send at most {MAX_LINKS} links."),
            )));
        }
        for (at, link) in links.iter().enumerate() {
            let field = format!("evidence.links[{at}]");
            line(field.clone(), link, MAX_LINK)?;
            let host = link.strip_prefix("https://").unwrap_or_default();
            if host.is_empty() || host.starts_with('/') || link.contains(char::is_whitespace) {
                return Err(Problem::InvalidContent(Fault::at(
                    field,
                    "A link begins with `https://` and a host, and has no white space.",
                )));
            }
        }
        serde_json::to_string(self).map_err(Problem::internal)
    }

    /// Reads a document that was written.
    pub(super) fn read(document: &str) -> Result<Option<Self>, Problem> {
        if document.is_empty() {
            return Ok(None);
        }
        serde_json::from_str(document)
            .map(Some)
            .map_err(Problem::internal)
    }
}

/// Evidence that may be left out, and is neither null nor the values of its members in an array.
pub(super) fn maybe_evidence<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Evidence>, D::Error> {
    object(deserializer).map(Some)
}

/// Checks a text of up to 4,000 characters that people will read.
pub(super) fn prose(field: &'static str, text: String) -> Result<String, Problem> {
    if text.trim().is_empty() || text.chars().count() > MAX_TEXT {
        return Err(Problem::InvalidContent(Fault::at(
            field,
            format!("Write a text of 1 to {MAX_TEXT} characters."),
        )));
    }
    check_text(&text).map_err(|error| {
        Problem::InvalidContent(Fault::at(
            field,
            format!("The {field} is refused: {error}."),
        ))
    })?;
    Ok(text)
}

fn line(
    field: impl Into<std::borrow::Cow<'static, str>>,
    text: &str,
    most: usize,
) -> Result<(), Problem> {
    let length = text.chars().count();
    if (1..=most).contains(&length) && check_line(text).is_ok() {
        return Ok(());
    }
    Err(Problem::InvalidContent(Fault::at(
        field,
        format!("Write a line of 1 to {most} characters that all show."),
    )))
}
