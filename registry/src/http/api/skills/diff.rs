//! `GET /v1/skills/{scope}/{name}/diff`: what changed between two revisions.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::ItemName;

use super::revisions::Revision;
use crate::http::api::files::File;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Path, Query, ScopeText};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::{DiffSkill, FileChange};

/// Which two revisions.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Range {
    /// The number of the earlier one.
    from: u32,
    /// The number of the later one.
    to: u32,
}

/// What changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The earlier one.
    from: Revision,
    /// The later one.
    to: Revision,
    /// The unified diff of the two SKILL.md; absent where the caller may not read both.
    #[serde(skip_serializing_if = "Option::is_none")]
    unified: Option<String>,
    /// The files that the two do not have alike, by path.
    files: Vec<Changed>,
}

/// A file that two revisions do not have alike.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ChangedFile")]
pub(in crate::http::api) struct Changed {
    /// The path below the skill.
    path: String,
    /// `added`, `removed` or `changed`.
    change: &'static str,
    /// The file in the earlier one; absent when it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<File>,
    /// The file in the later one; absent when it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<File>,
}

impl From<FileChange> for Changed {
    fn from(FileChange { path, from, to }: FileChange) -> Self {
        Self {
            path,
            change: match (&from, &to) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "changed",
            },
            from: from.as_ref().map(File::from),
            to: to.as_ref().map(File::from),
        }
    }
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Compare two revisions of a skill")
        .tag("skills")
        .query::<Range>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::NotFound, Code::InvalidScope, Code::InvalidName])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    Query(Range { from, to }): Query<Range>,
) -> Result<Json<Answer>, Problem> {
    let query = DiffSkill {
        scope: scope.resolve(caller.tenant())?,
        name,
        from,
        to,
    };
    let diff = app.store.view(&caller, query).await?.into_inner();
    let unified = match diff.texts {
        Some(texts) => {
            let name = |number| format!("SKILL.md revision {number}");
            let names = (name(from), name(to));
            Some(app.store.unified_diff(texts, names).await?)
        }
        None => None,
    };
    Ok(Json(Answer {
        from: diff.from.into(),
        to: diff.to.into(),
        unified,
        files: diff.files.into_iter().map(Changed::from).collect(),
    }))
}
