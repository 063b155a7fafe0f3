//! `GET /v1/audit/checkpoint`: where a log ends now, signed. `GET /v1/audit/key`: the key that verifies it.

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Deserialize;

use super::audit::Log;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::Query;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::AuditCheckpoint;

const TEXT: &str = "text/plain";

/// Which log.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Which {
    /// `tenant`, the caller's own; or `global`, for administrators. The caller's tenant's when left out, or global's for
    /// a caller without one.
    #[serde(default)]
    log: Option<Log>,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Sign a checkpoint of the audit log")
        .description(
            "A signed note (c2sp.org/signed-note): origin, number of records, hash of the last, time. Keep it elsewhere: \
             with it, `vestry audit verify` shows that the log was cut off or written anew. For whoever may read the log.",
        )
        .tag("operation")
        .query::<Which>()
        .answer_text(StatusCode::OK, TEXT)
        .problems(&[Code::Refused])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Query(Which { log }): Query<Which>,
) -> Result<Response, Problem> {
    let tenant = Log::tenant(log, &caller);
    // What waits in the journal is in the log before it is signed.
    app.store.settle().await;
    let seen = app.store.view(&caller, AuditCheckpoint { tenant }).await?;
    Ok(text(seen.into_inner()))
}

pub(in crate::http) fn key_operation() -> Operation {
    Operation::new("Read the key that verifies checkpoints")
        .description(
            "One line, NAME+ID+KEY. Whoever verifies keeps it from before, and does not ask the server that is verified.",
        )
        .tag("operation")
        .answer_text(StatusCode::OK, TEXT)
}

pub(in crate::http) async fn key(State(app): State<App>) -> Response {
    text(format!("{}\n", app.store.verifier_key()))
}

fn text(text: String) -> Response {
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
