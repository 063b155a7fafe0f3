//! Preconditions (RFC 9110 §13) and idempotency keys.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};

use crate::http::problem::{Fault, Problem};

/// The most tags of one precondition.
const MAX_TAGS: usize = 32;

/// What a precondition names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tags {
    /// `*`: whatever there is.
    Any,
    /// The opaque parts of the entity tags, without their quotes.
    List(Vec<String>),
}

impl Tags {
    /// Whether what there is now is among what is named; nothing is there when `current` is none.
    #[must_use]
    pub fn include(&self, current: Option<&str>) -> bool {
        match (self, current) {
            (_, None) => false,
            (Self::Any, Some(_)) => true,
            (Self::List(tags), Some(current)) => tags.iter().any(|tag| tag == current),
        }
    }
}

/// `If-Match`: none when the header was left out. Weak tags are refused, because they never match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IfMatch(pub Option<Tags>);

/// `If-None-Match`: none when the header was left out. Weak tags count as strong ones, as RFC 9110 has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IfNoneMatch(pub Option<Tags>);

/// `Idempotency-Key`: none when the header was left out, else 1 to 128 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(pub Option<String>);

/// The longest idempotency key.
const LONGEST_KEY: usize = 128;

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        tags(&parts.headers, &header::IF_MATCH, false).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        tags(&parts.headers, &header::IF_NONE_MATCH, true).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all("idempotency-key").iter();
        let Some(value) = values.next() else {
            return Ok(Self(None));
        };
        let text = value.to_str().unwrap_or_default();
        let valid = (1..=LONGEST_KEY).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_graphic())
            && values.next().is_none();
        if valid {
            Ok(Self(Some(text.to_owned())))
        } else {
            Err(Problem::Malformed(Fault::at(
                "Idempotency-Key",
                "Send one key of 1 to 128 visible ASCII characters.",
            )))
        }
    }
}

fn tags(headers: &HeaderMap, name: &HeaderName, weak: bool) -> Result<Option<Tags>, Problem> {
    let malformed = || {
        let (field, detail) = if weak {
            (
                "If-None-Match",
                "Send `*`, or entity tags in double quotes with commas between them.",
            )
        } else {
            (
                "If-Match",
                "Send `*`, or strong entity tags in double quotes with commas between them.",
            )
        };
        Problem::Malformed(Fault::at(field, detail))
    };
    if !headers.contains_key(name) {
        return Ok(None);
    }
    let mut list = Vec::new();
    let mut any = false;
    for value in headers.get_all(name) {
        let text = value.to_str().map_err(|_| malformed())?;
        if text.trim() == "*" {
            any = true;
            continue;
        }
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            if rest.is_empty() {
                break;
            }
            if weak {
                rest = rest.strip_prefix("W/").unwrap_or(rest);
            }
            let (tag, after) = rest
                .strip_prefix('"')
                .and_then(|rest| rest.split_once('"'))
                .ok_or_else(malformed)?;
            let after = after.trim_start_matches([' ', '\t']);
            if !tag.bytes().all(|b| b.is_ascii_graphic())
                || !(after.is_empty() || after.starts_with(','))
                || list.len() == MAX_TAGS
            {
                return Err(malformed());
            }
            list.push(tag.to_owned());
            rest = after;
        }
    }
    match (any, list.is_empty()) {
        (true, true) => Ok(Some(Tags::Any)),
        (false, false) => Ok(Some(Tags::List(list))),
        // `*` beside tags, or a header without any.
        _ => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &str, weak: bool) -> Result<Option<Tags>, Problem> {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_MATCH, value.parse().unwrap());
        tags(&headers, &header::IF_MATCH, weak)
    }

    fn list(tags: &[&str]) -> Option<Tags> {
        Some(Tags::List(tags.iter().map(|&tag| tag.to_owned()).collect()))
    }

    #[test]
    fn reads_lists_and_the_star() {
        assert_eq!(parse("*", false).unwrap(), Some(Tags::Any));
        assert_eq!(parse("\"a\"", false).unwrap(), list(&["a"]));
        assert_eq!(parse("\"a,b\" ,\"c\"", false).unwrap(), list(&["a,b", "c"]));
        assert_eq!(parse("W/\"a\"", true).unwrap(), list(&["a"]));
    }

    #[test]
    fn refuses_what_is_no_strong_tag() {
        for value in [
            "",
            "a",
            "\"a",
            "W/\"a\"",
            "*, \"a\"",
            "\"a\"\"b\"",
            "\"a b\"",
            ",",
        ] {
            assert!(parse(value, false).is_err(), "{value}");
        }
    }
}
