//! `GET /v1/proposals`: the proposals that the caller may read, newest first.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::ProposalState;

use super::changed::Base;
use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::{Paged, PathPart as _, ScopeText};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::{ListProposals, ProposalRow};

/// Which proposals.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Filter {
    /// Only those in this state.
    #[serde(default)]
    state: Option<InState>,
    /// Only those for this scope.
    #[serde(default)]
    scope: Option<String>,
    /// Only those that the caller, or an agent that acts for it, proposed.
    #[serde(default)]
    mine: bool,
}

impl Filter {
    /// Those of the caller's own.
    pub(crate) fn mine(state: Option<InState>) -> Self {
        Self {
            state,
            scope: None,
            mine: true,
        }
    }
}

/// The state of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ProposalState")]
pub(crate) enum InState {
    /// It waits for decisions.
    Open,
    /// The skill has changed since it was compared with it.
    Stale,
    /// It was approved, and published.
    Published,
    /// It was rejected.
    Rejected,
    /// Its proposer took it back.
    Withdrawn,
    /// Nobody decided in time.
    Expired,
}

impl From<InState> for ProposalState {
    fn from(state: InState) -> Self {
        match state {
            InState::Open => Self::Open,
            InState::Stale => Self::Stale,
            InState::Published => Self::Published,
            InState::Rejected => Self::Rejected,
            InState::Withdrawn => Self::Withdrawn,
            InState::Expired => Self::Expired,
        }
    }
}

/// A proposal, without its content.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ProposalRow")]
pub(crate) struct Row {
    /// The id.
    id: String,
    /// The scope that it is for.
    scope: String,
    /// The name that it is for.
    name: String,
    /// `open`, `stale`, `published`, `rejected`, `withdrawn` or `expired`.
    state: &'static str,
    /// The digest of its content: what a decision is about.
    pub(super) digest: String,
    /// The size of its SKILL.md in bytes.
    size: i64,
    /// How many files it has.
    file_count: i64,
    /// When to use the skill.
    description: String,
    /// What it is compared with; null when there was no such skill.
    base: Option<Base>,
    /// `human` or `agent`.
    author_kind: &'static str,
    /// Who proposed it.
    author: String,
    /// The actor that an agent acted for.
    #[serde(skip_serializing_if = "Option::is_none")]
    acts_for: Option<String>,
    /// The rule that made a publication a proposal; left out when it was proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    /// When it was proposed, RFC 3339.
    created_at: String,
    /// When it changed last, RFC 3339.
    updated_at: String,
    /// When it expires, or would have, RFC 3339.
    expires_at: String,
    /// When it ended, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    /// Who ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<String>,
    /// The number of the revision that it was published as.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<u32>,
}

impl From<ProposalRow> for Row {
    fn from(row: ProposalRow) -> Self {
        let ProposalRow {
            id,
            scope,
            name,
            state,
            digest,
            size,
            files,
            description,
            base,
            author_kind,
            author,
            acts_for,
            origin,
            created_at,
            updated_at,
            expires_at,
            ended_at,
            ended_by,
            published,
        } = row;
        Self {
            id,
            scope,
            name,
            state: state.as_str(),
            digest,
            size,
            file_count: files,
            description,
            base: base.map(Base::from),
            author_kind,
            author,
            acts_for,
            origin,
            created_at: time(created_at),
            updated_at: time(updated_at),
            expires_at: time(expires_at),
            ended_at: ended_at.map(time),
            ended_by,
            published,
        }
    }
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("List proposals")
        .description(
            "Humans see those of their tenant and of their own scope, administrators those for global, and everyone their own. Agents see those of their actor.",
        )
        .tag("proposals")
        .query::<Filter>()
        .paged()
        .answer::<Listed<Row>>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::InvalidCursor,
            Code::InvalidScope,
        ])
}

pub(crate) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Paged { page, query }: Paged<Filter>,
) -> Result<Json<Listed<Row>>, Problem> {
    let Filter { state, scope, mine } = query;
    let state = state.map(ProposalState::from);
    let filter = [
        state.map_or("", ProposalState::as_str),
        scope.as_deref().unwrap_or_default(),
        if mine { "mine" } else { "" },
    ];
    let list = app.cursors().of(&caller, "proposals", &filter)?;
    let wanted = scope
        .as_deref()
        .map(|text| {
            ScopeText::parse(text)
                .and_then(|scope| scope.resolve(caller.tenant()))
                .map_err(|problem| problem.at("scope"))
        })
        .transpose()?;
    let query = ListProposals {
        page: list.request(&page)?,
        state,
        scope: wanted,
        mine,
    };
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), Row::from)?))
}
