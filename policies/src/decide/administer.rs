//! Administration: of the installation and of tenants. It asks for a role, never for being in a
//! scope, and gives no rights to content.

use super::who::{is_elevated_for, is_human_as_itself, role_in};
use crate::facts::{Facts, Role};
use crate::id::TenantId;
use crate::scope::Scope;
use crate::verdict::{Rule, Verdict};

/// Creating users and tenants, and activating a context schema.
pub(super) fn change_installation(facts: &Facts) -> Verdict {
    let admin = facts.standing.global_admin;
    change(facts, admin, is_elevated_for(&Scope::Global, facts))
}

/// Listing users and tenants, reading the audit log of what is global, and trying a context schema.
pub(super) fn read_installation(facts: &Facts) -> Verdict {
    read(facts, facts.standing.global_admin)
}

/// Changing members, services and settings.
pub(super) fn change_tenant(tenant: &TenantId, facts: &Facts) -> Verdict {
    let admin = facts.standing.global_admin;
    let publisher = role_in(tenant, facts) == Some(Role::Publisher);
    let elevated = is_elevated_for(&Scope::Tenant(tenant.clone()), facts)
        || (admin && is_elevated_for(&Scope::Global, facts));
    change(facts, admin || publisher, elevated)
}

/// Reading members and settings.
pub(super) fn read_tenant(tenant: &TenantId, facts: &Facts) -> Verdict {
    let member = role_in(tenant, facts).is_some();
    read(facts, member || facts.standing.global_admin)
}

/// Listing services.
pub(super) fn list_services(tenant: &TenantId, facts: &Facts) -> Verdict {
    let publisher = role_in(tenant, facts) == Some(Role::Publisher);
    read(facts, publisher || facts.standing.global_admin)
}

/// Reading a tenant's audit log, which shows what its members do: not for global admins.
pub(super) fn read_audit(tenant: &TenantId, facts: &Facts) -> Verdict {
    let reader = match role_in(tenant, facts) {
        Some(Role::Publisher | Role::Auditor) => true,
        Some(Role::Member) | None => false,
    };
    read(facts, reader)
}

fn change(facts: &Facts, has_role: bool, elevated: bool) -> Verdict {
    match read(facts, has_role) {
        Verdict::Allow(_) if elevated => Verdict::Allow(Rule::ElevatedAdministrator),
        Verdict::Allow(_) => Verdict::Deny(Rule::NeedsElevation),
        refused @ (Verdict::Review(_) | Verdict::Deny(_)) => refused,
    }
}

fn read(facts: &Facts, has_role: bool) -> Verdict {
    if !is_human_as_itself(facts) {
        Verdict::Deny(Rule::HumansOnly)
    } else if has_role {
        Verdict::Allow(Rule::HasRole)
    } else {
        Verdict::Deny(Rule::NeedsRole)
    }
}
