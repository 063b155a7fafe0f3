//! `PUT /v1/skills/{scope}/{name}`: create or update a skill.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use vestry_policies::SkillName;

use super::changed::{Changed, precondition, warnings, written};
use super::content::{Beside, Content, prepare};
use crate::http::api::proposals::changed::ProposalChanged;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{
    IfMatch, IfNoneMatch, JsonOrMarkdown, Path, Query, RequestId, ScopeText,
};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::PublishSkill;

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Create or update a skill")
        .description(
            "The content is a SKILL.md (`text/markdown`), whose bytes are kept, or JSON. The same content again changes nothing. An archived name goes on with its numbers. Where the tenant has it reviewed, the answer is 202 with the proposal that it became.",
        )
        .tag("skills")
        .if_match()
        .if_none_match()
        .query::<Beside>()
        .body_or_markdown::<Content>()
        .answer::<Changed>(StatusCode::OK)
        .answer::<Changed>(StatusCode::CREATED)
        .answer::<ProposalChanged>(StatusCode::ACCEPTED)
        .problems(&[
            Code::Refused,
            Code::Conflict,
            Code::PreconditionFailed,
            Code::PreconditionRequired,
            Code::InvalidContent,
            Code::InvalidScope,
            Code::InvalidName,
            Code::QuotaExceeded,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, SkillName)>,
    request_id: RequestId,
    (if_match, if_none_match): (IfMatch, IfNoneMatch),
    Query(beside): Query<Beside>,
    content: JsonOrMarkdown<Content>,
) -> Result<Response, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let precondition = precondition(if_match, if_none_match)?;
    let (prepared, files) = prepare(&name, content, beside)?;
    let warnings = warnings(&prepared);
    let action = PublishSkill::new(scope, name, prepared, files, precondition);
    written(
        app.store.act(&caller, action, facts(&request_id)).await?,
        warnings,
    )
}
