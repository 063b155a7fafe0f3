//! Writing skills: the write verdict, in the order that the design gives it.

use super::who::{is_elevated_for, is_human_as_itself, is_in_scope, role_in};
use crate::facts::{AgentOwnScope, Facts, Role};
use crate::scope::Scope;
use crate::verdict::{Rule, Verdict};

/// Whether the caller may change the content of `target`.
pub fn write_verdict(target: &Scope, facts: &Facts) -> Verdict {
    if !is_in_scope(target, facts) {
        return Verdict::Deny(Rule::NotInScope);
    }
    if !target.is_shared() {
        return own_scope(facts);
    }
    // From here on no setting, role or claim helps anyone but a human.
    if !is_human_as_itself(facts) {
        return Verdict::Deny(Rule::HumansOnly);
    }
    if !is_elevated_for(target, facts) {
        return Verdict::Deny(Rule::NeedsElevation);
    }
    // The role is read live: one that ended since the elevation ends the elevation's use as well.
    let has_role = match target {
        Scope::Tenant(tenant) => role_in(tenant, facts) == Some(Role::Publisher),
        Scope::Global => facts.standing.global_admin,
        Scope::Actor { .. } => false,
    };
    if !has_role {
        return Verdict::Deny(Rule::NeedsRole);
    }
    if is_full(facts) {
        return Verdict::Deny(Rule::QuotaExceeded);
    }
    Verdict::Allow(Rule::ElevatedHuman)
}

/// Publishing content under a name: what a tenant has reviewed becomes a proposal, whoever publishes it.
pub(super) fn publish(target: &Scope, facts: &Facts) -> Verdict {
    let verdict = write_verdict(target, facts);
    if !matches!((target, verdict), (Scope::Tenant(_), Verdict::Allow(_))) {
        return verdict;
    }
    let is_named = facts.name.as_ref().is_some_and(|name| {
        let mut patterns = facts.settings.review_names.iter();
        patterns.any(|pattern| pattern.matches(name))
    });
    let is_severe = match (facts.settings.review_severity, facts.worst_finding) {
        (Some(least), Some(worst)) => worst >= least,
        _ => false,
    };
    if is_named {
        Verdict::Review(Rule::NameReviewed)
    } else if is_severe {
        Verdict::Review(Rule::FindingsReviewed)
    } else {
        verdict
    }
}

/// Uploading the bytes of a file: for whoever may publish at the scope, or propose what it would publish.
pub(super) fn upload(target: &Scope, facts: &Facts) -> Verdict {
    match write_verdict(target, facts) {
        Verdict::Review(_) => Verdict::Allow(Rule::OwnScope),
        verdict => verdict,
    }
}

/// The actor's own scope. What a tenant says of its agents holds for everyone but the human itself.
fn own_scope(facts: &Facts) -> Verdict {
    let setting = if is_human_as_itself(facts) {
        AgentOwnScope::Allow
    } else {
        facts.settings.agent_own_scope
    };
    // A full quota refuses before a review is offered: else the stricter setting would permit more.
    match setting {
        AgentOwnScope::Deny => Verdict::Deny(Rule::AgentsDenied),
        AgentOwnScope::Allow | AgentOwnScope::Review if is_full(facts) => {
            Verdict::Deny(Rule::QuotaExceeded)
        }
        AgentOwnScope::Review => Verdict::Review(Rule::AgentsReviewed),
        AgentOwnScope::Allow => Verdict::Allow(Rule::OwnScope),
    }
}

fn is_full(facts: &Facts) -> bool {
    facts.room.is_some_and(|room| room.used >= room.limit)
}

/// Sealing and unsealing: an actor's skill has nothing narrower to be sealed against.
pub(super) fn seal(scope: &Scope, facts: &Facts) -> Verdict {
    only_at(scope, facts, scope.is_shared())
}

/// Hiding a global skill from a tenant's members, and showing it again: a matter of the tenant's content.
pub(super) fn hide(scope: &Scope, facts: &Facts) -> Verdict {
    only_at(scope, facts, matches!(scope, Scope::Tenant(_)))
}

fn only_at(scope: &Scope, facts: &Facts, fits: bool) -> Verdict {
    if fits || !is_in_scope(scope, facts) {
        write_verdict(scope, facts)
    } else {
        Verdict::Deny(Rule::SharedScopesOnly)
    }
}
