//! Queries: strict, and paged where a route lists.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::words;
use crate::http::problem::{Fault, Problem};

/// The most items of a page.
pub const MAX_LIMIT: u32 = 200;
/// The items of a page when none are asked for.
pub const DEFAULT_LIMIT: u32 = 50;

/// The parameters of the query. `T` refuses unknown ones (`#[serde(deny_unknown_fields)]`; a test
/// over the route table holds every query to that).
#[derive(Debug, Clone)]
pub struct Query<T>(pub T);

/// No parameters besides those of a page.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoQuery {}

/// Which part of a list is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// How many items at most, 1 to 200.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    pub limit: u32,
    /// The `next_cursor` of the page before; left out for the first page.
    #[serde(default)]
    pub cursor: Option<String>,
}

fn default_limit() -> u32 {
    DEFAULT_LIMIT
}

/// A page, and the parameters of the query besides it.
///
/// serde cannot do this by flattening: a flattened number arrives as a text, and a flattened struct
/// cannot refuse what it does not know.
#[derive(Debug, Clone)]
pub struct Paged<T> {
    /// Which part of the list.
    pub page: Page,
    /// Which list.
    pub query: T,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parse(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Paged<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let (of_page, rest): (Vec<_>, Vec<_>) = parts
            .uri
            .query()
            .unwrap_or_default()
            .split('&')
            .partition(|pair| matches!(key(pair), "limit" | "cursor"));
        let page: Page = parse(&of_page.join("&"))?;
        if !(1..=MAX_LIMIT).contains(&page.limit) {
            return Err(Problem::Malformed(Fault::at(
                "limit",
                format!("Ask for 1 to {MAX_LIMIT} items."),
            )));
        }
        Ok(Self {
            page,
            query: parse(&rest.join("&"))?,
        })
    }
}

fn key(pair: &str) -> &str {
    pair.split_once('=').map_or(pair, |(key, _)| key)
}

fn parse<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    // The decoder below replaces bytes that are not UTF-8; a strict one says so.
    if !is_utf8_when_decoded(query) {
        return Err(Problem::malformed("Percent-encode the query in UTF-8."));
    }
    let pairs = form_urlencoded::parse(query.as_bytes());
    serde_path_to_error::deserialize(serde_urlencoded::Deserializer::new(pairs))
        .map_err(|error| words::problem(words::field(error.path()), &error.inner().to_string()))
}

fn is_utf8_when_decoded(query: &str) -> bool {
    let mut decoded = Vec::with_capacity(query.len());
    let mut bytes = query.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let mut digit = || {
            bytes
                .next()
                .and_then(|digit| char::from(digit).to_digit(16))
                .and_then(|digit| u8::try_from(digit).ok())
        };
        match (digit(), digit()) {
            (Some(high), Some(low)) => decoded.push(high << 4 | low),
            _ => return false,
        }
    }
    std::str::from_utf8(&decoded).is_ok()
}
