//! Which form of an answer is asked for: JSON, or the SKILL.md itself.

use std::str::FromStr as _;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use headers_accept::Accept;
use mediatype::{MediaType, Name};

use crate::http::problem::{Fault, Problem};

/// The media type of a SKILL.md (RFC 7763).
pub(in crate::http) const MARKDOWN: &str = "text/markdown";

const JSON_TYPE: MediaType<'_> =
    MediaType::new(mediatype::names::APPLICATION, mediatype::names::JSON);
const MARKDOWN_TYPE: MediaType<'_> =
    MediaType::new(mediatype::names::TEXT, Name::new_unchecked("markdown"));

/// The form of an answer that the `Accept` header prefers (RFC 9110, section 12.5.1). A header that names neither form
/// gets JSON, as one that was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Form {
    /// `application/json`.
    Json,
    /// `text/markdown`.
    Markdown,
}

impl<S: Send + Sync> FromRequestParts<S> for Form {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let values: Vec<&str> = parts
            .headers
            .get_all(header::ACCEPT)
            .iter()
            .map(|value| value.to_str())
            .collect::<Result<_, _>>()
            .map_err(|_| unreadable())?;
        if values.is_empty() {
            return Ok(Self::Json);
        }
        let accept = Accept::from_str(&values.join(", ")).map_err(|_| unreadable())?;
        Ok(match accept.negotiate(&[JSON_TYPE, MARKDOWN_TYPE]) {
            Some(chosen) if *chosen == MARKDOWN_TYPE => Self::Markdown,
            Some(_) | None => Self::Json,
        })
    }
}

fn unreadable() -> Problem {
    Problem::Malformed(Fault::at(
        "Accept",
        "The Accept header cannot be read. Send `application/json` or `text/markdown`.",
    ))
}
