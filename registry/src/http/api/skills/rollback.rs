//! `POST /v1/skills/{scope}/{name}/rollback`: make an earlier revision's content current again.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use vestry_policies::ItemName;

use super::changed::{Changed, precondition, written};
use crate::http::api::proposals::changed::ProposalChanged;
use crate::http::api::words::reason;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{IfMatch, IfNoneMatch, Path, ScopeText};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::RollbackSkill;

/// Where to go back to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The number of the revision.
    to: u32,
    /// Why; one line, for the history.
    #[serde(default)]
    reason: Option<String>,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Roll a skill back")
        .description("The content becomes a new revision, so that numbers are never reused. Where the tenant has it reviewed, the answer is 202 with the proposal that it became.")
        .tag("skills")
        .if_match()
        .idempotency_key()
        .body::<Request>()
        .answer::<Changed>(StatusCode::OK)
        .answer::<ProposalChanged>(StatusCode::ACCEPTED)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::Conflict,
            Code::PreconditionFailed,
            Code::InvalidContent,
            Code::TemplateRefused,
            Code::TemplateFailed,
            Code::InvalidScope,
            Code::InvalidName,
            Code::IdempotencyMismatch,
            Code::QuotaExceeded,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    if_match: IfMatch,
    request: Mutation<Request>,
) -> Result<Response, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let precondition = precondition(if_match, IfNoneMatch(None))?;
    let Request { to, reason: why } = request.body;
    let why = why.map(reason).transpose()?.unwrap_or_default();
    let scanned = app.store.scan_revision(&caller, &scope, &name, to).await?;
    let findings = scanned.clone().into_findings();
    let action = RollbackSkill::new(scope, name, to, precondition, why, scanned);
    written(
        app.store.act(&caller, action, request.facts).await?,
        Vec::new(),
        findings.into(),
    )
}
