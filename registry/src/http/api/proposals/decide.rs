//! `POST /v1/proposals/{id}/decision`: approve or reject a proposal.

use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;
use vestry_policies::Digest;
use vestry_policies::review::{self, Ballot};

use super::changed::{ProposalAnswer, ProposalChanged, changed};
use super::locate;
use crate::http::api::words::reason;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{OpaqueId, Path, present, without_null_defaults, word};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::actions::DecideProposal;

/// A decision about what was read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults, rename = "ProposalDecision")]
pub(in crate::http) struct Request {
    /// What is decided.
    #[serde(deserialize_with = "word")]
    decision: Decision,
    /// The `digest` of what was read.
    digest: String,
    /// The `base.digest` of what it was compared with; left out when there was no such skill. For approvals.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    base: Option<String>,
    /// Why; one line of 1 to 500 characters. Required to reject.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    reason: Option<String>,
}

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Decision {
    /// Publish it.
    Approve,
    /// End it.
    Reject,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Decide a proposal")
        .description(
            "For publishers elevated for the scope who did not write it; what waits for an actor's scope is decided by that actor, without elevation. A decision is bound to what was read and to what that was compared with. The last approval that is needed publishes.",
        )
        .tag("proposals")
        .idempotency_key()
        .body::<Request>()
        .answer::<ProposalChanged>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::Conflict,
            Code::ProposalStale,
            Code::ProposalEnded,
            Code::InvalidContent,
            Code::TemplateRefused,
            Code::InvalidId,
            Code::QuotaExceeded,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(id): Path<OpaqueId>,
    request: Mutation<Request>,
) -> Result<ProposalAnswer, Problem> {
    let Request {
        decision,
        digest,
        base,
        reason: why,
    } = request.body;
    let ballot = Ballot {
        decision: match decision {
            Decision::Approve => review::Decision::Approve,
            Decision::Reject => review::Decision::Reject,
        },
        digest: parsed("digest", &digest)?,
        base: base.map(|base| parsed("base", &base)).transpose()?,
    };
    let why = why.map(reason).transpose()?;
    if decision == Decision::Reject && why.is_none() {
        return Err(Problem::Malformed(Fault::at(
            "reason",
            "Say why it is rejected, in `reason`.",
        )));
    }
    let at = locate(&app, &caller, id).await?;
    let action = DecideProposal::new(at, ballot, why.unwrap_or_default());
    changed(app.store.act(&caller, action, request.facts).await?)
}

fn parsed(field: &'static str, digest: &str) -> Result<Digest, Problem> {
    Digest::parse(digest).ok_or_else(|| {
        Problem::InvalidContent(Fault::at(
            field,
            "Write a digest as `sha256:` and 64 lower-case hexadecimal digits.",
        ))
    })
}
