//! `GET /v1/skills/{scope}/{name}`: one skill as it is now.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use vestry_policies::ItemName;

use super::changed::entity_tag;
use super::row::Row;
use super::shown::{Shown, bodies, or_skill_md};
use crate::http::api::files::{File, listed};
use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Form, Path, ScopeText};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::ReadSkill;

/// One skill.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// What listings show.
    #[serde(flatten)]
    row: Row,
    /// Further keys of the frontmatter.
    frontmatter: Map<String, Value>,
    /// What changed in the current revision.
    message: String,
    /// When the skill was created, RFC 3339.
    created_at: String,
    /// The bundled files.
    files: Vec<File>,
    /// The instructions; absent where the caller gets them by a load only, and while they are recalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

type Tagged = ([(HeaderName, HeaderValue); 1], Shown<Answer>);

pub(in crate::http) fn operation() -> Operation {
    let operation = Operation::new("Read a skill")
        .description("Agents and services get bodies of their own scope here; those of wider scopes they load from an offer. With `Accept: text/markdown` the answer is the SKILL.md, byte for byte.")
        .tag("skills")
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::NotFound, Code::InvalidScope, Code::InvalidName]);
    or_skill_md(operation)
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    form: Form,
) -> Result<Tagged, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let query = ReadSkill {
        scope,
        name,
        bodies: bodies(form),
    };
    let view = app.store.view(&caller, query).await?.into_inner();
    let headers = [(header::ETAG, entity_tag(&view.listed.digest)?)];
    if let (Form::Markdown, Some(body)) = (form, &view.body) {
        return Ok((headers, Shown::Markdown(body.skill_md().to_owned())));
    }
    Ok((
        headers,
        Shown::Json(Json(Answer {
            row: view.listed.into(),
            frontmatter: view.frontmatter,
            message: view.message,
            created_at: time(view.created_at),
            files: listed(&view.files),
            body: view.body.map(|body| body.text().to_owned()),
        })),
    ))
}
