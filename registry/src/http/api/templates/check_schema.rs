//! `POST /v1/context-schema/check`: what activating a context schema would do.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::activate::Request;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::Body;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::templates::SchemaReport;

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Check a context schema")
        .description("For global administrators, as it names templates of all tenants. What activating it would answer, or be refused for; a breaking one is an answer here.")
        .tag("templates")
        .body::<Request>()
        .answer::<SchemaReport>(StatusCode::OK)
        .problems(&[Code::Refused, Code::InvalidSchema, Code::InvalidContent])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Body(request): Body<Request>,
) -> Result<Json<SchemaReport>, Problem> {
    let schema = request.checked(None)?;
    Ok(Json(app.store.check_schema(&caller, schema.text).await?))
}
