//! Whose rows a transaction may touch.
//!
//! Every statement of the store names the tenant in its WHERE. On PostgreSQL row-level security is a second wall: each
//! transaction says first whose rows it is about, and the database shows it no others.

use std::collections::BTreeSet;

use vestry_policies::{PrincipalKind, Target, TenantId};

use super::rows::{tenant_key, tenant_key_str};
use crate::identity::Caller;

/// Whose rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TenantSet {
    /// Everybody's: what the store does by itself (the journal, keeping house, verifying), looking up a credential of which the
    /// tenant is not known yet, and what administrators of the whole installation ask.
    Every,
    /// Those of these tenants; the global rows have a reserved one.
    These(BTreeSet<String>),
}

impl TenantSet {
    /// Those of one tenant, and the global ones.
    pub(super) fn of(tenant: Option<&TenantId>) -> Self {
        Self::of_keys([tenant_key_str(tenant)])
    }

    /// Those of these, and the global ones.
    pub(super) fn of_keys<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        let mut these: BTreeSet<String> = keys.into_iter().map(str::to_owned).collect();
        these.insert(tenant_key(None));
        Self::These(these)
    }

    /// What a caller does to a target, or reads of it. A human who asks for the whole server, or for global, asks
    /// for all.
    pub(super) fn of_call(caller: &Caller, target: &Target) -> Self {
        let of_target = match target {
            Target::Server => None,
            Target::Tenant(tenant) => Some(tenant),
            Target::Scope(scope) => scope.tenant(),
        };
        // What is global is everybody's: what changes there is weighed for all tenants. Humans may administer all of it, also
        // those who are logged in to a tenant; the rules say which.
        let may_administer = caller.tenant().is_none() || caller.kind() == PrincipalKind::Human;
        if of_target.is_none() && may_administer {
            return Self::Every;
        }
        Self::of_keys([tenant_key_str(caller.tenant()), tenant_key_str(of_target)])
    }

    /// As the setting `vestry.tenants` has it. Ids have no comma and no asterisk.
    pub(super) fn setting(&self) -> String {
        match self {
            Self::Every => "*".to_owned(),
            Self::These(these) => {
                let these: Vec<&str> = these.iter().map(String::as_str).collect();
                these.join(",")
            }
        }
    }
}
