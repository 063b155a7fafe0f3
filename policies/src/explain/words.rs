//! Conditions in words.

use crate::verdict::Rule;

/// What holds where the rule does not refuse.
pub(super) fn condition(rule: Rule) -> &'static str {
    match rule {
        Rule::NotInScope => "the target is one of the principal's scopes",
        Rule::HumansOnly => "the principal is a human acting as itself",
        Rule::NeedsElevation => "the principal has an unexpired elevation for exactly this scope",
        Rule::NeedsRole => "the principal has a role that allows this",
        Rule::NeedsSession => "the principal is logged in, and not only showing a key",
        Rule::NeedsOffer => "the body is read by a human, or loaded from an offer",
        Rule::NeedsActor => "the principal is an actor, or acts for one",
        Rule::ServicesOnly => "the principal is a service of the tenant",
        Rule::Recalled => "the content is not recalled, or the principal oversees the scope",
        Rule::SharedScopesOnly => "the scope is of the kind that the action is for",
        Rule::AgentsDenied => "the tenant lets agents write their actor's scope",
        Rule::AgentsReviewed => "the tenant lets agents write their actor's scope without a review",
        Rule::NameReviewed => "the tenant lets this name be published without a review",
        Rule::FindingsReviewed => {
            "nothing is found in the content that is so severe that the tenant has it reviewed"
        }
        Rule::NotYourProposal => "the proposal is one that the principal may read",
        Rule::NotTheProposer => "the principal proposed it, or is whom the proposer acted for",
        Rule::NotAnApprover => "the principal is one of those whom the tenant lets approve",
        Rule::NeedsOtherHuman => "the principal did not write it, nor have it written",
        Rule::QuotaExceeded => "the quota has room",
        Rule::WrongTarget => "the target is of the kind that the action is about",
        Rule::OwnSelf
        | Rule::OwnScope
        | Rule::ElevatedHuman
        | Rule::InScope
        | Rule::OwnTurn
        | Rule::OwnService
        | Rule::HasRole
        | Rule::ElevatedAdministrator
        | Rule::OwnProposal => "it is allowed",
    }
}

/// What is needed where the rule refuses, to follow "it needs".
pub(super) fn needed(rule: Rule) -> &'static str {
    match rule {
        Rule::NotInScope => "a principal who has this scope",
        Rule::HumansOnly => "a human who acts as itself",
        Rule::NeedsElevation => "a step up for exactly this scope (`POST /v1/elevate`)",
        Rule::NeedsRole => {
            "the role for it: publisher of the tenant, or global administrator at global"
        }
        Rule::NeedsSession => "an interactive login (`POST /v1/login`)",
        Rule::NeedsOffer => "an offer to load from (`POST /v1/load`)",
        Rule::NeedsActor => "an agent's token (`POST /v1/token`), or a human",
        Rule::ServicesOnly => "a service of the tenant, with its key",
        Rule::Recalled => "a publisher or auditor of the scope, or a release of the content",
        Rule::SharedScopesOnly => "a scope of another kind",
        Rule::AgentsDenied => "a tenant that lets agents write their actor's scope",
        Rule::AgentsReviewed => {
            "a tenant that lets agents write their actor's scope without a review"
        }
        Rule::NameReviewed => "a review: it becomes a proposal, and others decide it",
        Rule::FindingsReviewed => {
            "content without such findings, or a review: it becomes a proposal, and others decide it"
        }
        Rule::NotYourProposal => "whoever proposed it, or somebody who reviews it",
        Rule::NotTheProposer => "whoever proposed it, or whom the proposer acted for",
        Rule::NotAnApprover => "one of those whom the tenant lets approve",
        Rule::NeedsOtherHuman => "another human, who did not write it",
        Rule::QuotaExceeded => "room in the quota: archived skills, or a higher limit",
        Rule::WrongTarget => "a target of another kind",
        Rule::OwnSelf
        | Rule::OwnScope
        | Rule::ElevatedHuman
        | Rule::InScope
        | Rule::OwnTurn
        | Rule::OwnService
        | Rule::HasRole
        | Rule::ElevatedAdministrator
        | Rule::OwnProposal => "nothing",
    }
}
