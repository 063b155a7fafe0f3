//! What the facts say about the caller, in the words of the rules.

use crate::facts::{Credential, Facts, PrincipalKind, Role};
use crate::id::TenantId;
use crate::scope::Scope;

/// Whether a human calls as itself: not for anyone else, and not by a token that a service minted.
pub(super) fn is_human_as_itself(facts: &Facts) -> bool {
    let principal = &facts.principal;
    principal.kind == PrincipalKind::Human
        && principal.acts_for.is_none()
        && match principal.credential {
            Credential::Session | Credential::ApiKey => true,
            Credential::Minted => false,
        }
}

/// Whether the scope is one of the caller's.
///
/// A human who was removed from a tenant is in none of its scopes any more, whatever its token says.
pub(super) fn is_in_scope(scope: &Scope, facts: &Facts) -> bool {
    let principal = &facts.principal;
    let removed = principal.kind == PrincipalKind::Human
        && scope.tenant().is_some()
        && facts.standing.role.is_none();
    principal.scopes.contains(scope) && !removed
}

/// Whether an unexpired elevation for exactly this scope is shown.
///
/// Only an interactive login can be elevated, so that beside any other credential there is none.
pub(super) fn is_elevated_for(scope: &Scope, facts: &Facts) -> bool {
    facts.principal.credential == Credential::Session
        && facts
            .elevation
            .as_ref()
            .is_some_and(|elevation| elevation.scope == *scope && facts.now < elevation.expires_at)
}

/// The caller's role in a tenant; none when its token is of another tenant than that.
pub(super) fn role_in(tenant: &TenantId, facts: &Facts) -> Option<Role> {
    facts
        .standing
        .role
        .filter(|_| facts.principal.tenant.as_ref() == Some(tenant))
}
