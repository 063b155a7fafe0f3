//! `GET /v1/skills/{scope}/{name}/revisions/{revision}/file`: the bytes of a bundled file.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use vestry_policies::ItemName;

use super::revision::number_of;
use crate::http::api::files::as_bytes;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{BYTES, Path, Query, RevisionNumber, ScopeText};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::RevisionFile;

/// Which file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Which {
    /// The path below the skill, as the revision lists it.
    path: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Read a file of a revision")
        .description("Agents and services get files of their own scope here; those of wider scopes they load from an offer.")
        .tag("skills")
        .query::<Which>()
        .answer_text(StatusCode::OK, BYTES)
        .problems(&[
            Code::NotFound,
            Code::FileNotFound,
            Code::InvalidScope,
            Code::InvalidName,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name, number)): Path<(ScopeText, ItemName, RevisionNumber)>,
    Query(Which { path }): Query<Which>,
) -> Result<Response, Problem> {
    let query = RevisionFile {
        scope: scope.resolve(caller.tenant())?,
        name,
        number: number_of(number)?,
        path,
    };
    let granted = app.store.view(&caller, query).await?.into_inner();
    as_bytes(app.store.open_file(granted).await?)
}
