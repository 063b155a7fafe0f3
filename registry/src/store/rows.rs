//! How the types of the domain are written in columns. Each enumeration has one pair of functions here.

use vestry_migration::GLOBAL_TENANT;
use vestry_policies::{AgentOwnScope, PrincipalKind, Role, Scope, Status, TenantId};

use super::error::{StoreError, StoreResult};

/// The only kind of content there is yet; role instructions and prompts will be others.
pub(super) const KIND_SKILL: i16 = 0;
/// Catalogued, and loaded on demand.
pub(super) const MODE_TRIGGERED: i16 = 0;
/// Nothing has been recalled.
pub(super) const RECALL_NONE: i16 = 0;
/// Quarantined.
pub(super) const RECALL_QUARANTINED: i16 = 1;
/// Revoked.
pub(super) const RECALL_REVOKED: i16 = 2;

/// The key of a scope: the tenant first, always.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ScopeKey {
    pub(super) tenant: String,
    pub(super) kind: i16,
    pub(super) id: String,
}

impl ScopeKey {
    pub(super) fn of(scope: &Scope) -> Self {
        let (kind, id) = match scope {
            Scope::Global => (0, String::new()),
            Scope::Tenant(_) => (1, String::new()),
            Scope::Actor { actor, .. } => (2, actor.to_string()),
        };
        Self {
            tenant: tenant_key(scope.tenant()),
            kind,
            id,
        }
    }
}

/// The tenant column of a tenant, or of global.
pub(super) fn tenant_key(tenant: Option<&TenantId>) -> String {
    tenant.map_or_else(|| GLOBAL_TENANT.to_owned(), ToString::to_string)
}

/// The tenant column of a tenant, or of global, borrowed.
pub(super) fn tenant_key_str(tenant: Option<&TenantId>) -> &str {
    tenant.map_or(GLOBAL_TENANT, TenantId::as_str)
}

/// The tenant of a tenant column; none for the reserved one.
pub(super) fn tenant_of(column: &str) -> StoreResult<Option<TenantId>> {
    if column == GLOBAL_TENANT {
        return Ok(None);
    }
    TenantId::parse(column)
        .map(Some)
        .map_err(|_| unreadable("tenant"))
}

pub(super) fn role_code(role: Role) -> i16 {
    match role {
        Role::Member => 0,
        Role::Publisher => 1,
        Role::Auditor => 2,
    }
}

pub(super) fn role_of(code: i16) -> StoreResult<Role> {
    match code {
        0 => Ok(Role::Member),
        1 => Ok(Role::Publisher),
        2 => Ok(Role::Auditor),
        _ => Err(unreadable("role")),
    }
}

pub(super) fn agent_own_scope_code(setting: AgentOwnScope) -> i16 {
    match setting {
        AgentOwnScope::Allow => 0,
        AgentOwnScope::Review => 1,
        AgentOwnScope::Deny => 2,
    }
}

pub(super) fn agent_own_scope_of(code: i16) -> StoreResult<AgentOwnScope> {
    match code {
        0 => Ok(AgentOwnScope::Allow),
        1 => Ok(AgentOwnScope::Review),
        2 => Ok(AgentOwnScope::Deny),
        _ => Err(unreadable("agent_own_scope")),
    }
}

pub(super) fn kind_code(kind: PrincipalKind) -> i16 {
    match kind {
        PrincipalKind::Human => 0,
        PrincipalKind::Agent => 1,
        PrincipalKind::Service => 2,
    }
}

pub(super) fn kind_text(code: i16) -> StoreResult<&'static str> {
    match code {
        0 => Ok("human"),
        1 => Ok("agent"),
        2 => Ok("service"),
        _ => Err(unreadable("author_kind")),
    }
}

/// The status of a skill with these flags, whose current revision has this recall.
pub(super) fn status_of(archived: bool, disabled: bool, recall: i16) -> Status {
    match (archived, recall, disabled) {
        (true, _, _) => Status::Archived,
        (_, RECALL_REVOKED, _) => Status::Revoked,
        (_, RECALL_QUARANTINED, _) => Status::Quarantined,
        (_, _, true) => Status::Disabled,
        _ => Status::Active,
    }
}

/// The name of a status in the API.
pub(super) fn status_text(status: Status) -> &'static str {
    match status {
        Status::Active => "active",
        Status::Disabled => "disabled",
        Status::Quarantined => "quarantined",
        Status::Revoked => "revoked",
        Status::Archived => "archived",
    }
}

/// A count or number column as an unsigned number; negative ones mean that the row is damaged.
pub(super) fn unsigned(column: i64, what: &'static str) -> StoreResult<u32> {
    u32::try_from(column).map_err(|_| unreadable(what))
}

fn unreadable(what: &'static str) -> StoreError {
    StoreError::Internal(format!("a stored row has an unreadable `{what}`"))
}
