//! The data of a run, in the order in which it was given.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;
use vestry_policies::prompt::{ContextKey, MAX_CONTEXT};

/// Why a text is no context, in one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ContextError(String);

/// Keys and texts. A value that is null is a blank one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context(Vec<(ContextKey, String)>);

impl Context {
    /// Reads a JSON object of texts.
    ///
    /// # Errors
    /// When it is none, has a key twice, or one that no placeholder can name.
    pub fn parse(json: &str) -> Result<Self, ContextError> {
        serde_json::from_str(json).map_err(|error| {
            ContextError(format!("the context is no JSON object of texts: {error}"))
        })
    }

    /// The pairs.
    #[must_use]
    pub fn pairs(&self) -> &[(ContextKey, String)] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Context {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Pairs)
    }
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Context;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Context, A::Error> {
        let mut pairs: Vec<(ContextKey, String)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let parsed = ContextKey::parse(&key)
                .map_err(|error| A::Error::custom(format!("`{key}` is refused, {error}")))?;
            if pairs.iter().any(|(known, _)| *known == parsed) {
                return Err(A::Error::custom(format!(
                    "`{key}` is there twice, keep one"
                )));
            }
            if pairs.len() == MAX_CONTEXT {
                return Err(A::Error::custom(format!(
                    "it has more than {MAX_CONTEXT} keys, send fewer"
                )));
            }
            let value = match map.next_value::<Value>()? {
                Value::String(text) => text,
                Value::Null => String::new(),
                // How a number or a list is written is for its author to say.
                _ => {
                    return Err(A::Error::custom(format!(
                        "the value of `{key}` is no text, write it as one"
                    )));
                }
            };
            pairs.push((parsed, value));
        }
        Ok(Context(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_keeps_its_order() {
        let context = Context::parse(r#"{"z": "1", "a": "2", "m": null}"#).unwrap();
        let pairs: Vec<(&str, &str)> = context
            .pairs()
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        assert_eq!(pairs, [("z", "1"), ("a", "2"), ("m", "")]);
    }

    #[test]
    fn a_context_is_bounded() {
        let of = |count: usize| {
            let pairs: Vec<String> = (0..count).map(|at| format!(r#""k{at}": "v""#)).collect();
            Context::parse(&format!("{{{}}}", pairs.join(", ")))
        };
        assert_eq!(of(MAX_CONTEXT).unwrap().pairs().len(), MAX_CONTEXT);
        let said = of(MAX_CONTEXT + 1).unwrap_err().to_string();
        assert!(said.contains("send fewer"), "{said}");
    }

    #[test]
    fn what_is_none_is_refused() {
        for (json, words) in [
            ("[]", "object"),
            ("{", "JSON"),
            (r#"{"a": 1}"#, "no text"),
            (r#"{"a": ["x"]}"#, "no text"),
            (r#"{"a b": "x"}"#, "`a b` is refused"),
            (r#"{"a": "x", "a": "y"}"#, "twice"),
        ] {
            let error = Context::parse(json).unwrap_err().to_string();
            assert!(error.contains(words), "{json}: {error}");
        }
    }
}
