//! Reading skills.

use super::administer;
use super::who::{is_human_as_itself, is_in_scope, role_in};
use crate::facts::{Facts, PrincipalKind, Role};
use crate::scope::Scope;
use crate::skill::Status;
use crate::verdict::{Rule, Verdict};

/// The resolved listing of one's own scopes.
pub(super) fn list(facts: &Facts) -> Verdict {
    if facts.principal.scopes.is_empty() {
        Verdict::Deny(Rule::NotInScope)
    } else {
        Verdict::Allow(Rule::InScope)
    }
}

/// The stream of what changes. A service has no scopes of its own to follow: its agents have.
pub(super) fn events(facts: &Facts) -> Verdict {
    match facts.principal.kind {
        PrincipalKind::Service => Verdict::Deny(Rule::NeedsActor),
        PrincipalKind::Human | PrincipalKind::Agent => list(facts),
    }
}

/// Everything about a scope's skills but bodies.
pub(super) fn metadata(scope: &Scope, facts: &Facts) -> Verdict {
    if is_in_scope(scope, facts) {
        Verdict::Allow(Rule::InScope)
    } else {
        Verdict::Deny(Rule::NotInScope)
    }
}

/// A body, by any way but a load or an opening.
pub(super) fn body(scope: &Scope, facts: &Facts) -> Verdict {
    if !is_in_scope(scope, facts) {
        return Verdict::Deny(Rule::NotInScope);
    }
    let recalled = is_recalled(facts);
    if !is_human_as_itself(facts) {
        // The bodies of wider scopes have to pass the load boundary.
        return match (scope.is_shared(), recalled) {
            (true, _) => Verdict::Deny(Rule::NeedsOffer),
            (false, true) => Verdict::Deny(Rule::Recalled),
            (false, false) => Verdict::Allow(Rule::OwnScope),
        };
    }
    if !recalled {
        return Verdict::Allow(Rule::InScope);
    }
    match scope {
        Scope::Actor { .. } => Verdict::Allow(Rule::InScope),
        Scope::Tenant(tenant) => match role_in(tenant, facts) {
            Some(Role::Publisher | Role::Auditor) => Verdict::Allow(Rule::HasRole),
            Some(Role::Member) | None => Verdict::Deny(Rule::Recalled),
        },
        Scope::Global if facts.standing.global_admin => Verdict::Allow(Rule::HasRole),
        Scope::Global => Verdict::Deny(Rule::Recalled),
    }
}

/// Which turns of a tenant were offered a revision of this scope, and which loaded it. What members of a tenant do is for those
/// who may read its audit log; what is done with an actor's own skills is the actor's to know.
///
/// A global skill reached turns of many tenants. Each reads its own, so that the target is the tenant and not this scope.
pub(super) fn recall_report(scope: &Scope, facts: &Facts) -> Verdict {
    if *scope == Scope::Global {
        return Verdict::Deny(Rule::WrongTarget);
    }
    if !is_in_scope(scope, facts) {
        return Verdict::Deny(Rule::NotInScope);
    }
    match scope {
        Scope::Tenant(tenant) => administer::read_audit(tenant, facts),
        _ if is_human_as_itself(facts) => Verdict::Allow(Rule::OwnScope),
        _ => Verdict::Deny(Rule::HumansOnly),
    }
}

fn is_recalled(facts: &Facts) -> bool {
    match facts.status {
        Some(Status::Quarantined | Status::Revoked) => true,
        Some(Status::Active | Status::Disabled | Status::Archived) | None => false,
    }
}
