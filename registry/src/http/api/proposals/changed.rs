//! The answer to every change of a proposal.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::api::skills::changed::{Warning, entity_tag};
use crate::http::api::skills::findings::Findings;
use crate::http::api::words::time;
use crate::http::problem::Problem;
use crate::store::{ProposalBase, ProposalChange};

/// What a proposal is compared with.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ProposalBase")]
pub(in crate::http) struct Base {
    /// The number of the revision.
    revision: u32,
    /// Its digest: what an approval sends as `base`.
    digest: String,
}

impl From<ProposalBase> for Base {
    fn from(ProposalBase { revision, digest }: ProposalBase) -> Self {
        Self { revision, digest }
    }
}

/// What a proposal is after a change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ProposalChanged {
    /// The id.
    id: String,
    /// The scope that it is for.
    scope: String,
    /// The name that it is for.
    name: String,
    /// `open`, `stale`, `published`, `rejected`, `withdrawn` or `expired`.
    state: String,
    /// The digest of its content: what a decision is about.
    digest: String,
    /// What it is compared with; null when there was no such skill.
    base: Option<Base>,
    /// When it expires, or would have, RFC 3339.
    expires_at: String,
    /// How many approvals it has; in the answer to a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    approvals: Option<u32>,
    /// How many it needs; in the answer to a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    required_approvals: Option<u32>,
    /// The number of the revision that it was published as.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<u32>,
    /// Whether everything was so already, so that nothing was written.
    unchanged: bool,
    /// What the content has that should be looked at; left out when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning>,
    #[serde(flatten)]
    findings: Findings,
}

/// A change with its status, its place and its entity tag.
pub(crate) type ProposalAnswer = (
    StatusCode,
    [(HeaderName, HeaderValue); 2],
    Json<ProposalChanged>,
);

/// The answer to a change that made no proposal.
pub(super) fn changed(change: ProposalChange) -> Result<ProposalAnswer, Problem> {
    proposed(StatusCode::OK, change, Vec::new(), Findings::default())
}

/// The answer to a change, with what its content should be looked at for.
pub(in crate::http::api) fn proposed(
    status: StatusCode,
    change: ProposalChange,
    mut warnings: Vec<Warning>,
    findings: Findings,
) -> Result<ProposalAnswer, Problem> {
    let ProposalChange {
        id,
        scope,
        name,
        state,
        digest,
        base,
        expires_at,
        approvals,
        required,
        published,
        created: _,
        unchanged,
        warnings: of_files,
    } = change;
    warnings.extend(of_files.into_iter().map(Warning::of_file));
    let place = HeaderValue::from_str(&format!("/v1/proposals/{id}")).map_err(Problem::internal)?;
    let headers = [
        (header::ETAG, entity_tag(&digest)?),
        (header::LOCATION, place),
    ];
    Ok((
        status,
        headers,
        Json(ProposalChanged {
            id,
            scope,
            name,
            state,
            digest,
            base: base.map(Base::from),
            expires_at: time(expires_at),
            approvals,
            required_approvals: required,
            published,
            unchanged,
            warnings,
            findings,
        }),
    ))
}
