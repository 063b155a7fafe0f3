//! `DELETE /v1/skills/{scope}/{name}`: archive a skill.

use axum::extract::State;
use axum::http::StatusCode;
use vestry_policies::ItemName;

use super::changed::{ChangeAnswer, Changed, changed, precondition};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{IfMatch, IfNoneMatch, Path, RequestId, ScopeText};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::ArchiveSkill;

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Archive a skill")
        .description("It leaves catalogs and listings; what was offered still loads, and its name can be published again.")
        .tag("skills")
        .if_match()
        .answer::<Changed>(StatusCode::OK)
        .problems(&[Code::Refused, Code::NotFound, Code::PreconditionFailed, Code::InvalidScope, Code::InvalidName])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    request_id: RequestId,
    if_match: IfMatch,
) -> Result<ChangeAnswer, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let precondition = precondition(if_match, IfNoneMatch(None))?;
    let action = ArchiveSkill::new(scope, name, precondition, String::new());
    changed(app.store.act(&caller, action, facts(&request_id)).await?)
}
