//! What the row of a proposal says.

use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel as _,
    PaginatorTrait, QueryFilter, Statement,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vestry_policies::review::{Obstacle, state_now};
use vestry_policies::{Digest, ItemName, ProposalState, Scope, Settings};

use super::create::audit_target;
use super::{Located, id_text};
use crate::clock::Micros;
use crate::content::PreparedSkill;
use crate::identity::Caller;
use crate::store::Inner;
use crate::store::actions::{find as find_skill, skill_key};
use crate::store::entity::{proposal, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{
    RECALL_NONE, item_of, kind_code, proposal_state_code, proposal_state_of, scope_of, tenant_key,
    unsigned,
};
use crate::store::work::Work;

/// What a proposal was compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalBase {
    /// The number of the revision.
    pub revision: u32,
    /// Its digest.
    pub digest: String,
}

/// What a proposal is after a change; also what repeating the change gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalChange {
    /// The id.
    pub id: String,
    /// The scope that it is for.
    pub scope: String,
    /// The name that it is for.
    pub name: String,
    /// Its state.
    pub state: String,
    /// The digest of its content.
    pub digest: String,
    /// What it is compared with; none when there was no such skill.
    pub base: Option<ProposalBase>,
    /// When it expires, in microseconds since the Unix epoch.
    pub expires_at: i64,
    /// How many approvals it has; in the answer to a decision.
    pub approvals: Option<u32>,
    /// How many it needs; in the answer to a decision.
    pub required: Option<u32>,
    /// The number of the revision that it was published as.
    pub published: Option<u32>,
    /// Whether the change created it.
    pub created: bool,
    /// Whether everything was so already.
    pub unchanged: bool,
    /// What the author should know of what it sent.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// The place of a skill that a proposal is compared with: any write of content moves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Base {
    /// The last revision, 0 when there is none.
    pub(in crate::store) revision: i64,
    /// Its digest, while the skill is living and not recalled.
    pub(in crate::store) digest: Option<String>,
}

/// The base that a skill's row is.
pub(in crate::store) fn base_of(current: Option<&skill::Model>) -> Base {
    Base {
        revision: current.map_or(0, |row| row.last_revision),
        digest: current
            .filter(|row| !row.archived && row.recall == RECALL_NONE)
            .map(|row| row.digest.clone()),
    }
}

/// What a proposal is compared with.
pub(in crate::store) fn against(row: &proposal::Model) -> StoreResult<Option<ProposalBase>> {
    row.base_digest
        .as_ref()
        .map(|digest| {
            Ok(ProposalBase {
                revision: unsigned(row.base_revision, "base_revision")?,
                digest: digest.clone(),
            })
        })
        .transpose()
}

/// A proposal as an action finds it, with the skill that it is for.
#[derive(Debug, Clone)]
pub(in crate::store) struct Found {
    pub(in crate::store) row: proposal::Model,
    pub(in crate::store) current: Option<skill::Model>,
}

/// Reads a proposal and its skill.
pub(in crate::store) async fn find<C: ConnectionTrait>(db: &C, at: &Located) -> StoreResult<Found> {
    let row = proposal::Entity::find_by_id((at.tenant.clone(), at.number))
        .one(db)
        .await?
        .ok_or_else(|| StoreError::NotFound("This proposal".to_owned()))?;
    let current = find_skill(db, &at.scope, &at.name).await?;
    Ok(Found { row, current })
}

/// The scope that a proposal is for.
pub(in crate::store) fn scope_of_row(row: &proposal::Model) -> StoreResult<Scope> {
    scope_of(&row.tenant, row.scope_kind, &row.scope_id)
}

/// The state of a proposal at this time, beside the skill as it is now.
pub(in crate::store) fn state_of(
    row: &proposal::Model,
    current: Option<&skill::Model>,
    now: Micros,
) -> StoreResult<ProposalState> {
    let base = base_of(current);
    let is_current = base.revision == row.base_revision && base.digest == row.base_digest;
    let recorded = proposal_state_of(row.state)?;
    Ok(state_now(recorded, is_current, now.0, row.expires_at))
}

