//! `GET /v1/context-schema`: the contract that templates are written against.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::problem::Problem;
use crate::http::route::Operation;
use crate::store::queries::UseTemplates;

/// A JSON Schema.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(in crate::http) struct Answer(Map<String, Value>);

type Tagged = ([(HeaderName, HeaderValue); 1], Json<Answer>);

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Read the context schema")
        .description("The data of a run, as hosts give it and templates read it, in the vocabulary of JSON Schema. The entity tag is its digest.")
        .tag("templates")
        .answer::<Answer>(StatusCode::OK)
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
) -> Result<Tagged, Problem> {
    let schema = app.store.view(&caller, UseTemplates).await?.into_inner();
    let tag =
        HeaderValue::from_str(&format!("\"{}\"", schema.digest())).map_err(Problem::internal)?;
    let document = serde_json::from_str(schema.text()).map_err(Problem::internal)?;
    Ok(([(header::ETAG, tag)], Json(Answer(document))))
}
