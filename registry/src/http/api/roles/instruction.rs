//! `/v1/roles/{scope}/{role}`: the instruction of a role. It is content like a skill, with the same versions, checks and
//! reviews; everything else that is done to skills is done to it under `/v1/skills/{scope}/role:{role}`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::RoleName;
use crate::http::api::proposals::changed::ProposalChanged;
use crate::http::api::skills::changed::{ChangeAnswer, Changed};
use crate::http::api::skills::content::{Beside, Content};
use crate::http::api::skills::shown::or_skill_md;
use crate::http::api::skills::{archive, get, publish};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{
    Form, IfMatch, IfNoneMatch, JsonOrMarkdown, Path, Query, RequestId, ScopeText,
};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;

pub(in crate::http) fn read_operation() -> Operation {
    let operation = Operation::new("Read the instruction of a role")
        .description("As a skill is read. With `Accept: text/markdown` the answer is the SKILL.md, byte for byte.")
        .tag("roles")
        .answer::<get::Answer>(StatusCode::OK)
        .problems(&[Code::NotFound, Code::InvalidScope, Code::InvalidName]);
    or_skill_md(operation)
}

pub(in crate::http) async fn read(
    authed: Authed,
    app: State<App>,
    Path((scope, role)): Path<(ScopeText, RoleName)>,
    form: Form,
) -> Result<Response, Problem> {
    get::handle(authed, app, Path((scope, role.into())), form)
        .await
        .map(IntoResponse::into_response)
}

pub(in crate::http) fn write_operation() -> Operation {
    Operation::new("Create or update the instruction of a role")
        .description("What a run of an agent in this role begins with, see `POST /v1/openings`. The content is that of a skill whose name is the role's; of several scopes the narrowest wins, unless a wider one is sealed.")
        .tag("roles")
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

pub(in crate::http) async fn write(
    authed: Authed,
    app: State<App>,
    Path((scope, role)): Path<(ScopeText, RoleName)>,
    request_id: RequestId,
    preconditions: (IfMatch, IfNoneMatch),
    beside: Query<Beside>,
    content: JsonOrMarkdown<Content>,
) -> Result<Response, Problem> {
    let path = Path((scope, role.into()));
    publish::handle(
        authed,
        app,
        path,
        request_id,
        preconditions,
        beside,
        content,
    )
    .await
}

pub(in crate::http) fn archive_operation() -> Operation {
    Operation::new("Archive the instruction of a role")
        .tag("roles")
        .if_match()
        .answer::<Changed>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::PreconditionFailed,
            Code::InvalidScope,
            Code::InvalidName,
        ])
}

pub(in crate::http) async fn archive(
    authed: Authed,
    app: State<App>,
    Path((scope, role)): Path<(ScopeText, RoleName)>,
    request_id: RequestId,
    if_match: IfMatch,
) -> Result<ChangeAnswer, Problem> {
    archive::handle(
        authed,
        app,
        Path((scope, role.into())),
        request_id,
        if_match,
    )
    .await
}