/// How many approvals a proposal for this scope needs. What waits for an actor's scope waits for that actor.
pub(in crate::store) fn required(scope: &Scope, settings: &Settings) -> usize {
    if scope.is_shared() {
        usize::from(settings.required_approvals)
    } else {
        1
    }
}

/// An obstacle, in the words of the store.
pub(in crate::store) fn obstacle(obstacle: Obstacle) -> StoreError {
    match obstacle {
        Obstacle::Stale => StoreError::ProposalStale,
        Obstacle::Over(state) => StoreError::ProposalOver(state.as_str()),
        Obstacle::OtherDigest => StoreError::Conflict(
            "This is not what the proposal says now. Read it again, and decide about what it says."
                .to_owned(),
        ),
        Obstacle::OtherBase => StoreError::Conflict(
            "The proposal is compared with another revision now. Read it again, and send its `base.digest` as `base`."
                .to_owned(),
        ),
    }
}

/// How many open proposals a proposer has for targets of this tenant.
pub(in crate::store) async fn open_proposals<C: ConnectionTrait>(
    db: &C,
    caller: &Caller,
    tenant: &str,
    now: Micros,
) -> StoreResult<u64> {
    Ok(of_proposer(caller, tenant, now).count(db).await?)
}

/// The same content by the same proposer for the same skill, while it is open.
pub(super) async fn same_again<C: ConnectionTrait>(
    db: &C,
    caller: &Caller,
    (scope, name): (&Scope, &ItemName),
    digest: &str,
    base: &Base,
    now: Micros,
) -> StoreResult<Option<proposal::Model>> {
    let (tenant, scope_kind, scope_id, kind, name) = skill_key(scope, name);
    let found = of_proposer(caller, &tenant, now)
        .filter(proposal::Column::ScopeKind.eq(scope_kind))
        .filter(proposal::Column::ScopeId.eq(scope_id))
        .filter(proposal::Column::Kind.eq(kind))
        .filter(proposal::Column::Name.eq(name))
        .filter(proposal::Column::Digest.eq(digest))
        .filter(proposal::Column::BaseRevision.eq(base.revision))
        .all(db)
        .await?;
    Ok(found.into_iter().find(|row| row.base_digest == base.digest))
}

/// What waits of one proposer. One agent that acts for two actors is two proposers.
fn of_proposer(caller: &Caller, tenant: &str, now: Micros) -> sea_orm::Select<proposal::Entity> {
    let acts_for = match caller.acts_for() {
        Some(actor) => proposal::Column::ActsFor.eq(actor.as_str()),
        None => proposal::Column::ActsFor.is_null(),
    };
    proposal::Entity::find()
        .filter(proposal::Column::Tenant.eq(tenant))
        .filter(proposal::Column::AuthorTenant.eq(tenant_key(caller.tenant())))
        .filter(proposal::Column::Author.eq(caller.principal_text()))
        .filter(proposal::Column::AuthorKind.eq(kind_code(caller.kind())))
        .filter(acts_for)
        .filter(proposal::Column::State.eq(proposal_state_code(ProposalState::Open)))
        .filter(proposal::Column::ExpiresAt.gt(now.0))
}

/// What a proposal's row says of it.
pub(in crate::store) fn change(
    row: &proposal::Model,
    current: Option<&skill::Model>,
    now: Micros,
) -> StoreResult<ProposalChange> {
    Ok(ProposalChange {
        id: id_text(&row.tenant, row.number),
        scope: scope_of_row(row)?.to_string(),
        name: item_of(row.kind, &row.name)?.to_string(),
        state: state_of(row, current, now)?.as_str().to_owned(),
        digest: row.digest.clone(),
        base: against(row)?,
        expires_at: row.expires_at,
        approvals: None,
        required: None,
        published: row
            .published
            .map(|number| unsigned(number, "published"))
            .transpose()?,
        created: false,
        unchanged: false,
        warnings: Vec::new(),
    })
}

