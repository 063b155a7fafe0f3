//! `POST /v1/recall`: quarantine or revoke every revision with a digest, or disable every skill that has it now, in every
//! scope where the caller may.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::Digest;

use crate::http::api::words::reason;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::actions::{DisableSkill, Precondition, QuarantineSkill, RevokeSkill};
use crate::store::queries::{RecallTarget, RecallTargets};
use crate::store::{RequestFacts, StoreError};

/// What to recall, and why.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The digest of the revisions, `sha256:` and 64 hexadecimal digits.
    digest: String,
    /// Why; one line of 1 to 500 characters, for the audit log.
    reason: String,
    /// How; a quarantine when left out.
    #[serde(default)]
    action: How,
}

/// How content is recalled.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum How {
    /// New catalogs and outstanding offers refuse it at once, until it is released.
    #[default]
    Quarantine,
    /// The same, for good.
    Revoke,
    /// Skills whose current revision it is are left out of new catalogs; what was offered still loads.
    Disable,
}

/// What became of each revision with the digest.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// How.
    action: How,
    /// Those for which it is done, or was so already.
    recalled: Vec<Found>,
    /// Those that the caller may see but not recall, that are revoked, or that have changed meanwhile. Of what it may not
    /// see nothing is said.
    refused: Vec<Found>,
}

/// A revision with the digest.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Found {
    /// The scope.
    scope: String,
    /// The name.
    name: String,
    /// The number.
    revision: u32,
    /// Why it was not recalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Recall content by its digest")
        .description(
            "Each revision, or skill for `disable`, is done and recorded by itself; asking again does the rest.",
        )
        .tag("skills")
        .idempotency_key()
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::NotFound,
            Code::Refused,
            Code::InvalidContent,
            Code::IdempotencyMismatch,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    request: Mutation<Request>,
) -> Result<Json<Answer>, Problem> {
    let Request {
        digest,
        reason: why,
        action,
    } = request.body;
    if Digest::parse(&digest).is_none() {
        return Err(Problem::InvalidContent(Fault::at(
            "digest",
            "Send `sha256:` and 64 lower-case hexadecimal digits, as the history shows them.",
        )));
    }
    let why = reason(why)?;
    let found = app
        .store
        .view(
            &caller,
            RecallTargets {
                digest: digest.clone(),
                current_only: matches!(action, How::Disable),
            },
        )
        .await?
        .into_inner();
    if found.is_empty() {
        return Err(Problem::NotFound);
    }
    let mut answer = Answer {
        action,
        recalled: Vec::new(),
        refused: Vec::new(),
    };
    let mut first_refusal = None;
    for RecallTarget {
        scope,
        name,
        number,
    } in found
    {
        let mut found = Found {
            scope: scope.to_string(),
            name: name.to_string(),
            revision: number,
            rule: None,
        };
        let facts = part_of(&request.facts, &found);
        let why = why.clone();
        let (store, caller) = (&app.store, &caller);
        let done = match action {
            How::Quarantine => {
                let action = QuarantineSkill::new(scope, name, Some(number), why);
                store.act(caller, action, facts).await
            }
            How::Revoke => {
                let action = RevokeSkill::new(scope, name, Some(number), why);
                store.act(caller, action, facts).await
            }
            How::Disable => {
                // Only while it has this content: another one was not meant.
                let as_found = Precondition::Digest(vec![digest.clone()]);
                let action = DisableSkill::new(scope, name, as_found, why);
                store.act(caller, action, facts).await
            }
        };
        match done {
            Ok(_) => answer.recalled.push(found),
            Err(StoreError::Refused(rule)) => {
                found.rule = Some(rule.as_str());
                first_refusal.get_or_insert(rule);
                answer.refused.push(found);
            }
            Err(StoreError::Conflict(_)) => {
                found.rule = Some("revoked");
                answer.refused.push(found);
            }
            Err(StoreError::PreconditionFailed(_) | StoreError::NotFound(_)) => {
                found.rule = Some("changed");
                answer.refused.push(found);
            }
            Err(error) => return Err(error.into()),
        }
    }
    match first_refusal {
        // Nothing could be recalled: that is a refusal, not a success with an empty list.
        Some(rule) if answer.recalled.is_empty() => Err(StoreError::Refused(rule).into()),
        _ => Ok(Json(answer)),
    }
}

/// Each revision is an effect of its own, so each has an idempotency key of its own, derived from the request's. The first of
/// them binds the request's key to its body.
fn part_of(facts: &RequestFacts, found: &Found) -> RequestFacts {
    let mut part = facts.clone();
    if let Some(idempotency) = &mut part.idempotency {
        idempotency.part_of = Some(idempotency.route.clone());
        idempotency.route = format!(
            "{} {}/{}/{}",
            idempotency.route, found.scope, found.name, found.revision
        );
    }
    part
}
