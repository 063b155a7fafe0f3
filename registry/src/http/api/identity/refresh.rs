//! `POST /v1/refresh`: the next tokens of a session.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::login::Answer;
use crate::http::app::App;
use crate::http::extract::{Body, RequestId};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;

/// The refresh token.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The refresh token of the last login or refresh.
    refresh_token: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Rotate a refresh token")
        .description("A refresh token works once. One that is used again ends the session that it belongs to.")
        .tag("identity")
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::Unauthenticated])
}

pub(in crate::http) async fn handle(
    State(app): State<App>,
    request_id: RequestId,
    Body(request): Body<Request>,
) -> Result<Json<Answer>, Problem> {
    let tokens = app
        .store
        .refresh(&request.refresh_token, Some(request_id.0.to_string()))
        .await?;
    Ok(Json(tokens.into()))
}
