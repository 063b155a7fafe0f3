//! Proposals: who may make, read, change and decide them (design §2.6).

use super::read::list as has_scopes;
use super::who::{is_human_as_itself, is_in_scope};
use super::write::write_verdict;
use crate::facts::{Facts, PrincipalKind};
use crate::id::Username;
use crate::review::{Proposal, objection};
use crate::scope::Scope;
use crate::verdict::{Rule, Verdict};

/// Proposing content for a shared scope.
pub(super) fn propose(scope: &Scope, facts: &Facts) -> Verdict {
    if !is_in_scope(scope, facts) {
        return Verdict::Deny(Rule::NotInScope);
    }
    if !scope.is_shared() {
        return Verdict::Deny(Rule::SharedScopesOnly);
    }
    if let Some(refused) = no_author(facts) {
        return refused;
    }
    Verdict::Allow(Rule::InScope)
}

/// Listing those that one may read.
pub(super) fn list(facts: &Facts) -> Verdict {
    no_author(facts).unwrap_or_else(|| has_scopes(facts))
}

/// Reading a proposal, and commenting on it.
///
/// Humans read those of their tenant. Those for global are read by administrators, and by whoever proposed them; those of
/// an actor's scope by that actor. An agent reads its own actor's.
pub(super) fn read(scope: &Scope, facts: &Facts) -> Verdict {
    let Some(proposal) = &facts.proposal else {
        return Verdict::Deny(Rule::WrongTarget);
    };
    if !is_in_scope(scope, facts) {
        return Verdict::Deny(Rule::NotInScope);
    }
    if let Some(refused) = no_author(facts) {
        return refused;
    }
    let principal = &facts.principal;
    let is_human = principal.kind == PrincipalKind::Human;
    match scope {
        Scope::Actor { .. } => Verdict::Allow(Rule::OwnScope),
        Scope::Tenant(_) if is_human => Verdict::Allow(Rule::InScope),
        Scope::Global if is_human && facts.standing.global_admin => Verdict::Allow(Rule::HasRole),
        _ if is_human && proposal.is_of(principal) => Verdict::Allow(Rule::OwnProposal),
        _ if !is_human && proposal.is_of_actor(principal) => Verdict::Allow(Rule::OwnProposal),
        _ => Verdict::Deny(Rule::NotYourProposal),
    }
}

/// Whether a caller who may read a proposal may read its content: agents get metadata, as of any wider body.
#[must_use]
pub fn reads_content(facts: &Facts) -> bool {
    is_human_as_itself(facts)
}

/// Editing, withdrawing and rebasing.
pub(super) fn change(scope: &Scope, facts: &Facts) -> Verdict {
    match (read(scope, facts), &facts.proposal) {
        (Verdict::Allow(_), Some(proposal)) if proposal.is_of(&facts.principal) => {
            Verdict::Allow(Rule::OwnProposal)
        }
        (Verdict::Allow(_), _) => Verdict::Deny(Rule::NotTheProposer),
        (refused, _) => refused,
    }
}

/// Approving and rejecting: as publishing at the scope, and by somebody who did not write it.
///
/// What waits for an actor's scope is decided by that actor, as a human; it is its own to publish.
pub(super) fn decide(scope: &Scope, facts: &Facts) -> Verdict {
    let (Verdict::Allow(_), Some(proposal)) = (read(scope, facts), &facts.proposal) else {
        // Whoever may not know of it learns nothing here either.
        return read(scope, facts);
    };
    if !is_human_as_itself(facts) {
        return Verdict::Deny(Rule::HumansOnly);
    }
    match write_verdict(scope, facts) {
        Verdict::Allow(rule) if scope.is_shared() => match objects(proposal, facts) {
            Some(objection) => Verdict::Deny(objection),
            None => Verdict::Allow(rule),
        },
        verdict => verdict,
    }
}

fn objects(proposal: &Proposal, facts: &Facts) -> Option<Rule> {
    match Username::parse(&facts.principal.name) {
        Ok(human) => objection(&human, proposal, &facts.settings),
        // Without a name nobody can tell it from the authors.
        Err(_) => Some(Rule::NeedsOtherHuman),
    }
}

/// Why the caller is nobody who proposes, if it is not: a service has no actor, and a human acts as itself.
fn no_author(facts: &Facts) -> Option<Verdict> {
    match facts.principal.kind {
        PrincipalKind::Service => Some(Verdict::Deny(Rule::NeedsActor)),
        PrincipalKind::Human if !is_human_as_itself(facts) => Some(Verdict::Deny(Rule::HumansOnly)),
        PrincipalKind::Human | PrincipalKind::Agent => None,
    }
}
