//! `POST /v1/proposals/{id}/comments`: say something about a proposal.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::prose;
use super::locate;
use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{OpaqueId, Path};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::{Comment as Said, CommentProposal};

/// A comment to be made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewComment")]
pub(in crate::http) struct Request {
    /// What is to be said: 1 to 4,000 characters.
    text: String,
}

/// A comment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Comment {
    /// Its position among the proposal's, from 1.
    number: i64,
    /// `human` or `agent`.
    author_kind: String,
    /// Who said it.
    author: String,
    /// The actor that an agent acted for.
    #[serde(skip_serializing_if = "Option::is_none")]
    acts_for: Option<String>,
    /// What was said.
    text: String,
    /// The digest of the content that it was said about.
    digest: String,
    /// When, RFC 3339.
    created_at: String,
}

impl From<Said> for Comment {
    fn from(said: Said) -> Self {
        let Said {
            proposal: _,
            number,
            author_kind,
            author,
            acts_for,
            text,
            digest,
            created_at,
        } = said;
        Self {
            number,
            author_kind,
            author,
            acts_for,
            text,
            digest,
            created_at: time(created_at),
        }
    }
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Comment on a proposal")
        .description("For everyone who may read it.")
        .tag("proposals")
        .idempotency_key()
        .body::<Request>()
        .answer::<Comment>(StatusCode::CREATED)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::ProposalEnded,
            Code::InvalidContent,
            Code::InvalidId,
            Code::QuotaExceeded,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(id): Path<OpaqueId>,
    request: Mutation<Request>,
) -> Result<(StatusCode, Json<Comment>), Problem> {
    let text = prose("text", request.body.text)?;
    let at = locate(&app, &caller, id).await?;
    let action = CommentProposal::new(at, text);
    let said = app.store.act(&caller, action, request.facts).await?;
    Ok((StatusCode::CREATED, Json(said.into())))
}
