//! `PUT /v1/skills/{scope}/{name}`: create or update a skill.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use vestry_policies::ItemName;

use super::changed::{Changed, Warning, precondition, template_warnings, warnings, written};
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
use crate::store::actions::{PublishSkill, Written};

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Create or update a skill")
        .description(
            "The content is a SKILL.md (`text/markdown`), whose bytes are kept, or JSON. The same content again changes nothing, but for one thing: where what the skill overrides has changed since it was written, that is acknowledged. An archived name goes on with its numbers. A new skill is answered with warnings where its name is near another one, and where it pushes entries past the default cap. Where the tenant has it reviewed, the answer is 202 with the proposal that it became.",
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
            Code::TemplateRefused,
            Code::TemplateFailed,
            Code::InvalidScope,
            Code::InvalidName,
            Code::QuotaExceeded,
        ])
}

pub(crate) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    request_id: RequestId,
    (if_match, if_none_match): (IfMatch, IfNoneMatch),
    Query(beside): Query<Beside>,
    content: JsonOrMarkdown<Content>,
) -> Result<Response, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let precondition = precondition(if_match, if_none_match)?;
    let (prepared, files) = prepare(&name, content, beside)?;
    let (mode, mut warnings) = (prepared.mode(), warnings(&prepared));
    let lines_before = prepared.lines_before_body();
    let scanned = app
        .store
        .scan(&caller, &scope, &name, &prepared, &files)
        .await?;
    warnings.extend(template_warnings(lines_before, &scanned));
    let findings = scanned.clone().into_findings();
    let action = PublishSkill::new(
        scope.clone(),
        name.clone(),
        prepared,
        files,
        precondition,
        scanned,
    );
    let outcome = app.store.act(&caller, action, facts(&request_id)).await?;
    if matches!(&outcome, Written::Published(change) if change.created) {
        let notes = app.store.notes_on_new(&caller, &scope, &name, mode).await;
        warnings.extend(notes.into_iter().map(Warning::of_note));
    }
    written(outcome, warnings, findings.into())
}
