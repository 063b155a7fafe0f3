//! What a route takes and answers, said once and read by the OpenAPI document.

use axum::http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use crate::http::extract::Page;
use crate::http::problem::Code;

/// Makes a schema, or a reference to it, in a generator.
pub(super) type Generate = fn(&mut SchemaGenerator) -> Schema;

fn referenced<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn inlined<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

pub(super) struct Input {
    pub(super) referenced: Generate,
    pub(super) inlined: Generate,
    pub(super) required: bool,
    pub(super) markdown: bool,
}

pub(super) enum Content {
    Json(Generate),
    Text(&'static str),
    Nothing,
}

/// The description of a route.
#[derive(Default)]
#[must_use]
pub struct Operation {
    pub(super) summary: &'static str,
    pub(super) description: Option<&'static str>,
    pub(super) tag: Option<&'static str>,
    pub(super) input: Option<Input>,
    /// The most raw bytes of the body, where it is just that.
    pub(super) bytes: Option<usize>,
    pub(super) answers: Vec<(StatusCode, Content)>,
    /// A media type in which the first answer is given as well.
    pub(super) alternatives: Vec<&'static str>,
    pub(super) queries: Vec<Generate>,
    pub(super) headers: Vec<(&'static str, &'static str)>,
    pub(super) problems: Vec<Code>,
}

impl Operation {
    /// A description with this one line.
    pub fn new(summary: &'static str) -> Self {
        Self {
            summary,
            ..Self::default()
        }
    }

    /// More than the one line, in Markdown.
    pub fn description(mut self, text: &'static str) -> Self {
        self.description = Some(text);
        self
    }

    /// The group that it belongs to.
    pub fn tag(mut self, tag: &'static str) -> Self {
        self.tag = Some(tag);
        self
    }

    /// It takes a JSON body.
    pub fn body<T: JsonSchema>(self) -> Self {
        self.input::<T>(true, false)
    }

    /// It takes a JSON body that may be left out.
    pub fn optional_body<T: JsonSchema>(self) -> Self {
        self.input::<T>(false, false)
    }

    /// It takes a JSON body, or a text as `text/markdown`.
    pub fn body_or_markdown<T: JsonSchema>(self) -> Self {
        self.input::<T>(true, true)
    }

    /// It takes raw bytes, at most so many.
    pub fn bytes(mut self, limit: usize) -> Self {
        self.bytes = Some(limit);
        self.problems(&[Code::Malformed, Code::TooLarge, Code::UnsupportedMediaType])
    }

    fn input<T: JsonSchema>(mut self, required: bool, markdown: bool) -> Self {
        self.input = Some(Input {
            referenced: referenced::<T>,
            inlined: inlined::<T>,
            required,
            markdown,
        });
        self.problems(&[Code::Malformed, Code::TooLarge, Code::UnsupportedMediaType])
    }

    /// It answers JSON with this status.
    pub fn answer<T: JsonSchema>(mut self, status: StatusCode) -> Self {
        self.answers.push((status, Content::Json(referenced::<T>)));
        self
    }

    /// It answers a text of this media type with this status.
    pub fn answer_text(mut self, status: StatusCode, media: &'static str) -> Self {
        self.answers.push((status, Content::Text(media)));
        self
    }

    /// What it answers is as well given as text of this media type, to those whose `Accept` header prefers that.
    pub fn or_text(mut self, media: &'static str) -> Self {
        let first = self.alternatives.is_empty();
        self.alternatives.push(media);
        if first {
            return self.header("Accept", "The form of the answer that is wanted.");
        }
        self
    }

    /// It answers this status without a body.
    pub fn answer_nothing(mut self, status: StatusCode) -> Self {
        self.answers.push((status, Content::Nothing));
        self
    }

    /// It takes the fields of `T` as query parameters.
    pub fn query<T: JsonSchema>(mut self) -> Self {
        self.queries.push(inlined::<T>);
        self.problems(&[Code::Malformed])
    }

    /// It lists, and takes `limit` and `cursor`.
    pub fn paged(self) -> Self {
        self.query::<Page>().problems(&[Code::InvalidCursor])
    }

    /// It takes `If-Match`.
    pub fn if_match(self) -> Self {
        self.header(
            "If-Match",
            "The digest that the change was made from, as a strong entity tag.",
        )
        .problems(&[Code::Malformed, Code::PreconditionFailed])
    }

    /// It takes `If-None-Match`.
    pub fn if_none_match(self) -> Self {
        self.header(
            "If-None-Match",
            "`*` to create only, or the entity tags that are at hand already.",
        )
        .problems(&[Code::Malformed, Code::PreconditionFailed])
    }

    /// It takes `If-None-Match`, and answers 304 to a client that has what it would answer.
    pub fn conditional(self) -> Self {
        self.header(
            "If-None-Match",
            "The entity tags of what is at hand already.",
        )
        .answer_nothing(StatusCode::NOT_MODIFIED)
        .problems(&[Code::Malformed])
    }

    /// It takes `Idempotency-Key`.
    pub fn idempotency_key(self) -> Self {
        self.header(
            "Idempotency-Key",
            "1 to 128 visible characters. The same key with the same request has one effect.",
        )
        .problems(&[Code::Malformed, Code::IdempotencyMismatch])
    }

    /// It takes `Last-Event-ID`.
    pub fn last_event_id(self) -> Self {
        self.header(
            "Last-Event-ID",
            "The id of the last event that the client has: the stream goes on right after it.",
        )
        .problems(&[Code::Malformed])
    }

    fn header(mut self, name: &'static str, description: &'static str) -> Self {
        self.headers.push((name, description));
        self
    }

    /// It may answer these problems, besides those that follow from what it takes.
    pub fn problems(mut self, codes: &[Code]) -> Self {
        for code in codes {
            if !self.problems.contains(code) {
                self.problems.push(*code);
            }
        }
        self
    }

    /// Whether unknown fields are refused by everything that it takes, however deep.
    pub(super) fn is_strict(&self) -> bool {
        let mut generator = super::document::generator();
        let outside = self
            .queries
            .iter()
            .chain(self.input.iter().map(|input| &input.inlined))
            .all(|schema| {
                let schema = schema(&mut generator);
                is_closed(schema.as_value()) && has_closed_parts(schema.as_value())
            });
        outside && generator.definitions().values().all(has_closed_parts)
    }
}

fn refuses_more(schema: &Value) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
}

/// Whether an object schema, or every one of its alternatives, refuses unknown fields.
fn is_closed(schema: &Value) -> bool {
    let alternatives = ["oneOf", "anyOf"]
        .iter()
        .find_map(|key| schema.get(key).and_then(Value::as_array));
    match alternatives {
        Some(all) => all.iter().all(is_closed),
        None => refuses_more(schema),
    }
}

/// Whether every schema in it that lists properties refuses others; a map of anything may stay one.
fn has_closed_parts(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            (!object.contains_key("properties") || refuses_more(schema))
                && object.values().all(has_closed_parts)
        }
        Value::Array(items) => items.iter().all(has_closed_parts),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}
