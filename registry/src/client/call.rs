//! A request, before it is known with which token it is sent.

use axum::body::Bytes;
use hyper::Method;
use hyper::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;

/// The media type of JSON.
pub(super) const JSON: &str = "application/json";

/// The media type of bytes as they are.
pub(crate) const BYTES: &str = "application/octet-stream";

/// A request that can be sent more than once.
#[derive(Debug, Clone)]
pub struct Call {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Bytes,
    is_without_answer: bool,
    is_message: bool,
    is_repeatable: bool,
}

/// What a successful answer has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted<'a> {
    /// A body of this media type.
    Body(&'a str),
    /// 204, which has none.
    Nothing,
    /// JSON, or 202, which has none: what a message of MCP is answered with.
    Message,
}

impl Call {
    /// A request without a body.
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            headers: Vec::new(),
            body: Bytes::new(),
            is_without_answer: false,
            is_message: false,
            is_repeatable: false,
        }
    }

    /// `GET path`.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// `POST path` with a JSON body.
    pub(crate) fn post(path: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::POST, path).json(body)
    }

    /// `POST path` with a message of MCP.
    pub(crate) fn message(path: &str, message: &Value) -> Self {
        let mut call = Self::post(path, message).accept("application/json, text/event-stream");
        call.is_message = true;
        call
    }

    /// `PUT path` with a JSON body.
    pub(crate) fn put(path: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::PUT, path).json(body)
    }

    /// `DELETE path`.
    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// With a JSON body.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.body(JSON, body.to_string())
    }

    /// With a body of this type.
    pub(crate) fn body(mut self, content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        self.body = bytes.into();
        self.header(CONTENT_TYPE.as_str(), content_type)
    }

    /// Asking for this type.
    pub(crate) fn accept(self, content_type: &'static str) -> Self {
        self.header(ACCEPT.as_str(), content_type)
    }

    /// Expecting 204: that it was done, and nothing else.
    pub(crate) fn without_answer(mut self) -> Self {
        self.is_without_answer = true;
        self
    }

    /// Doing no more when it is done twice, although its method does not say so.
    pub(super) fn repeatable(mut self) -> Self {
        self.is_repeatable = true;
        self
    }

    /// Whether it may be sent again when nobody knows whether it was done (RFC 9110, section 9.2.2).
    pub(super) fn is_repeatable(&self) -> bool {
        self.is_repeatable || self.method.is_idempotent()
    }

    /// What a successful answer has to be: what was asked for, and JSON unless told.
    pub(super) fn wanted(&self) -> Wanted<'_> {
        if self.is_without_answer {
            return Wanted::Nothing;
        }
        if self.is_message {
            return Wanted::Message;
        }
        let accept = self
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(ACCEPT.as_str()));
        Wanted::Body(accept.map_or(JSON, |(_, kind)| kind))
    }

    /// With a further header.
    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}
