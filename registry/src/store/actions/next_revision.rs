//! Writing the next revision of a skill: what a publication does, and the last approval of a proposal.

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter,
    QueryTrait,
};
use vestry_policies::{ItemName, Scope};

use super::skill_rows::{
    SkillChange, bump_scope, change, mode_of_revision, number, point_at, skill_key,
};
use crate::content::{PreparedSkill, sha256_text};
use crate::identity::Caller;
use crate::store::blobs::{Resolved, keep_files};
use crate::store::entity::{content, revision, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{RECALL_NONE, ScopeKey, content_kind_code, kind_code};
use crate::store::upstream::{self, Upstream};
use crate::store::work::Work;
use crate::template::check;

/// Who wrote content, which is not always who publishes it.
#[derive(Debug, Clone)]
pub(in crate::store) struct Writer {
    pub(in crate::store) kind: i16,
    pub(in crate::store) principal: String,
    pub(in crate::store) acts_for: Option<String>,
}

impl Writer {
    /// The caller itself.
    pub(in crate::store) fn caller(caller: &Caller) -> Self {
        Self {
            kind: kind_code(caller.kind()),
            principal: caller.principal_text().to_owned(),
            acts_for: caller.acts_for().map(ToString::to_string),
        }
    }
}

/// Checked content with its files, all of which are there.
pub(in crate::store) struct NextRevision {
    pub(in crate::store) content: PreparedSkill,
    pub(in crate::store) files: Resolved,
    /// Of the manifest with all files.
    pub(in crate::store) digest: String,
    pub(in crate::store) writer: Writer,
    /// What it overrides.
    pub(in crate::store) upstream: Option<Upstream>,
}

/// Writes a skill's next revision and makes it the current one. The audit record gets the digests before and after; what
/// else it says is the action's.
pub(in crate::store) async fn write_revision(
    work: &mut Work<'_>,
    scope: &Scope,
    name: &ItemName,
    current: Option<skill::Model>,
    next: NextRevision,
) -> StoreResult<SkillChange> {
    let NextRevision {
        content,
        files,
        digest,
        writer,
        upstream,
    } = next;
    let before = current.as_ref().map(|row| row.revision);
    let content = Content {
        prepared: content,
        digest,
        files: files.count(),
        writer,
    };
    if content.prepared.templated {
        work.settle_schema().await?;
    }
    let made = insert_revision(work, scope, name, content, current.as_ref())?;
    keep_files(work, &made, before, files).await?;
    work.audit.before = current.as_ref().map(|row| row.digest.clone());
    work.audit.after = Some(made.digest.clone());
    number(work, made.number);
    let created = current.as_ref().is_none_or(|row| row.archived);
    let row = match current {
        Some(row) => update(work, row, &made, upstream.as_ref())?,
        None => create(work, scope, name, &made, upstream.as_ref())?,
    };
    bump_scope(work, scope);
    Ok(SkillChange {
        created,
        ..change(scope, &row)?
    })
}

/// Changes the row of a skill, which was read under the same lock.
pub(super) fn push_update(work: &mut Work<'_>, row: &skill::Model, changed: skill::ActiveModel) {
    let mut updated = skill::Entity::update_many()
        .set(changed)
        .filter(skill::Column::Tenant.eq(row.tenant.as_str()))
        .filter(skill::Column::ScopeKind.eq(row.scope_kind))
        .filter(skill::Column::ScopeId.eq(row.scope_id.as_str()))
        .filter(skill::Column::Kind.eq(row.kind))
        .filter(skill::Column::Name.eq(row.name.as_str()))
        .into_query();
    updated.returning_col(skill::Column::Revision);
    work.batch.push_one(work.inner.backend.build(&updated));
}

/// Sets the new revision as the current one. What the row is then is known: it was read under the same lock.
fn update(
    work: &mut Work<'_>,
    before: skill::Model,
    made: &revision::Model,
    upstream: Option<&Upstream>,
) -> StoreResult<skill::Model> {
    let mut row = skill::ActiveModel {
        last_revision: Set(made.number),
        archived: Set(false),
        updated_at: Set(work.now.0),
        ..Default::default()
    };
    point_at(&mut row, made)?;
    upstream::set(&mut row, upstream);
    push_update(work, &before, row);
    Ok(skill::Model {
        revision: made.number,
        last_revision: made.number,
        description: made.description.clone(),
        digest: made.digest.clone(),
        files: made.files,
        templated: made.templated,
        mode: mode_of_revision(made)?,
        recall: made.recall,
        author_kind: made.author_kind,
        author: made.author.clone(),
        archived: false,
        updated_at: work.now.0,
        ..before
    })
}

fn create(
    work: &mut Work<'_>,
    scope: &Scope,
    name: &ItemName,
    made: &revision::Model,
    upstream: Option<&Upstream>,
) -> StoreResult<skill::Model> {
    let key = ScopeKey::of(scope);
    let row = skill::Model {
        tenant: key.tenant,
        scope_kind: key.kind,
        scope_id: key.id,
        kind: content_kind_code(name.kind()),
        name: name.name().to_string(),
        mode: mode_of_revision(made)?,
        sealed: false,
        disabled: false,
        archived: false,
        revision: made.number,
        last_revision: made.number,
        files: made.files,
        description: made.description.clone(),
        digest: made.digest.clone(),
        templated: made.templated,
        recall: made.recall,
        author_kind: made.author_kind,
        author: made.author.clone(),
        created_at: work.now.0,
        updated_at: work.now.0,
        upstream_scope: upstream.map(|one| one.scope),
        upstream_revision: upstream.map(|one| i64::from(one.revision)),
        upstream_digest: upstream.map(|one| one.digest.clone()),
    };
    let inserted = skill::Entity::insert(row.clone().into_active_model().reset_all());
    work.batch.push(inserted.build(work.inner.backend));
    Ok(row)
}

/// The content of the next revision.
struct Content {
    prepared: PreparedSkill,
    /// Of the manifest with all files.
    digest: String,
    /// How many files it has.
    files: i64,
    writer: Writer,
}

/// Writes the bytes, once per digest, and the next revision.
fn insert_revision(
    work: &mut Work<'_>,
    scope: &Scope,
    name: &ItemName,
    Content {
        prepared,
        digest,
        files,
        writer,
    }: Content,
    current: Option<&skill::Model>,
) -> StoreResult<revision::Model> {
    let (tenant, scope_kind, scope_id, kind, name) = skill_key(scope, name);
    refuse_broken(work, &prepared)?;
    let (schema_version, schema_digest) = work.inner.recorded_schema(prepared.templated);
    let bytes_digest = sha256_text(&prepared.skill_md);
    let size = i64::try_from(prepared.skill_md.len()).unwrap_or(i64::MAX);
    keep_content(work, &tenant, &bytes_digest, prepared.skill_md);
    let made = revision::Model {
        tenant,
        scope_kind,
        scope_id,
        kind,
        name,
        number: current.map_or(1, |row| row.last_revision.saturating_add(1)),
        digest,
        content: bytes_digest,
        size,
        files,
        description: prepared.description,
        templated: prepared.templated,
        frontmatter: serde_json::to_string(&prepared.frontmatter)?,
        body_offset: i64::try_from(prepared.body_offset).unwrap_or(i64::MAX),
        author_kind: writer.kind,
        author: writer.principal,
        acts_for: writer.acts_for,
        message: prepared.message,
        rolled_back_to: None,
        created_at: work.now.0,
        recall: RECALL_NONE,
        recall_reason: None,
        recalled_at: None,
        schema_version,
        schema_digest,
    };
    let inserted = revision::Entity::insert(made.clone().into_active_model().reset_all());
    work.batch.push(inserted.build(work.inner.backend));
    Ok(made)
}

/// Refuses a template that does not hold under the active schema. What a publication sends was checked before the writer
/// was taken; what an approval publishes may have been checked against another schema, long ago. While the writer is held
/// the active schema stays.
pub(super) fn refuse_broken(work: &Work<'_>, prepared: &PreparedSkill) -> StoreResult<()> {
    let Some(source) = prepared.template() else {
        return Ok(());
    };
    let schema = work.inner.schema();
    if work.inner.templates.known(source, &schema).is_none() {
        check(source, &schema)
            .map_err(|diagnostics| StoreError::TemplateRefused(Box::new(diagnostics)))?;
    }
    Ok(())
}

/// Keeps the bytes of a SKILL.md, once per digest.
pub(in crate::store) fn keep_content(
    work: &mut Work<'_>,
    tenant: &str,
    digest: &str,
    bytes: Vec<u8>,
) {
    let kept = content::Entity::insert(content::ActiveModel {
        tenant: Set(tenant.to_owned()),
        sha256: Set(digest.to_owned()),
        bytes: Set(bytes),
    })
    .on_conflict(
        OnConflict::columns([content::Column::Tenant, content::Column::Sha256])
            .do_nothing()
            .to_owned(),
    );
    work.batch.push(kept.build(work.inner.backend));
}
