//! From a record of the audit log to an event, for one caller.

use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait};
use vestry_policies::{Action, Facts, PrincipalKind, Scope, Target, TenantId, decide};

use super::position::EventPosition;
use crate::identity::Caller;
use crate::store::audit::{self, AuditRecord};
use crate::store::entity::{audit as row, proposal};
use crate::store::error::StoreResult;
use crate::store::proposals::{ProposalId, facts_of_proposal};

/// Something that changed. Metadata only: no body, no reason, no rationale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Where the stream is after it; said by whoever reads the chains together.
    pub id: EventPosition,
    /// What it is about.
    pub kind: EventKind,
    /// The action's kebab-case name.
    pub action: String,
    /// The scope as written: the skill's; of hiding and showing, the tenant's that does it.
    pub scope: String,
    /// The name of the skill.
    pub name: String,
    /// The revision that is current since, or that was recalled or released.
    pub revision: Option<u32>,
    /// Its digest; of a proposal, that of its content.
    pub digest: Option<String>,
    /// The id of the proposal, for those who may know of it.
    pub proposal: Option<String>,
    /// When, in microseconds since the Unix epoch.
    pub at: i64,
    /// Who, where the caller may know it.
    pub principal: Option<String>,
    /// The actor that an agent acted for, where the caller may know who.
    pub acts_for: Option<String>,
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A skill has changed.
    Skill,
    /// A proposal has, and no skill.
    Proposal,
}

/// The actions that change skills.
const OF_SKILLS: [Action; 13] = [
    Action::PublishSkill,
    Action::RollbackSkill,
    Action::ArchiveSkill,
    Action::DisableSkill,
    Action::EnableSkill,
    Action::QuarantineSkill,
    Action::ReleaseSkill,
    Action::RevokeSkill,
    Action::SealSkill,
    Action::UnsealSkill,
    Action::HideSkill,
    Action::ShowSkill,
    Action::AttachSkills,
];
/// The action that makes a proposal.
const PROPOSE: &str = "propose-skill";
/// How the names of the others end that change one.
const OF_PROPOSALS: &str = "-proposal";

/// What the targets of their records begin with.
const PROPOSAL: &str = "proposal:";

/// What to search the log for. Everything else is for the log alone.
pub(in crate::store) fn event_actions() -> Condition {
    Condition::any()
        .add(row::Column::Action.is_in(OF_SKILLS.map(Action::as_str)))
        .add(row::Column::Action.eq(PROPOSE))
        .add(row::Column::Action.ends_with(OF_PROPOSALS))
}

/// The event that a record is for a caller with these facts about the record's tenant; none for what it may not know.
pub(in crate::store) async fn read_event<C: ConnectionTrait>(
    db: &C,
    chain: &row::Model,
    caller: &Caller,
    facts: &Facts,
) -> StoreResult<Option<Event>> {
    let record = audit::read(chain)?;
    if record.verdict != "allow" {
        return Ok(None);
    }
    let is_proposal = is_of_proposal(&record);
    let Some((scope, name)) = subject(&record, is_proposal, caller.tenant()) else {
        return Ok(None);
    };
    let target = Target::Scope(scope.clone());
    let knows_skill = decide(Action::ReadSkill, &target, facts).is_allowed();
    let knows_proposal = is_proposal && knows_proposal(db, &record, caller, &target, facts).await?;
    let changes_skill = changes_skill(&record);
    if !(knows_proposal || (changes_skill && knows_skill)) {
        return Ok(None);
    }
    let knows_who = if is_proposal && knows_proposal {
        facts.principal.kind == PrincipalKind::Human
    } else {
        let is_author = matches!(
            Action::parse(&record.action),
            Some(Action::PublishSkill | Action::RollbackSkill)
        );
        is_author || reads_audit(&scope, facts)
    };
    let (action, proposal) = if is_proposal && !knows_proposal {
        (Action::PublishSkill.as_str().to_owned(), None)
    } else if is_proposal {
        let id = record.target.strip_prefix(PROPOSAL);
        (record.action, id.map(str::to_owned))
    } else {
        (record.action, None)
    };
    Ok(Some(Event {
        id: EventPosition::default(),
        kind: if changes_skill {
            EventKind::Skill
        } else {
            EventKind::Proposal
        },
        action,
        scope: scope.to_string(),
        name,
        revision: revision(&record.detail),
        digest: record.after,
        proposal,
        at: record.at,
        acts_for: record.acts_for.filter(|_| knows_who),
        principal: knows_who.then_some(record.principal),
    }))
}

/// Whether a record says that a skill has changed. The last approval of a proposal publishes: that is for everyone who
/// reads the skill, why is not.
pub(super) fn changes_skill(record: &AuditRecord) -> bool {
    let publishes = record.action == "approve-proposal" && revision(&record.detail).is_some();
    record.verdict == "allow" && (publishes || !is_of_proposal(record))
}

fn is_of_proposal(record: &AuditRecord) -> bool {
    record.action == PROPOSE || record.action.ends_with(OF_PROPOSALS)
}

fn revision(detail: &serde_json::Map<String, serde_json::Value>) -> Option<u32> {
    let number = detail.get("revision")?.as_u64()?;
    u32::try_from(number).ok()
}

/// The scope and the name that a record is about; none when it does not say so in the words of its action.
fn subject(
    record: &AuditRecord,
    is_proposal: bool,
    tenant: Option<&TenantId>,
) -> Option<(Scope, String)> {
    let (scope, name) = if is_proposal {
        let text = |key| record.detail.get(key).and_then(serde_json::Value::as_str);
        (text("scope")?, text("name")?)
    } else {
        match record.target.split_once(' ') {
            // `tenant:acme global/refunds`: what the tenant does with a global skill.
            Some((scope, skill)) => (scope, skill.strip_prefix("global/")?),
            None => record.target.rsplit_once('/')?,
        }
    };
    Some((Scope::parse(scope, tenant).ok()?, name.to_owned()))
}

/// Whether the caller may read in the audit log who did what at a scope.
fn reads_audit(scope: &Scope, facts: &Facts) -> bool {
    let log = match scope.tenant() {
        Some(tenant) => Target::Tenant(tenant.clone()),
        None => Target::Server,
    };
    decide(Action::ReadAudit, &log, facts).is_allowed()
}

/// Whether the caller may read the proposal that a record is about.
async fn knows_proposal<C: ConnectionTrait>(
    db: &C,
    record: &AuditRecord,
    caller: &Caller,
    target: &Target,
    facts: &Facts,
) -> StoreResult<bool> {
    let id = record.target.strip_prefix(PROPOSAL);
    let Some(id) = id.and_then(ProposalId::parse) else {
        return Ok(false);
    };
    let row = proposal::Entity::find_by_id(id.key(caller)).one(db).await?;
    let Some(row) = row else { return Ok(false) };
    let facts = Facts {
        // Who could approve it makes no difference to who reads it.
        proposal: Some(facts_of_proposal(&row, Vec::new())?),
        ..facts.clone()
    };
    Ok(decide(Action::ReadProposal, target, &facts).is_allowed())
}