/// The content of a proposal, checked against its digest, to be published as it was when it was proposed.
pub(in crate::store) async fn prepared_of<C: ConnectionTrait>(
    inner: &Inner,
    db: &C,
    row: &proposal::Model,
) -> StoreResult<PreparedSkill> {
    let content = inner.proposed_content(db, row).await?;
    let digest = Digest::parse(&row.digest).ok_or(StoreError::Corrupt)?;
    let skill_md = content.body.skill_md().as_bytes().to_vec();
    Ok(PreparedSkill {
        description: row.description.clone(),
        templated: row.templated,
        frontmatter: serde_json::from_str(&row.frontmatter)?,
        message: row.message.clone(),
        body_offset: usize::try_from(row.body_offset).map_err(|_| StoreError::Corrupt)?,
        content_digest: crate::content::digest::of_bytes(&skill_md),
        digest,
        skill_md,
        warnings: Vec::new(),
    })
}

/// The row of a proposal with its end noted, to be updated. Only what changes is written: the database refuses the rest.
pub(in crate::store) fn ended(
    work: &Work<'_>,
    row: &proposal::Model,
    state: ProposalState,
    reason: String,
) -> proposal::ActiveModel {
    let mut ended = row.clone().into_active_model();
    ended.state = Set(proposal_state_code(state));
    ended.updated_at = Set(work.now.0);
    ended.ended_at = Set(Some(work.now.0));
    ended.ended_by = Set(Some(work.caller.principal_text().to_owned()));
    ended.ended_reason = Set(Some(reason));
    ended
}

/// What an audit record says of a proposal, beside what was done.
pub(super) fn detail(row: &proposal::Model) -> StoreResult<Map<String, Value>> {
    let mut detail = Map::new();
    detail.insert("scope".to_owned(), scope_of_row(row)?.to_string().into());
    let name = item_of(row.kind, &row.name)?.to_string();
    detail.insert("name".to_owned(), name.into());
    detail.insert("base".to_owned(), row.base_digest.clone().into());
    Ok(detail)
}

/// Fills in the audit record of whatever is done to a proposal.
pub(in crate::store) fn describe(work: &mut Work<'_>, row: &proposal::Model) -> StoreResult<()> {
    work.audit.target = audit_target(row);
    work.audit.detail.extend(detail(row)?);
    Ok(())
}

/// Refuses a proposal that has a file of a revision of its skill that was recalled: approving it would undo the recall.
///
/// # Errors
/// [`StoreError::Conflict`] when it has one.
pub(in crate::store) async fn refuse_recalled_files<C: ConnectionTrait>(
    db: &C,
    row: &proposal::Model,
) -> StoreResult<()> {
    const FOUND: &str = "SELECT f.path FROM proposal_files AS p \
        JOIN revision_files AS f ON f.tenant = p.tenant AND f.sha256 = p.sha256 AND f.scope_kind = $3 \
          AND f.scope_id = $4 AND f.kind = $5 AND f.name = $6 \
        JOIN revisions AS r ON r.tenant = f.tenant AND r.scope_kind = f.scope_kind AND r.scope_id = f.scope_id \
          AND r.kind = f.kind AND r.name = f.name AND r.number = f.number AND r.recall <> 0 \
        WHERE p.tenant = $1 AND p.number = $2 ORDER BY f.path LIMIT 1";
    let values = [
        row.tenant.as_str().into(),
        row.number.into(),
        row.scope_kind.into(),
        row.scope_id.as_str().into(),
        row.kind.into(),
        row.name.as_str().into(),
    ];
    let statement = Statement::from_sql_and_values(db.get_database_backend(), FOUND, values);
    match db.query_one_raw(statement).await? {
        None => Ok(()),
        Some(found) => {
            let path: String = found.try_get("", "path")?;
            Err(StoreError::Conflict(format!(
                "The file `{path}` is one of a revision that has been recalled. Edit the proposal without it, or release the revision."
            )))
        }
    }
}
