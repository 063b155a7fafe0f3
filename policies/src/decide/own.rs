//! What callers do for themselves: signing in, stepping up, minting, taking turns.

use super::who::{is_human_as_itself, is_in_scope, role_in};
use crate::facts::{Credential, Facts, PrincipalKind, Role};
use crate::id::TenantId;
use crate::scope::Scope;
use crate::verdict::{Rule, Verdict};

/// Sessions and keys of one's own. A key can neither end a session that it has not nor make more keys.
pub(super) fn sign_in(facts: &Facts) -> Verdict {
    interactive(facts).unwrap_or(Verdict::Allow(Rule::OwnSelf))
}

/// Stepping up for one scope.
///
/// A global admin may step up for any tenant, to administer it. That gives no right to its content:
/// the write verdict asks for being in the scope and for the role again.
pub(super) fn elevate(scope: &Scope, facts: &Facts) -> Verdict {
    let admin = facts.standing.global_admin;
    let reachable = is_in_scope(scope, facts) || (admin && scope.is_shared());
    if !reachable {
        return Verdict::Deny(Rule::NotInScope);
    }
    let has_role = match scope {
        Scope::Actor { .. } => return Verdict::Deny(Rule::SharedScopesOnly),
        Scope::Tenant(tenant) => admin || role_in(tenant, facts) == Some(Role::Publisher),
        Scope::Global => admin,
    };
    if let Some(refused) = interactive(facts) {
        return refused;
    }
    if has_role {
        Verdict::Allow(Rule::HasRole)
    } else {
        Verdict::Deny(Rule::NeedsRole)
    }
}

/// Minting a token for an agent of the service's own tenant.
pub(super) fn mint(tenant: &TenantId, facts: &Facts) -> Verdict {
    let principal = &facts.principal;
    let own_service = principal.kind == PrincipalKind::Service
        && principal.credential == Credential::ApiKey
        && principal.acts_for.is_none()
        && principal.tenant.as_ref() == Some(tenant);
    if own_service {
        Verdict::Allow(Rule::OwnService)
    } else {
        Verdict::Deny(Rule::ServicesOnly)
    }
}

/// Taking the catalog of a turn and loading from it.
pub(super) fn turn(facts: &Facts) -> Verdict {
    match facts.principal.kind {
        PrincipalKind::Human | PrincipalKind::Agent => Verdict::Allow(Rule::OwnTurn),
        PrincipalKind::Service => Verdict::Deny(Rule::NeedsActor),
    }
}

/// Why the caller is not a human in an interactive session of its own, if it is not.
fn interactive(facts: &Facts) -> Option<Verdict> {
    if !is_human_as_itself(facts) {
        return Some(Verdict::Deny(Rule::HumansOnly));
    }
    match facts.principal.credential {
        Credential::Session => None,
        Credential::ApiKey | Credential::Minted => Some(Verdict::Deny(Rule::NeedsSession)),
    }
}
