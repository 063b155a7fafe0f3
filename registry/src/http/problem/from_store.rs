//! From what went wrong in the store to a problem: the one place that decides between 401, 403, 404 and the rest.

use vestry_policies::Rule;

use super::{Fault, Problem};
use crate::store::StoreError;
use crate::template::builder::BuildFault;

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(rule) => refused(rule),
            StoreError::AuthorityEnded => Self::AuthorityEnded,
            StoreError::BadCredentials => Self::Unauthenticated(
                "Username, password and tenant do not belong together, or the refresh token is not valid any more. Log in again.".into(),
            ),
            StoreError::NotFound(_) => Self::NotFound,
            StoreError::AlreadyExists(what) => {
                Self::AlreadyExists(Fault::new(format!("{what} exists already. Choose another name.")))
            }
            StoreError::ActorIdTaken(actor) => Self::ActorIdTaken(Fault::at(
                "claim",
                format!(
                    "The actor `{actor}` has skills that its agents wrote. Send `claim: true` if this human is that actor, or choose another username."
                ),
            )),
            StoreError::Conflict(detail) => Self::Conflict(detail.into()),
            StoreError::ProposalStale => Self::ProposalStale,
            StoreError::ProposalOver(state) => Self::ProposalEnded { state },
            StoreError::PreconditionFailed(current) => Self::PreconditionFailed(match current {
                Some(current) => format!(
                    "It has changed, or exists already: its current entity tag is \"{current}\". Read it, and send that in If-Match."
                )
                .into(),
                None => "It does not exist. Send `If-None-Match: *` to create it.".into(),
            }),
            StoreError::PreconditionRequired => Self::PreconditionRequired(
                "Send `If-None-Match: *` to create, or `If-Match` with the entity tag of what you read to update.".into(),
            ),
            StoreError::InvalidContent { field, detail } => Self::InvalidContent(Fault::at(field, detail)),
            StoreError::NoSuchFile { path, available } => Self::FileNotFound { path, available },
            StoreError::LimitReached(detail) => Self::QuotaExceeded(Fault::new(detail)),
            StoreError::IdempotencyMismatch => Self::IdempotencyMismatch,
            StoreError::TurnConflict => Self::TurnConflict,
            StoreError::OfferInvalid => Self::OfferInvalid,
            StoreError::OfferExpired => Self::OfferExpired,
            StoreError::TemplateRefused(diagnostics) => Self::TemplateRefused(diagnostics),
            StoreError::TemplateFailed(detail) => Self::TemplateFailed(detail.into()),
            StoreError::InvalidSchema(faults) => Self::InvalidSchema(faults),
            StoreError::SchemaBreaking(report) => Self::SchemaBreaking(report),
            StoreError::InvalidContext(faults) => invalid_context(faults),
            StoreError::Busy => Self::Busy {
                detail: "The database is busy. Send the request again.".into(),
                retry_after: 1,
            },
            StoreError::Unavailable => Self::DatabaseUnavailable,
            StoreError::OutcomeUnknown => Self::OutcomeUnknown,
            StoreError::OfItem { name, error } => match *error {
                StoreError::Recalled => Self::SkillRecalled { name },
                StoreError::Corrupt => Self::BodyUnreadable {
                    name,
                    cause: Box::new(StoreError::Corrupt),
                },
                error => error.into(),
            },
            // Loads say these in their own words, with the name that was asked for.
            error @ (StoreError::NotOffered(_)
            | StoreError::Recalled
            | StoreError::Corrupt
            | StoreError::Database(_)
            | StoreError::Internal(_)) => Self::internal(error),
        }
    }
}

/// What a refusal says that the caller can do instead.
fn refused(rule: Rule) -> Problem {
    let detail = match rule {
        Rule::QuotaExceeded => {
            return Problem::QuotaExceeded(Fault::new(
                "The quota of this scope is used up. Archive skills that nobody needs, or ask a publisher to raise the quota.",
            ));
        }
        Rule::NotInScope => "This is not one of your scopes. Use one that `GET /v1/me` lists.",
        Rule::HumansOnly => "Only a human acting as itself may do this. Ask a publisher.",
        Rule::NeedsElevation => {
            "Step up for exactly this scope with `POST /v1/elevate`, and send the elevated token."
        }
        Rule::NeedsRole => "Your role does not allow this. Ask a publisher or an administrator.",
        Rule::NeedsSession => {
            "Log in with `POST /v1/login` and use that token; an API key or a minted token will not do."
        }
        Rule::NeedsOffer => {
            "Agents and services get this body by loading it from their offer with `POST /v1/load`; a prompt template by `POST /v1/prompts/resolve`."
        }
        Rule::NeedsActor => {
            "A service has no turns. Mint a token for an agent with `POST /v1/token`, and use that."
        }
        Rule::ServicesOnly => "Only a service may do this, with its key.",
        Rule::Recalled => {
            "This content has been recalled. Publishers and auditors of its scope can read it."
        }
        Rule::SharedScopesOnly => "This is for tenant and global skills only.",
        Rule::AgentsDenied => {
            "This tenant lets no agent write its own scope. Ask the human whom you act for."
        }
        Rule::AgentsReviewed => {
            "This tenant has what agents write in their own scope reviewed by the human whom they act for."
        }
        Rule::NameReviewed => {
            "This tenant has what is published under this name reviewed. Propose it with `POST /v1/proposals`."
        }
        Rule::FindingsReviewed => {
            "This tenant has publications reviewed in which something as severe is found. Propose it with `POST /v1/proposals`."
        }
        Rule::NotYourProposal => "There is nothing here that you may know of.",
        Rule::NotTheProposer => {
            "Only its proposer, or the human whom that acted for, may do this to a proposal. Comment on it instead."
        }
        Rule::NotAnApprover => {
            "This tenant names who may approve, and you are not among them. Ask one of them; the settings list them."
        }
        Rule::NeedsOtherHuman => {
            "Whoever wrote a proposal, or had an agent write it, does not decide it. Ask another publisher."
        }
        Rule::WrongTarget => "This cannot be done to a target of this kind.",
        Rule::OwnSelf
        | Rule::OwnScope
        | Rule::ElevatedHuman
        | Rule::InScope
        | Rule::OwnTurn
        | Rule::OwnService
        | Rule::HasRole
        | Rule::ElevatedAdministrator
        | Rule::OwnProposal => "This is not allowed.",
    };
    Problem::Refused {
        rule,
        detail: detail.into(),
    }
}

/// The first fault by its path, and how many more there are.
fn invalid_context(faults: Vec<BuildFault>) -> Problem {
    let more = faults.len().saturating_sub(1);
    let Some(BuildFault { path, detail }) = faults.into_iter().next() else {
        return Problem::InvalidContext(Fault::at("context", "Send a context of the schema."));
    };
    let field = if path.is_empty() {
        "context".to_owned()
    } else {
        format!("context.{path}")
    };
    let detail = match more {
        0 => detail,
        more => format!("{detail} There are {more} more faults."),
    };
    Problem::InvalidContext(Fault::at(field, detail))
}
