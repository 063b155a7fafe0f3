//! An answer, read whole.

use axum::body::Bytes;
use hyper::StatusCode;
use hyper::header::{ETAG, HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body's bytes.
    pub bytes: Bytes,
    /// The body as JSON; null when something else was asked for, and in a refusal that is none.
    pub body: Value,
}

impl Answer {
    /// A text of the body, or an empty one.
    #[must_use]
    pub fn text(&self, field: &str) -> &str {
        self.body
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// A header as a text, or none.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The entity tag, with its quotes.
    #[must_use]
    pub fn entity_tag(&self) -> Option<&str> {
        self.header(ETAG.as_str())
    }

    /// The seconds that the server asks to wait, where it says so in seconds.
    #[must_use]
    pub fn retry_after(&self) -> Option<u64> {
        self.header(RETRY_AFTER.as_str())?.trim().parse().ok()
    }
}
