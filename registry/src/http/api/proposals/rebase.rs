//! `POST /v1/proposals/{id}/rebase`: compare a stale proposal with what is there now.

use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::changed::{ProposalAnswer, ProposalChanged, changed};
use super::locate;
use crate::http::api::words::reason;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{OpaqueId, Path, present, without_null_defaults};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::RebaseProposal;

/// Why it is rebased.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults, rename = "ProposalRebase")]
pub(in crate::http) struct Request {
    /// Why; one line of 1 to 500 characters.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    reason: Option<String>,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Rebase a proposal")
        .description(
            "For its proposer, or the human whom that acted for. The content and what was said of it stay; approvals are void.",
        )
        .tag("proposals")
        .idempotency_key()
        .body::<Request>()
        .answer::<ProposalChanged>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::Conflict,
            Code::ProposalEnded,
            Code::InvalidContent,
            Code::InvalidId,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(id): Path<OpaqueId>,
    request: Mutation<Request>,
) -> Result<ProposalAnswer, Problem> {
    let why = request.body.reason.map(reason).transpose()?;
    let at = locate(&app, &caller, id).await?;
    let action = RebaseProposal::new(at, why.unwrap_or_default());
    changed(app.store.act(&caller, action, request.facts).await?)
}
