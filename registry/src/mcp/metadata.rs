//! `GET /.well-known/oauth-protected-resource`: what a client that was refused reads next (RFC 9728).

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::PATH;
use crate::http::app::App;
use crate::http::problem::Problem;

pub(super) async fn handle(State(app): State<App>, parts: Parts) -> Result<Response, Problem> {
    let base = app
        .reach
        .base_url(&parts)
        .ok_or_else(|| Problem::malformed("Call this server by a name that it knows: start it with --public-url, or --allowed-host."))?;
    // No authorization server is named: tokens come from `vestry login` or from the agent platform that minted them.
    let document = json!({
        "resource": format!("{base}{PATH}"),
        "resource_name": "Vestry",
        "resource_documentation": format!("{base}/docs"),
        "bearer_methods_supported": ["header"],
    });
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(document)).into_response())
}
