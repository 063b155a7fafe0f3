//! `GET /v1/skills/{scope}/{name}/revisions`: the history of a skill, newest first.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use vestry_policies::ItemName;

use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::{NoQuery, Paged, Path, ScopeText};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::{RevisionRow, Revisions};

/// A revision, without its body.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Revision {
    /// The number, from 1.
    revision: u32,
    /// The digest.
    digest: String,
    /// The size of the SKILL.md in bytes.
    size: i64,
    /// When to use it.
    description: String,
    /// Whether its body is a template.
    templated: bool,
    /// Further keys of the frontmatter.
    frontmatter: Map<String, Value>,
    /// `human`, `agent` or `service`.
    author_kind: &'static str,
    /// Who wrote it.
    author: String,
    /// The actor that the author acted for.
    #[serde(skip_serializing_if = "Option::is_none")]
    acts_for: Option<String>,
    /// What changed.
    message: String,
    /// The revision whose content this one brought back.
    #[serde(skip_serializing_if = "Option::is_none")]
    rolled_back_to: Option<i64>,
    /// `active`, `quarantined` or `revoked`.
    status: &'static str,
    /// Why it was recalled or released last.
    #[serde(skip_serializing_if = "Option::is_none")]
    recall_reason: Option<String>,
    /// When it was written, RFC 3339.
    created_at: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("List the revisions of a skill")
        .tag("skills")
        .paged()
        .answer::<Listed<Revision>>(StatusCode::OK)
        .problems(&[
            Code::NotFound,
            Code::InvalidCursor,
            Code::InvalidScope,
            Code::InvalidName,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    Paged { page, .. }: Paged<NoQuery>,
) -> Result<Json<Listed<Revision>>, Problem> {
    let list = app
        .cursors()
        .of(&caller, "revisions", &[scope.as_str(), &name.to_string()])?;
    let query = Revisions {
        scope: scope.resolve(caller.tenant())?,
        name,
        page: list.request(&page)?,
    };
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), Revision::from)?))
}

impl From<RevisionRow> for Revision {
    fn from(row: RevisionRow) -> Self {
        let RevisionRow {
            number,
            digest,
            size,
            description,
            templated,
            frontmatter,
            author_kind,
            author,
            acts_for,
            message,
            rolled_back_to,
            status,
            recall_reason,
            created_at,
        } = row;
        Self {
            revision: number,
            digest,
            size,
            description,
            templated,
            frontmatter,
            author_kind,
            author,
            acts_for,
            message,
            rolled_back_to,
            status,
            recall_reason,
            created_at: time(created_at),
        }
    }
}
