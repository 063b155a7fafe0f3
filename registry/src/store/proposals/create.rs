//! Writing a new proposal.

use sea_orm::{
    ActiveModelTrait as _, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel as _,
    QueryFilter, QuerySelect,
};
use vestry_migration::GLOBAL_TENANT;
use vestry_policies::review::Author;
use vestry_policies::{ItemName, ProposalState, Scope};

use super::rows::{base_of, change, same_again};
use super::{ProposalChange, authors_column, id_text, open_proposals};
use crate::content::{PreparedSkill, sha256_text};
use crate::store::actions::{keep_content, refuse_recalled, skill_key};
use crate::store::blobs::{Resolved, files_of, keep_proposed_files};
use crate::store::entity::{content, proposal, revision, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::rows::{kind_code, proposal_state_code, tenant_key};
use crate::store::work::Work;

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;
/// Global numbers are below 2⁵³, so that every reader of JSON keeps them.
const RANDOM_BITS: u32 = 53;

/// Content that is put forward.
pub(in crate::store) struct NewProposal {
    pub(in crate::store) scope: Scope,
    pub(in crate::store) name: ItemName,
    /// The skill as it is now: the base.
    pub(in crate::store) current: Option<skill::Model>,
    pub(in crate::store) content: PreparedSkill,
    pub(in crate::store) files: Resolved,
    /// Of the manifest with all files.
    pub(in crate::store) digest: String,
    /// Why; empty where a rule made it a proposal.
    pub(in crate::store) rationale: String,
    /// A JSON document, or empty.
    pub(in crate::store) evidence: String,
    /// The rule that made it a proposal; empty where its author did.
    pub(in crate::store) origin: &'static str,
}

/// Writes a proposal, unless its proposer has the same one open already.
///
/// # Errors
/// When the content has been recalled at the scope, or too many wait already.
pub(in crate::store) async fn create_proposal(
    work: &mut Work<'_>,
    known: &Known,
    new: NewProposal,
) -> StoreResult<ProposalChange> {
    let base = base_of(new.current.as_ref());
    let target = (&new.scope, &new.name);
    if let Some(row) =
        same_again(work.tx, work.caller, target, &new.digest, &base, work.now).await?
    {
        work.unchanged = true;
        return Ok(ProposalChange {
            unchanged: true,
            ..change(&row, new.current.as_ref(), work.now)?
        });
    }
    refuse_recalled(work.tx, &new.scope, &new.digest).await?;
    let (tenant, scope_kind, scope_id, kind, name) = skill_key(&new.scope, &new.name);
    let limit = known.quotas.open_proposals;
    if open_proposals(work.tx, work.caller, &tenant, work.now).await? >= limit {
        return Err(StoreError::LimitReached(format!(
            "You have {limit} proposals waiting. Wait for decisions, or withdraw one."
        )));
    }
    let number = next_number(work, &tenant).await?;
    let content = new.content;
    let bytes_digest = sha256_text(&content.skill_md);
    let row = proposal::Model {
        number,
        scope_kind,
        scope_id,
        kind,
        name,
        state: proposal_state_code(ProposalState::Open),
        version: 1,
        origin: new.origin.to_owned(),
        digest: new.digest,
        content: bytes_digest.clone(),
        size: i64::try_from(content.skill_md.len()).unwrap_or(i64::MAX),
        files: new.files.count(),
        description: content.description,
        templated: content.templated,
        frontmatter: serde_json::to_string(&content.frontmatter)?,
        body_offset: i64::try_from(content.body_offset).unwrap_or(i64::MAX),
        message: content.message,
        rationale: new.rationale,
        evidence: new.evidence,
        base_revision: base.revision,
        base_digest: base.digest,
        author_kind: kind_code(work.caller.kind()),
        author: work.caller.principal_text().to_owned(),
        author_tenant: tenant_key(work.caller.tenant()),
        acts_for: work.caller.acts_for().map(ToString::to_string),
        authors: authors_column(&[Author::of(&work.caller.principal())])?,
        created_at: work.now.0,
        updated_at: work.now.0,
        expires_at: work
            .now
            .plus_seconds(known.quotas.proposal_days.saturating_mul(DAY))
            .0,
        ended_at: None,
        ended_by: None,
        ended_reason: None,
        published: None,
        tenant,
    };
    keep_content(work, &row.tenant, &bytes_digest, content.skill_md);
    keep_proposed_files(work, &row.tenant, number, new.files).await?;
    proposal::Entity::insert(row.clone().into_active_model().reset_all())
        .exec_without_returning(work.tx)
        .await?;
    super::rows::describe(work, &row)?;
    work.audit.before.clone_from(&row.base_digest);
    work.audit.after = Some(row.digest.clone());
    Ok(ProposalChange {
        created: true,
        ..change(&row, new.current.as_ref(), work.now)?
    })
}

/// The number of the next proposal.
async fn next_number(work: &Work<'_>, tenant: &str) -> StoreResult<i64> {
    if tenant == GLOBAL_TENANT {
        loop {
            let mut bytes = [0_u8; 8];
            work.inner.entropy.fill_id(&mut bytes)?;
            let number = i64::try_from(u64::from_be_bytes(bytes) >> (u64::BITS - RANDOM_BITS))
                .unwrap_or(i64::MAX);
            let taken = proposal::Entity::find_by_id((tenant.to_owned(), number))
                .one(work.tx)
                .await?;
            if number > 0 && taken.is_none() {
                return Ok(number);
            }
        }
    }
    let last: Option<Option<i64>> = proposal::Entity::find()
        .select_only()
        .column_as(proposal::Column::Number.max(), "last")
        .filter(proposal::Column::Tenant.eq(tenant))
        .into_tuple()
        .one(work.tx)
        .await?;
    Ok(last.flatten().unwrap_or(0).saturating_add(1))
}

/// The content of a revision, to be proposed again.
pub(in crate::store) async fn content_of_revision<C: ConnectionTrait>(
    db: &C,
    row: &revision::Model,
    message: String,
) -> StoreResult<(PreparedSkill, Resolved)> {
    let bytes = content::Entity::find_by_id((row.tenant.clone(), row.content.clone()))
        .one(db)
        .await?
        .ok_or(StoreError::Corrupt)?
        .bytes;
    let files = files_of(db, row).await?;
    let content_digest = crate::content::digest::of_bytes(&bytes);
    let digest = crate::content::digest::of_manifest(content_digest, &files);
    if digest.to_string() != row.digest {
        return Err(StoreError::Corrupt);
    }
    let prepared = PreparedSkill {
        description: row.description.clone(),
        templated: row.templated,
        frontmatter: serde_json::from_str(&row.frontmatter)?,
        message,
        skill_md: bytes,
        body_offset: usize::try_from(row.body_offset).map_err(|_| StoreError::Corrupt)?,
        content_digest,
        digest,
        warnings: Vec::new(),
    };
    Ok((prepared, Resolved::kept_at_target(files)))
}

/// The id of a proposal in an audit record.
pub(super) fn audit_target(row: &proposal::Model) -> String {
    format!("proposal:{}", id_text(&row.tenant, row.number))
}
