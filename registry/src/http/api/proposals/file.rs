//! `GET /v1/proposals/{id}/file`: the bytes of a file that would be published.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use super::locate;
use crate::http::api::files::as_bytes;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{BYTES, OpaqueId, Path, Query};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::ProposalFile;

/// Which file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Which {
    /// The path below the skill, as the proposal lists it.
    path: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Read a file of a proposal")
        .description("For humans who may read the proposal.")
        .tag("proposals")
        .query::<Which>()
        .answer_text(StatusCode::OK, BYTES)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::FileNotFound,
            Code::InvalidId,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(id): Path<OpaqueId>,
    Query(Which { path }): Query<Which>,
) -> Result<Response, Problem> {
    let at = locate(&app, &caller, id).await?;
    let seen = app.store.view(&caller, ProposalFile::new(at, path)).await?;
    as_bytes(app.store.open_file(seen.into_inner()).await?)
}
