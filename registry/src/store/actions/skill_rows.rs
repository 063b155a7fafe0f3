//! What the actions on skills share: finding a skill, bumping its scope, saying what changed.

use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, ExprTrait as _,
    IntoActiveModel, PaginatorTrait, QueryFilter, QueryTrait,
};
use serde::{Deserialize, Serialize};
use vestry_policies::{ItemName, Kind, Room, Scope, Status};

use crate::content::mode_of_frontmatter;
use crate::store::entity::{revision, scope_size, scope_version, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::rows::{
    MODE_TRIGGERED, RECALL_NONE, ScopeKey, content_kind_code, item_of, mode_code, status_of,
    status_text, unsigned,
};
use crate::store::work::{Evidence, Work};

/// What a skill is after a change; also what repeating the change gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillChange {
    /// The name.
    pub name: String,
    /// The scope, as written.
    pub scope: String,
    /// The number of the current revision.
    pub revision: u32,
    /// The digest of the current revision.
    pub digest: String,
    /// The status.
    pub status: String,
    /// Whether it is sealed.
    pub sealed: bool,
    /// Whether the change created it.
    pub created: bool,
    /// Whether everything was so already.
    pub unchanged: bool,
    /// What the author should know of what it sent.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// What a write demands of what is there (RFC 9110, section 13).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Precondition {
    /// Nothing.
    #[default]
    None,
    /// Nothing is there yet: `If-None-Match: *`.
    Absent,
    /// One of these digests is the current one: `If-Match`.
    Digest(Vec<String>),
    /// Something is there: `If-Match: *`.
    Present,
}

impl Precondition {
    /// Checks it against what is there.
    pub(super) fn check(&self, current: Option<&skill::Model>) -> StoreResult<()> {
        let living = current.filter(|row| !row.archived);
        let holds = match self {
            Self::None => true,
            Self::Absent => living.is_none(),
            Self::Present => current.is_some(),
            Self::Digest(digests) => current.is_some_and(|row| digests.contains(&row.digest)),
        };
        if holds {
            Ok(())
        } else {
            Err(StoreError::PreconditionFailed(
                current.map(|row| row.digest.clone()),
            ))
        }
    }
}

/// The primary key of a skill.
pub(in crate::store) type SkillKey = (String, i16, String, i16, String);

pub(in crate::store) fn skill_key(scope: &Scope, name: &ItemName) -> SkillKey {
    let key = ScopeKey::of(scope);
    (
        key.tenant,
        key.kind,
        key.id,
        content_kind_code(name.kind()),
        name.name().to_string(),
    )
}

pub(in crate::store) async fn find<C: ConnectionTrait>(
    db: &C,
    scope: &Scope,
    name: &ItemName,
) -> StoreResult<Option<skill::Model>> {
    Ok(skill::Entity::find_by_id(skill_key(scope, name))
        .one(db)
        .await?)
}

/// A revision of a skill by its number.
pub(in crate::store) async fn find_revision<C: ConnectionTrait>(
    db: &C,
    scope: &Scope,
    name: &ItemName,
    number: u32,
) -> StoreResult<Option<revision::Model>> {
    let (tenant, kind, id, content_kind, name) = skill_key(scope, name);
    Ok(
        revision::Entity::find_by_id((tenant, kind, id, content_kind, name, i64::from(number)))
            .one(db)
            .await?,
    )
}

pub(in crate::store) fn missing(scope: &Scope, name: &ItemName) -> StoreError {
    let what = match name.kind() {
        Kind::Skill => "skill",
        Kind::RoleInstruction => "role instruction",
        Kind::Prompt => "prompt template",
    };
    StoreError::NotFound(format!("The {what} `{name}` at {scope}"))
}

pub(in crate::store) fn status(row: &skill::Model) -> Status {
    status_of(row.archived, row.disabled, row.recall)
}

/// The evidence that a skill's row gives.
pub(super) fn evidence(row: Option<&skill::Model>) -> Evidence {
    Evidence {
        status: row.map(status),
        ..Evidence::default()
    }
}

/// The room that a new revision, or a new skill, would take.
pub(in crate::store) async fn room<C: ConnectionTrait>(
    tx: &C,
    scope: &Scope,
    current: Option<&skill::Model>,
    known: &Known,
) -> StoreResult<Option<Room>> {
    if let Some(room) = room_for_revision(current, known) {
        return Ok(Some(room));
    }
    let key = ScopeKey::of(scope);
    let living = scope_size::Entity::find_by_id((key.tenant, key.kind, key.id))
        .one(tx)
        .await?
        .map_or(0, |size| size.living);
    let used = u64::try_from(living).unwrap_or(u64::MAX);
    Ok(Some(room_for_skill(scope, used, known)))
}

/// The room that one more revision of a skill would take; none when it is a skill that needs room.
pub(super) fn room_for_revision(current: Option<&skill::Model>, known: &Known) -> Option<Room> {
    let row = current?;
    let revisions = Room {
        used: u64::try_from(row.last_revision).unwrap_or(u64::MAX),
        limit: known.quotas.revisions_per_skill,
    };
    // An archived name goes on with its numbers, so that archiving makes no room for more of them.
    (!row.archived || revisions.used >= revisions.limit).then_some(revisions)
}

