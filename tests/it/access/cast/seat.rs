//! The facts of a caller.

use vestry_policies::{
    Elevation, Facts, Principal, Proposal, Role, Scope, Settings, Standing, Status, Target,
    TenantId,
};

use super::HOME;

/// The facts of a caller.
#[derive(Clone)]
pub(crate) struct Seat {
    pub(crate) principal: Principal,
    pub(crate) role: Option<Role>,
    pub(crate) global_admin: bool,
    pub(crate) elevation: Option<Elevation>,
}

impl Seat {
    /// What the rules are asked with.
    pub(crate) fn facts(
        &self,
        target: &Target,
        status: Option<Status>,
        proposal: Option<Proposal>,
        now: i64,
    ) -> Facts {
        let at = match target {
            Target::Server => None,
            Target::Tenant(tenant) => Some(tenant),
            Target::Scope(scope) => scope.tenant(),
        };
        let is_home = at.is_some_and(|at| at.as_str() == HOME);
        Facts {
            principal: self.principal.clone(),
            standing: Standing {
                global_admin: self.global_admin,
                role: self.role.filter(|_| is_home),
            },
            elevation: self.elevation.clone(),
            now,
            settings: Settings::default(),
            status,
            name: None,
            worst_finding: None,
            proposal,
            room: None,
        }
    }

    pub(crate) fn tenant(&self) -> Option<&TenantId> {
        self.principal.tenant.as_ref()
    }

    pub(crate) fn narrowest(&self) -> Option<Scope> {
        self.principal.scopes.first().cloned()
    }

    pub(crate) fn has_scope(&self, scope: &Scope) -> bool {
        self.principal.scopes.contains(scope)
    }
}
