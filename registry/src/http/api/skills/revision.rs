//! `GET /v1/skills/{scope}/{name}/revisions/{n}`: one revision.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use vestry_policies::ItemName;

use super::revisions::Revision;
use super::shown::{Shown, bodies, or_skill_md};
use crate::http::api::files::{File, listed};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Form, Path, RevisionNumber, ScopeText};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::{ReadRevision, SkillRevision};

/// One revision.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// What the history shows.
    #[serde(flatten)]
    revision: Revision,
    /// The bundled files.
    files: Vec<File>,
    /// The instructions; absent where the caller gets them by a load only, and while they are recalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

pub(in crate::http) fn operation() -> Operation {
    let operation = Operation::new("Read a revision of a skill")
        .description("With `Accept: text/markdown` the answer is the SKILL.md, byte for byte.")
        .tag("skills")
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::NotFound, Code::InvalidScope, Code::InvalidName]);
    or_skill_md(operation)
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name, number)): Path<(ScopeText, ItemName, RevisionNumber)>,
    form: Form,
) -> Result<Shown<Answer>, Problem> {
    let query = SkillRevision {
        scope: scope.resolve(caller.tenant())?,
        name,
        number: number_of(number)?,
        bodies: bodies(form),
    };
    let ReadRevision { row, files, body } = app.store.view(&caller, query).await?.into_inner();
    Ok(match (form, body) {
        (Form::Markdown, Some(body)) => Shown::Markdown(body.skill_md().to_owned()),
        (_, body) => Shown::Json(Json(Answer {
            revision: row.into(),
            files: listed(&files),
            body: body.map(|body| body.text().to_owned()),
        })),
    })
}

/// A number that is too large for a revision is that of none.
pub(super) fn number_of(RevisionNumber(number): RevisionNumber) -> Result<u32, Problem> {
    u32::try_from(number).map_err(|_| Problem::NotFound)
}
