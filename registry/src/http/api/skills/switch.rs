//! `POST /v1/skills/{scope}/{name}/disable` and `/enable`: leave a skill out of new catalogs, and take it back in.

use axum::extract::State;
use axum::http::StatusCode;
use vestry_policies::ItemName;

use super::changed::{ChangeAnswer, Changed, changed, precondition};
use crate::http::api::words::{Reasoned, reason};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{IfMatch, IfNoneMatch, Path, ScopeText};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::{DisableSkill, EnableSkill};

const PROBLEMS: &[Code] = &[
    Code::Refused,
    Code::NotFound,
    Code::PreconditionFailed,
    Code::InvalidContent,
    Code::InvalidScope,
    Code::InvalidName,
    Code::IdempotencyMismatch,
];

fn operation(summary: &'static str) -> Operation {
    Operation::new(summary)
        .tag("skills")
        .if_match()
        .idempotency_key()
        .body::<Reasoned>()
        .answer::<Changed>(StatusCode::OK)
        .problems(PROBLEMS)
}

pub(in crate::http) fn disable_operation() -> Operation {
    operation("Leave a skill out of new catalogs").description("What was offered still loads.")
}

pub(in crate::http) fn enable_operation() -> Operation {
    operation("Take a disabled skill back into catalogs")
}

pub(in crate::http) async fn disable(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    if_match: IfMatch,
    request: Mutation<Reasoned>,
) -> Result<ChangeAnswer, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let precondition = precondition(if_match, IfNoneMatch(None))?;
    let action = DisableSkill::new(scope, name, precondition, reason(request.body.reason)?);
    changed(app.store.act(&caller, action, request.facts).await?)
}

pub(in crate::http) async fn enable(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    if_match: IfMatch,
    request: Mutation<Reasoned>,
) -> Result<ChangeAnswer, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let precondition = precondition(if_match, IfNoneMatch(None))?;
    let action = EnableSkill::new(scope, name, precondition, reason(request.body.reason)?);
    changed(app.store.act(&caller, action, request.facts).await?)
}
