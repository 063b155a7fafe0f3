//! `POST /v1/skills/{scope}/{name}/seal` and `/unseal`: keep narrower scopes from overriding a skill, and stop doing so.

use axum::extract::State;
use axum::http::StatusCode;
use vestry_policies::ItemName;

use super::changed::{ChangeAnswer, Changed, changed};
use crate::http::api::words::{Reasoned, reason};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Path, ScopeText};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::{SealSkill, UnsealSkill};

const PROBLEMS: &[Code] = &[
    Code::Refused,
    Code::NotFound,
    Code::InvalidContent,
    Code::InvalidScope,
    Code::InvalidName,
    Code::IdempotencyMismatch,
    Code::QuotaExceeded,
];

fn operation(summary: &'static str) -> Operation {
    Operation::new(summary)
        .tag("skills")
        .idempotency_key()
        .body::<Reasoned>()
        .answer::<Changed>(StatusCode::OK)
        .problems(PROBLEMS)
}

pub(in crate::http) fn seal_operation() -> Operation {
    operation("Seal a tenant or global skill")
        .description("A sealed skill wins over narrower ones and is never omitted.")
}

pub(in crate::http) fn unseal_operation() -> Operation {
    operation("Undo a seal")
}

pub(in crate::http) async fn seal(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    request: Mutation<Reasoned>,
) -> Result<ChangeAnswer, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let action = SealSkill::new(scope, name, reason(request.body.reason)?);
    changed(app.store.act(&caller, action, request.facts).await?)
}

pub(in crate::http) async fn unseal(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    request: Mutation<Reasoned>,
) -> Result<ChangeAnswer, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let action = UnsealSkill::new(scope, name, reason(request.body.reason)?);
    changed(app.store.act(&caller, action, request.facts).await?)
}
