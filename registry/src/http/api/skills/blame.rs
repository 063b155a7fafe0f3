//! `GET /v1/skills/{scope}/{name}/blame`: who wrote each line.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::ItemName;

use super::revisions::Revision;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Path, Query, ScopeText};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::{Blame, BlameSkill, BlamedLine};

/// Which revision.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Which {
    /// Its number; left out for the current one.
    #[serde(default)]
    revision: Option<u32>,
}

/// A line of the SKILL.md.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Line {
    /// The line, without its end.
    text: String,
    /// The number of the revision that brought it.
    revision: u32,
}

/// Who wrote each line.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The number of the revision whose lines these are.
    revision: u32,
    /// The lines of its SKILL.md, in their order.
    lines: Vec<Line>,
    /// The revisions that the lines name, newest first.
    revisions: Vec<Revision>,
    /// Whether the whole history was looked at. If not, lines of the oldest revision that was may be older.
    complete: bool,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Tell who wrote each line of a skill")
        .description("Looks back on 200 revisions, 16 MiB and 400,000 lines at most, for texts of up to 20,000 lines. It shows the text, so it is for those who may read the body.")
        .tag("skills")
        .query::<Which>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::NotFound,
            Code::Refused,
            Code::Conflict,
            Code::InvalidScope,
            Code::InvalidName,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    Query(Which { revision }): Query<Which>,
) -> Result<Json<Answer>, Problem> {
    let query = BlameSkill {
        scope: scope.resolve(caller.tenant())?,
        name,
        revision,
    };
    let Blame {
        revision,
        lines,
        revisions,
        complete,
    } = app
        .store
        .blame(app.store.view(&caller, query).await?.into_inner())
        .await?;
    Ok(Json(Answer {
        revision,
        lines: lines
            .into_iter()
            .map(|BlamedLine { text, revision }| Line { text, revision })
            .collect(),
        revisions: revisions.into_iter().map(Revision::from).collect(),
        complete,
    }))
}
