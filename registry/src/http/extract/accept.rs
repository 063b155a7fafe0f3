//! Which form of an answer is asked for: JSON, or the SKILL.md or file itself.

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
const BYTES_TYPE: MediaType<'_> = MediaType::new(
    mediatype::names::APPLICATION,
    mediatype::names::OCTET_STREAM,
);
const MARKDOWN_TYPE: MediaType<'_> =
    MediaType::new(mediatype::names::TEXT, Name::new_unchecked("markdown"));

/// The media type of a page.
pub(in crate::http) const HTML: &str = "text/html";

const HTML_TYPE: MediaType<'_> = MediaType::new(mediatype::names::TEXT, mediatype::names::HTML);

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
        Ok(match preferred(parts, &[JSON_TYPE, MARKDOWN_TYPE])? {
            Some(form) if form == MARKDOWN_TYPE => Self::Markdown,
            Some(_) | None => Self::Json,
        })
    }
}

/// The form of a document that is read by people too. As for [`Form`], a header that names none of them gets JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Readable {
    /// `application/json`.
    Json,
    /// `text/markdown`.
    Markdown,
    /// `text/html`.
    Html,
}

impl<S: Send + Sync> FromRequestParts<S> for Readable {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let available = [JSON_TYPE, MARKDOWN_TYPE, HTML_TYPE];
        Ok(match preferred(parts, &available)? {
            Some(form) if form == MARKDOWN_TYPE => Self::Markdown,
            Some(form) if form == HTML_TYPE => Self::Html,
            Some(_) | None => Self::Json,
        })
    }
}

/// Whether the client prefers the bytes of a file over JSON that describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantsBytes(pub bool);

impl<S: Send + Sync> FromRequestParts<S> for WantsBytes {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(
            preferred(parts, &[JSON_TYPE, BYTES_TYPE])? == Some(BYTES_TYPE),
        ))
    }
}

/// Which of these the `Accept` header prefers; none where it names none of them, or was left out.
fn preferred(
    parts: &Parts,
    available: &[MediaType<'static>],
) -> Result<Option<MediaType<'static>>, Problem> {
    let values: Vec<&str> = parts
        .headers
        .get_all(header::ACCEPT)
        .iter()
        .map(|value| value.to_str())
        .collect::<Result<_, _>>()
        .map_err(|_| unreadable())?;
    if values.is_empty() {
        return Ok(None);
    }
    let accept = Accept::from_str(&values.join(", ")).map_err(|_| unreadable())?;
    Ok(accept.negotiate(available).cloned())
}

fn unreadable() -> Problem {
    Problem::Malformed(Fault::at(
        "Accept",
        "The Accept header cannot be read. Send media types, such as `application/json`, with commas between them.",
    ))
}
