//! How the types of the domain are written in columns. Each enumeration has one pair of functions here.

use vestry_migration::GLOBAL_TENANT;
use vestry_policies::review::NamePattern;
use vestry_policies::{
    ActorId, AgentOwnScope, DistinctHuman, ItemName, Kind, Mode, PrincipalKind, ProposalState,
    Role, Scope, Severity, SkillName, Status, TenantId, Username,
};

use super::error::{StoreError, StoreResult};

/// A skill.
pub(super) const KIND_SKILL: i16 = 0;
/// The instruction of an agent's role.
pub(super) const KIND_ROLE_INSTRUCTION: i16 = 1;
/// A prompt template for roles of workflows.
pub(super) const KIND_PROMPT: i16 = 2;
/// Catalogued, and loaded on demand.
pub(super) const MODE_TRIGGERED: i16 = 0;
/// Rendered into every opening.
pub(super) const MODE_AMBIENT: i16 = 1;
/// Of an attachment: as the skill says.
const MODE_OF_SKILL: i16 = 2;
/// Nothing has been recalled.
pub(super) const RECALL_NONE: i16 = 0;
/// Quarantined.
pub(super) const RECALL_QUARANTINED: i16 = 1;
/// Revoked.
pub(super) const RECALL_REVOKED: i16 = 2;

pub(super) fn content_kind_code(kind: Kind) -> i16 {
    match kind {
        Kind::Skill => KIND_SKILL,
        Kind::RoleInstruction => KIND_ROLE_INSTRUCTION,
        Kind::Prompt => KIND_PROMPT,
    }
}

pub(super) fn mode_code(mode: Mode) -> i16 {
    match mode {
        Mode::Triggered => MODE_TRIGGERED,
        Mode::Ambient => MODE_AMBIENT,
    }
}

pub(super) fn mode_of(code: i16) -> Mode {
    if code == MODE_AMBIENT {
        Mode::Ambient
    } else {
        Mode::Triggered
    }
}

pub(super) fn attachment_mode_code(mode: Option<Mode>) -> i16 {
    mode.map_or(MODE_OF_SKILL, mode_code)
}

pub(super) fn attachment_mode_of(code: i16) -> StoreResult<Option<Mode>> {
    match code {
        MODE_TRIGGERED => Ok(Some(Mode::Triggered)),
        MODE_AMBIENT => Ok(Some(Mode::Ambient)),
        MODE_OF_SKILL => Ok(None),
        _ => Err(unreadable("mode")),
    }
}

/// The name of an item, of the columns of its row.
pub(super) fn item_of(kind: i16, name: &str) -> StoreResult<ItemName> {
    let kind = match kind {
        KIND_SKILL => Kind::Skill,
        KIND_ROLE_INSTRUCTION => Kind::RoleInstruction,
        KIND_PROMPT => Kind::Prompt,
        _ => return Err(unreadable("kind")),
    };
    let name = SkillName::parse(name).map_err(|_| unreadable("name"))?;
    Ok(ItemName::new(kind, name))
}

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

pub(super) fn distinct_human_code(setting: DistinctHuman) -> i16 {
    match setting {
        DistinctHuman::Auto => 0,
        DistinctHuman::Always => 1,
    }
}

pub(super) fn distinct_human_of(code: i16) -> StoreResult<DistinctHuman> {
    match code {
        0 => Ok(DistinctHuman::Auto),
        1 => Ok(DistinctHuman::Always),
        _ => Err(unreadable("distinct_human")),
    }
}

/// The usernames of a column.
pub(super) fn approvers_of(column: &str) -> StoreResult<Vec<Username>> {
    texts(column)?
        .iter()
        .map(|text| Username::parse(text).map_err(|_| unreadable("approvers")))
        .collect()
}

/// The patterns of a column.
pub(super) fn review_names_of(column: &str) -> StoreResult<Vec<NamePattern>> {
    texts(column)?
        .iter()
        .map(|text| NamePattern::parse(text).map_err(|_| unreadable("review_names")))
        .collect()
}

pub(super) fn review_severity_code(least: Option<Severity>) -> i16 {
    match least {
        None => 0,
        Some(Severity::Low) => 1,
        Some(Severity::Medium) => 2,
        Some(Severity::High) => 3,
        Some(Severity::Critical) => 4,
    }
}

pub(super) fn review_severity_of(code: i16) -> StoreResult<Option<Severity>> {
    match code {
        0 => Ok(None),
        1 => Ok(Some(Severity::Low)),
        2 => Ok(Some(Severity::Medium)),
        3 => Ok(Some(Severity::High)),
        4 => Ok(Some(Severity::Critical)),
        _ => Err(unreadable("review_severity")),
    }
}

/// A column of texts.
pub(super) fn texts_column(texts: impl Iterator<Item = String>) -> StoreResult<String> {
    Ok(serde_json::to_string(&texts.collect::<Vec<_>>())?)
}

fn texts(column: &str) -> StoreResult<Vec<String>> {
    // Every write of every tenant comes by here, and most have set nothing.
    if column == "[]" {
        return Ok(Vec::new());
    }
    Ok(serde_json::from_str(column)?)
}

pub(super) fn proposal_state_code(state: ProposalState) -> i16 {
    match state {
        // Whether one that waits is stale is found out when it is looked at.
        ProposalState::Open | ProposalState::Stale => 0,
        ProposalState::Published => 2,
        ProposalState::Rejected => 3,
        ProposalState::Withdrawn => 4,
        ProposalState::Expired => 5,
    }
}

pub(super) fn proposal_state_of(code: i16) -> StoreResult<ProposalState> {
    match code {
        0 => Ok(ProposalState::Open),
        2 => Ok(ProposalState::Published),
        3 => Ok(ProposalState::Rejected),
        4 => Ok(ProposalState::Withdrawn),
        5 => Ok(ProposalState::Expired),
        _ => Err(unreadable("state")),
    }
}

/// A principal's kind, of its code.
pub(super) fn kind_of(code: i16) -> StoreResult<PrincipalKind> {
    match code {
        0 => Ok(PrincipalKind::Human),
        1 => Ok(PrincipalKind::Agent),
        2 => Ok(PrincipalKind::Service),
        _ => Err(unreadable("author_kind")),
    }
}

/// The scope of a key.
pub(super) fn scope_of(tenant: &str, kind: i16, id: &str) -> StoreResult<Scope> {
    match (kind, tenant_of(tenant)?) {
        (0, None) => Ok(Scope::Global),
        (1, Some(tenant)) => Ok(Scope::Tenant(tenant)),
        (2, tenant) => Ok(Scope::Actor {
            tenant,
            actor: ActorId::parse(id).map_err(|_| unreadable("scope_id"))?,
        }),
        _ => Err(unreadable("scope_kind")),
    }
}

pub(super) fn kind_code(kind: PrincipalKind) -> i16 {
    match kind {
        PrincipalKind::Human => 0,
        PrincipalKind::Agent => 1,
        PrincipalKind::Service => 2,
    }
}

/// The author of what comes with the program.
pub(super) const AUTHOR_SYSTEM: i16 = 3;

pub(super) fn kind_text(code: i16) -> StoreResult<&'static str> {
    match code {
        0 => Ok("human"),
        1 => Ok("agent"),
        2 => Ok("service"),
        AUTHOR_SYSTEM => Ok("system"),
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

pub(super) fn unreadable(what: &'static str) -> StoreError {
    StoreError::Internal(format!("a stored row has an unreadable `{what}`"))
}
