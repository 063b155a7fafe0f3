//! `POST /v1/skills/{scope}/{name}/quarantine`, `/release` and `/revoke`: recall a revision.

use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;
use vestry_policies::ItemName;

use super::changed::{ChangeAnswer, Changed, changed};
use crate::http::api::words::reason;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Path, ScopeText};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::{QuarantineSkill, ReleaseSkill, RevokeSkill};

/// What to recall, and why.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// Why; one line of 1 to 500 characters, for the audit log.
    reason: String,
    /// The number of the revision; the current one when left out.
    #[serde(default)]
    revision: Option<u32>,
}

const PROBLEMS: &[Code] = &[
    Code::Refused,
    Code::NotFound,
    Code::Conflict,
    Code::InvalidContent,
    Code::InvalidScope,
    Code::InvalidName,
    Code::IdempotencyMismatch,
];

fn operation(summary: &'static str) -> Operation {
    Operation::new(summary)
        .tag("skills")
        .idempotency_key()
        .body::<Request>()
        .answer::<Changed>(StatusCode::OK)
        .problems(PROBLEMS)
}

pub(in crate::http) fn quarantine_operation() -> Operation {
    operation("Quarantine a revision").description(
        "New catalogs and outstanding offers refuse it at once. A skill whose current revision is quarantined leaves the catalog until release, rollback or publish.",
    )
}

pub(in crate::http) fn release_operation() -> Operation {
    operation("Release a quarantined revision")
}

pub(in crate::http) fn revoke_operation() -> Operation {
    operation("Revoke a revision").description("As quarantine, for good.")
}

pub(in crate::http) async fn quarantine(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    request: Mutation<Request>,
) -> Result<ChangeAnswer, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let Request {
        reason: why,
        revision,
    } = request.body;
    let action = QuarantineSkill::new(scope, name, revision, reason(why)?);
    changed(app.store.act(&caller, action, request.facts).await?)
}

pub(in crate::http) async fn release(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    request: Mutation<Request>,
) -> Result<ChangeAnswer, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let Request {
        reason: why,
        revision,
    } = request.body;
    let action = ReleaseSkill::new(scope, name, revision, reason(why)?);
    changed(app.store.act(&caller, action, request.facts).await?)
}

pub(in crate::http) async fn revoke(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    request: Mutation<Request>,
) -> Result<ChangeAnswer, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let Request {
        reason: why,
        revision,
    } = request.body;
    let action = RevokeSkill::new(scope, name, revision, reason(why)?);
    changed(app.store.act(&caller, action, request.facts).await?)
}
