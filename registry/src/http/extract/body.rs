//! Bodies: strict JSON, or Markdown where a route takes a SKILL.md.

use axum::body::{Bytes, HttpBody as _};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::accept::MARKDOWN;
use super::{strict, words};
use crate::http::problem::Problem;

/// The most bytes of a body.
pub const BODY_LIMIT: usize = 1024 * 1024;

const JSON: &str = "application/json";

/// A JSON body. `T` refuses unknown fields (`#[serde(deny_unknown_fields)]`; a test over the route
/// table holds every body to that).
#[derive(Debug, Clone)]
pub struct Body<T>(pub T);

/// A JSON body that may be left out: no body at all is `T::default()`.
#[derive(Debug, Clone)]
pub struct OptionalBody<T>(pub T);

/// A JSON body, or a text as `text/markdown`.
#[derive(Debug, Clone)]
pub enum JsonOrMarkdown<T> {
    /// The body was JSON.
    Json(T),
    /// The body was Markdown: valid UTF-8, otherwise untouched.
    Markdown(String),
}

impl<T, S> FromRequest<S> for Body<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        parse_json(&read_json(request).await?).map(Self)
    }
}

/// The bytes of a body that says that it is JSON.
pub(in crate::http) async fn read_json(request: Request) -> Result<Bytes, Problem> {
    if !is(request.headers(), JSON) {
        return Err(Problem::UnsupportedMediaType { expected: &[JSON] });
    }
    read(request).await
}

impl<T, S> FromRequest<S> for OptionalBody<T>
where
    T: DeserializeOwned + Default,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let typed = request.headers().contains_key(header::CONTENT_TYPE);
        let is_json = is(request.headers(), JSON);
        // A body of another type is refused before it is read; an absent one needs no type.
        if typed && !is_json {
            return Err(Problem::UnsupportedMediaType { expected: &[JSON] });
        }
        let bytes = read(request).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        if !is_json {
            return Err(Problem::UnsupportedMediaType { expected: &[JSON] });
        }
        parse_json(&bytes).map(Self)
    }
}

impl<T, S> FromRequest<S> for JsonOrMarkdown<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if is(request.headers(), JSON) {
            return parse_json(&read(request).await?).map(Self::Json);
        }
        if is(request.headers(), MARKDOWN) {
            let bytes = read(request).await?;
            return match std::str::from_utf8(&bytes) {
                Ok(text) => Ok(Self::Markdown(text.to_owned())),
                Err(_) => Err(Problem::malformed("Send the body in UTF-8.")),
            };
        }
        Err(Problem::UnsupportedMediaType {
            expected: &[JSON, MARKDOWN],
        })
    }
}

/// Whether the bytes are what they are said to be, and not something that has to be unpacked first.
fn is_plain(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .all(|value| value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Whether the content type is that of JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    is(headers, JSON)
}

/// Whether the content type is this one, in UTF-8 if it names a character set.
pub(super) fn is(headers: &HeaderMap, wanted: &str) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    if !is_plain(headers) {
        return false;
    }
    // Two content types are two opinions about the same bytes.
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    let Ok(text) = value.to_str() else {
        return false;
    };
    let mut parts = text.split(';').map(str::trim);
    let named = parts
        .next()
        .is_some_and(|essence| essence.eq_ignore_ascii_case(wanted));
    named
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((key, value)) if key.eq_ignore_ascii_case("charset") => {
                value.trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}

/// Reads the whole body, but never more than [`BODY_LIMIT`] bytes of it. What comes in one piece, as small ones do, is
/// not copied.
async fn read(request: Request) -> Result<Bytes, Problem> {
    let mut body = Limited::new(request.into_body(), BODY_LIMIT);
    let mut whole = Bytes::new();
    let mut gathered = Vec::new();
    while !body.is_end_stream() {
        let Some(frame) = body.frame().await else {
            break;
        };
        let frame = frame.map_err(|error| {
            if error.is::<LengthLimitError>() {
                Problem::TooLarge { limit: BODY_LIMIT }
            } else {
                // The client went away or broke the framing: whatever is answered, it is not the server's fault.
                Problem::malformed("The body ended early or is framed wrongly. Send it again.")
            }
        })?;
        // Trailers say nothing about the body.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if whole.is_empty() && gathered.is_empty() {
            whole = data;
        } else {
            gathered.extend_from_slice(&whole);
            whole = Bytes::new();
            gathered.extend_from_slice(&data);
        }
    }
    Ok(if gathered.is_empty() {
        whole
    } else {
        gathered.into()
    })
}

/// Refuses a JSON object with a NUL in a text that is kept: PostgreSQL keeps no such text, and no text for people has one. A
/// password may have one, because it is not kept.
pub(crate) fn refuse_nul(object: &[u8]) -> Result<(), Problem> {
    const ESCAPED: &[u8] = b"\\u0000";
    // Unescaped it is no JSON. What looks like the escape may be one of a backslash: then the values tell.
    if !object
        .windows(ESCAPED.len())
        .any(|window| window == ESCAPED)
    {
        return Ok(());
    }
    let members: Map<String, Value> = parse_json(object)?;
    let kept = members.iter().filter(|(name, _)| *name != "password");
    if kept.into_iter().any(|(_, value)| has_nul(value)) {
        return Err(Problem::malformed(
            "A text has the character U+0000, which no text may have. Leave it out.",
        ));
    }
    Ok(())
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// One JSON text and nothing after it. serde_json refuses nesting deeper than 128 by itself.
pub(crate) fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(Problem::malformed("Send the body in UTF-8."));
    };
    if text.trim_ascii().is_empty() {
        return Err(Problem::malformed("Send a JSON object as the body."));
    }
    // Where it breaks is only looked for when it does.
    let mut deserializer = serde_json::Deserializer::from_str(text);
    if let Ok(value) = strict::object(&mut deserializer)
        && deserializer.end().is_ok()
    {
        return Ok(value);
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut deserializer, &mut track);
    let value = strict::object(tracked).map_err(|error: serde_json::Error| {
        let error = serde_path_to_error::Error::new(track.path(), error);
        let is_syntax = error.inner().is_syntax() || error.inner().is_eof();
        // The path at which the syntax breaks is a coincidence of how far the parser had come.
        let field = if is_syntax {
            None
        } else {
            words::field(error.path())
        };
        words::problem(field, &error.inner().to_string())
    })?;
    deserializer
        .end()
        .map_err(|error| words::problem(None, &error.to_string()))?;
    Ok(value)
}
