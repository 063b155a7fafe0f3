//! `GET /v1/context-schema`: the contract that templates are written against.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::problem::Problem;
use crate::http::route::Operation;
use crate::store::queries::ReadSchema;
use crate::template::schema::Schema;

/// The active context schema.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The version that it gives itself.
    version: u32,
    /// The SHA-256 of its canonical text, in hexadecimal: white space and the order of keys do not change it.
    digest: String,
    /// Whether it is the one that is part of the program.
    built_in: bool,
    /// When it was activated, RFC 3339; left out when none ever was.
    #[serde(skip_serializing_if = "Option::is_none")]
    activated_at: Option<String>,
    /// The document as it was written, in the vocabulary of JSON Schema.
    #[schemars(with = "Map<String, Value>")]
    schema: Box<RawValue>,
}

type Tagged = ([(HeaderName, HeaderValue); 1], Json<Answer>);

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Read the context schema")
        .description("The data of a run, as hosts give it and templates read it. The entity tag is its digest.")
        .tag("templates")
        .answer::<Answer>(StatusCode::OK)
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
) -> Result<Tagged, Problem> {
    let active = app.store.view(&caller, ReadSchema).await?.into_inner();
    let schema = &active.schema;
    let tag =
        HeaderValue::from_str(&format!("\"{}\"", schema.digest())).map_err(Problem::internal)?;
    let answer = Answer {
        version: schema.version(),
        digest: schema.digest().to_string(),
        built_in: schema.digest() == Schema::built_in().digest(),
        activated_at: active.activated_at.map(time),
        schema: RawValue::from_string(schema.text().to_owned()).map_err(Problem::internal)?,
    };
    Ok(([(header::ETAG, tag)], Json(answer)))
}