/// The room that one more skill would take where there are `used`.
pub(super) fn room_for_skill(scope: &Scope, used: u64, known: &Known) -> Room {
    let limit = if scope.is_shared() {
        known.quotas.skills_per_tenant
    } else {
        known.quotas.skills_per_actor
    };
    Room { used, limit }
}

/// Counts the scope's version up, and tells the live state after the commit.
pub(in crate::store) fn bump_scope(work: &mut Work<'_>, scope: &Scope) {
    let key = ScopeKey::of(scope);
    let mut first = scope_version::Entity::insert(scope_version::ActiveModel {
        tenant: Set(key.tenant.clone()),
        scope_kind: Set(key.kind),
        scope_id: Set(key.id.clone()),
        version: Set(1),
    })
    .on_conflict(
        OnConflict::columns([
            scope_version::Column::Tenant,
            scope_version::Column::ScopeKind,
            scope_version::Column::ScopeId,
        ])
        .value(
            scope_version::Column::Version,
            Expr::col((scope_version::Entity, scope_version::Column::Version)).add(1),
        )
        .to_owned(),
    )
    .into_query();
    first.returning_col(scope_version::Column::Version);
    work.batch
        .push_version(work.inner.backend.build(&first), key);
}

/// Writes changed flags of a skill, bumps its scope and fills in the audit record.
pub(super) async fn save(
    work: &mut Work<'_>,
    scope: &Scope,
    mut row: skill::Model,
    reason: &str,
) -> StoreResult<SkillChange> {
    row.updated_at = work.now.0;
    let change = change(scope, &row)?;
    describe(work, scope, &item_of(row.kind, &row.name)?, reason);
    number(work, row.revision);
    work.audit.before = Some(row.digest.clone());
    work.audit.after = Some(row.digest.clone());
    row.into_active_model().reset_all().update(work.tx).await?;
    bump_scope(work, scope);
    Ok(change)
}

/// Names the skill and the reason in the audit record.
pub(super) fn describe(work: &mut Work<'_>, scope: &Scope, name: &ItemName, reason: &str) {
    work.audit.target = format!("{scope}/{name}");
    if !reason.is_empty() {
        work.audit.detail.insert("reason".to_owned(), reason.into());
    }
}

/// Names the revision in the audit record that is current after the action.
pub(super) fn number(work: &mut Work<'_>, revision: i64) {
    work.audit
        .detail
        .insert("revision".to_owned(), revision.into());
}

/// What a skill's row says of it.
pub(super) fn change(scope: &Scope, row: &skill::Model) -> StoreResult<SkillChange> {
    Ok(SkillChange {
        name: item_of(row.kind, &row.name)?.to_string(),
        scope: scope.to_string(),
        revision: unsigned(row.revision, "revision")?,
        digest: row.digest.clone(),
        status: status_text(status(row)).to_owned(),
        sealed: row.sealed,
        created: false,
        unchanged: false,
        warnings: Vec::new(),
    })
}

/// The same, when nothing had to change.
pub(super) fn unchanged(
    work: &mut Work<'_>,
    scope: &Scope,
    row: &skill::Model,
) -> StoreResult<SkillChange> {
    work.unchanged = true;
    Ok(SkillChange {
        unchanged: true,
        ..change(scope, row)?
    })
}

/// Refuses content that has been recalled at this scope: publishing it again would undo the recall.
pub(in crate::store) async fn refuse_recalled<C: ConnectionTrait>(
    tx: &C,
    scope: &Scope,
    digest: &str,
) -> StoreResult<()> {
    let key = ScopeKey::of(scope);
    let recalled = revision::Entity::find()
        .filter(revision::Column::Tenant.eq(key.tenant))
        .filter(revision::Column::Digest.eq(digest))
        // The sum keeps the database from searching by the scope, which has as many revisions as it has seen.
        .filter(Expr::col(revision::Column::ScopeKind).add(0).eq(key.kind))
        .filter(revision::Column::ScopeId.eq(key.id))
        .filter(revision::Column::Recall.ne(RECALL_NONE))
        .count(tx)
        .await?;
    refuse_if_recalled(recalled)
}

/// Refuses content of which so many revisions at its scope are recalled.
pub(super) fn refuse_if_recalled(revisions: u64) -> StoreResult<()> {
    if revisions == 0 {
        Ok(())
    } else {
        Err(StoreError::Conflict(
            "This very content has been recalled at this scope; release it, or publish other content.".to_owned(),
        ))
    }
}

/// Sets which revision is current, with what the catalog shows of it.
pub(super) fn point_at(
    row: &mut skill::ActiveModel,
    revision: &revision::Model,
) -> StoreResult<()> {
    row.revision = Set(revision.number);
    row.description = Set(revision.description.clone());
    row.digest = Set(revision.digest.clone());
    row.files = Set(revision.files);
    row.templated = Set(revision.templated);
    row.mode = Set(mode_of_revision(revision)?);
    row.recall = Set(revision.recall);
    row.author_kind = Set(revision.author_kind);
    row.author = Set(revision.author.clone());
    Ok(())
}

/// How a revision reaches a model: its frontmatter says so.
pub(super) fn mode_of_revision(revision: &revision::Model) -> StoreResult<i16> {
    // Most have no metadata, and every publication comes by here.
    if !revision.frontmatter.contains("mode") {
        return Ok(MODE_TRIGGERED);
    }
    let frontmatter = serde_json::from_str(&revision.frontmatter)?;
    Ok(mode_code(mode_of_frontmatter(&frontmatter)))
}
