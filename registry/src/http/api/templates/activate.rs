//! `PUT /v1/context-schema`: another contract that templates are written against.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::http::api::words::reason;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Body, IfMatch, RequestId, Tags, present, without_null_defaults};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::templates::{NewSchema, SchemaReport};

/// A context schema to be activated, or to be checked.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults)]
pub(in crate::http) struct Request {
    /// The document, in the vocabulary of `GET /v1/context-schema`. It is kept as it is written.
    #[serde(deserialize_with = "document")]
    #[schemars(with = "Map<String, Value>")]
    schema: Box<RawValue>,
    /// Whether it may take something away, and live templates may fail under it.
    #[serde(default)]
    accept_breaking: bool,
    /// Why, for the audit log: a line of at most 500 characters.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    reason: Option<String>,
}

/// An object as it is written: the order of its keys is that of the reference.
fn document<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RawValue>, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    if raw.get().starts_with('{') {
        Ok(raw)
    } else {
        Err(D::Error::custom("a context schema is an object"))
    }
}

impl Request {
    /// What of it is checked before anything else.
    pub(super) fn checked(self, if_match: Option<Tags>) -> Result<NewSchema, Problem> {
        Ok(NewSchema {
            text: self.schema.get().to_owned(),
            accept_breaking: self.accept_breaking,
            reason: self.reason.map_or_else(|| Ok(String::new()), reason)?,
            expected: match if_match {
                None | Some(Tags::Any) => None,
                Some(Tags::List(tags)) => Some(tags),
            },
        })
    }
}

type Tagged = ([(HeaderName, HeaderValue); 1], Json<SchemaReport>);

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Activate a context schema")
        .description(
            "For a global administrator, elevated for `global`. All live templates of all tenants are checked under it. One that takes something away, or under which a live template fails, needs `accept_breaking`; those templates then fail when they are loaded, until they are corrected. The version must be higher than those of all schemas before, unless it was active before. The same again is `unchanged`.",
        )
        .tag("templates")
        .if_match()
        .body::<Request>()
        .answer::<SchemaReport>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::SchemaBreaking,
            Code::InvalidSchema,
            Code::InvalidContent,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    request_id: RequestId,
    IfMatch(if_match): IfMatch,
    Body(request): Body<Request>,
) -> Result<Tagged, Problem> {
    let schema = request.checked(if_match)?;
    let report = app
        .store
        .activate_schema(&caller, schema, facts(&request_id))
        .await?;
    let tag =
        HeaderValue::from_str(&format!("\"{}\"", report.digest)).map_err(Problem::internal)?;
    Ok(([(header::ETAG, tag)], Json(report)))
}
