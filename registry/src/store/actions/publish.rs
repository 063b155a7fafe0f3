//! Creating and updating a skill: a new revision of it.

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DatabaseTransaction, EntityTrait,
    IntoActiveModel, QueryFilter, QueryTrait,
};
use vestry_policies::{Action, Scope, SkillName, Target};

use super::skill_rows::{
    Precondition, SkillChange, bump_scope, change, describe, evidence, point_at,
    refuse_if_recalled, refuse_recalled, room_for_revision, room_for_skill, skill_key, unchanged,
};
use crate::content::digest::of_manifest;
use crate::content::{PreparedFiles, PreparedSkill, sha256_text};
use crate::store::authorize::Governed;
use crate::store::batch::BACKEND;
use crate::store::blobs::{Author, keep_files, resolve};
use crate::store::entity::{content, revision, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::{Known, Sought};
use crate::store::rows::{KIND_SKILL, MODE_TRIGGERED, RECALL_NONE, ScopeKey, kind_code};
use crate::store::view::may_read_current;
use crate::store::work::{Evidence, Perform, Work};

/// Publishes content under a name at a scope.
#[derive(Debug, Clone)]
pub struct PublishSkill {
    scope: Scope,
    name: SkillName,
    content: PreparedSkill,
    files: PreparedFiles,
    precondition: Precondition,
    current: Option<skill::Model>,
    /// How many recalled revisions of the scope have the content without files.
    recalled: u64,
    known: Option<Known>,
}

impl PublishSkill {
    /// Prepares a publication. A precondition is required (428 otherwise), so that nobody overwrites what they did not see.
    #[must_use]
    pub fn new(
        scope: Scope,
        name: SkillName,
        content: PreparedSkill,
        files: PreparedFiles,
        precondition: Precondition,
    ) -> Self {
        Self {
            scope,
            name,
            content,
            files,
            precondition,
            current: None,
            recalled: 0,
            known: None,
        }
    }
}

impl PublishSkill {
    /// The digest that it has if it has no files: what most have, and what can be known before anything is read.
    fn bare_digest(&self) -> String {
        of_manifest(self.content.content_digest, &[]).to_string()
    }
}

impl Governed for PublishSkill {
    type Outcome = SkillChange;
    const ACTION: Action = Action::PublishSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Perform for PublishSkill {
    fn seeks(&self) -> Option<Sought> {
        Some(Sought {
            key: skill_key(&self.scope, &self.name),
            digest: self.bare_digest(),
        })
    }

    async fn examine(&mut self, _: &DatabaseTransaction, known: &Known) -> StoreResult<Evidence> {
        let found = known
            .found
            .clone()
            .ok_or_else(|| StoreError::Internal("a skill was not looked for".to_owned()))?;
        let mut evidence = evidence(found.row.as_ref());
        evidence.room = room_for_revision(found.row.as_ref(), known)
            .or_else(|| Some(room_for_skill(&self.scope, found.living?, known)));
        self.recalled = found.recalled;
        self.current = found.row;
        self.known = Some(known.clone());
        Ok(evidence)
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<SkillChange> {
        let bare_digest = self.bare_digest();
        let Self {
            scope,
            name,
            content: prepared,
            files,
            precondition,
            current,
            recalled,
            known,
        } = self;
        work.inner.sources.refuse_overridden(&scope, &name)?;
        if precondition == Precondition::None {
            return Err(StoreError::PreconditionRequired);
        }
        precondition.check(current.as_ref())?;
        let author = Author {
            caller: work.caller,
            scope: &scope,
            name: &name,
            current: current.as_ref(),
            reads_current: may_read_current(
                work.caller,
                known.as_ref(),
                work.now,
                &scope,
                current.as_ref(),
            ),
        };
        let mut files = resolve(work.tx, &author, files, prepared.size()).await?;
        let warnings = std::mem::take(&mut files.warnings);
        let digest = files.digest(prepared.content_digest).to_string();
        if let Some(row) = &current
            && !row.archived
            && row.recall == RECALL_NONE
            && row.digest == digest
        {
            return Ok(SkillChange {
                warnings,
                ..unchanged(work, &scope, row)?
            });
        }
        if digest == bare_digest {
            refuse_if_recalled(recalled)?;
        } else {
            refuse_recalled(work.tx, &scope, &digest).await?;
        }
        describe(work, &scope, name.as_str(), "");
        if !prepared.message.is_empty() {
            work.audit
                .detail
                .insert("message".to_owned(), prepared.message.clone().into());
        }
        let before = current.as_ref().map(|row| row.revision);
        let content = Content {
            prepared,
            digest,
            files: files.count(),
        };
        let made = insert_revision(work, &scope, &name, content, current.as_ref())?;
        keep_files(work, &made, before, files).await?;
        work.audit.before = current.as_ref().map(|row| row.digest.clone());
        work.audit.after = Some(made.digest.clone());
        let created = current.as_ref().is_none_or(|row| row.archived);
        let row = match current {
            Some(row) => update(work, &scope, &name, row, &made),
            None => create(work, &scope, &name, &made),
        };
        bump_scope(work, &scope);
        Ok(SkillChange {
            created,
            warnings,
            ..change(&scope, &row)?
        })
    }
}

/// Sets the new revision as the current one. What the row is then is known: it was read under the same lock.
fn update(
    work: &mut Work<'_>,
    scope: &Scope,
    name: &SkillName,
    before: skill::Model,
    made: &revision::Model,
) -> skill::Model {
    let mut row = skill::ActiveModel {
        last_revision: Set(made.number),
        archived: Set(false),
        updated_at: Set(work.now.0),
        ..Default::default()
    };
    point_at(&mut row, made);
    let (tenant, scope_kind, scope_id, kind, name) = skill_key(scope, name);
    let mut updated = skill::Entity::update_many()
        .set(row)
        .filter(skill::Column::Tenant.eq(tenant))
        .filter(skill::Column::ScopeKind.eq(scope_kind))
        .filter(skill::Column::ScopeId.eq(scope_id))
        .filter(skill::Column::Kind.eq(kind))
        .filter(skill::Column::Name.eq(name))
        .into_query();
    updated.returning_col(skill::Column::Revision);
    work.batch.push_one(BACKEND.build(&updated));
    skill::Model {
        revision: made.number,
        last_revision: made.number,
        description: made.description.clone(),
        digest: made.digest.clone(),
        files: made.files,
        templated: made.templated,
        recall: made.recall,
        author_kind: made.author_kind,
        author: made.author.clone(),
        archived: false,
        updated_at: work.now.0,
        ..before
    }
}

fn create(
    work: &mut Work<'_>,
    scope: &Scope,
    name: &SkillName,
    made: &revision::Model,
) -> skill::Model {
    let key = ScopeKey::of(scope);
    let row = skill::Model {
        tenant: key.tenant,
        scope_kind: key.kind,
        scope_id: key.id,
        kind: KIND_SKILL,
        name: name.to_string(),
        mode: MODE_TRIGGERED,
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
    };
    let inserted = skill::Entity::insert(row.clone().into_active_model().reset_all());
    work.batch.push(inserted.build(BACKEND));
    row
}

/// The content of the next revision.
struct Content {
    prepared: PreparedSkill,
    /// Of the manifest with all files.
    digest: String,
    /// How many files it has.
    files: i64,
}

/// Writes the bytes, once per digest, and the next revision.
fn insert_revision(
    work: &mut Work<'_>,
    scope: &Scope,
    name: &SkillName,
    Content {
        prepared,
        digest,
        files,
    }: Content,
    current: Option<&skill::Model>,
) -> StoreResult<revision::Model> {
    let (tenant, scope_kind, scope_id, kind, name) = skill_key(scope, name);
    let bytes_digest = sha256_text(&prepared.skill_md);
    let size = i64::try_from(prepared.skill_md.len()).unwrap_or(i64::MAX);
    let kept = content::Entity::insert(content::ActiveModel {
        tenant: Set(tenant.clone()),
        sha256: Set(bytes_digest.clone()),
        bytes: Set(prepared.skill_md),
    })
    .on_conflict(
        OnConflict::columns([content::Column::Tenant, content::Column::Sha256])
            .do_nothing()
            .to_owned(),
    );
    work.batch.push(kept.build(BACKEND));
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
        author_kind: kind_code(work.caller.kind()),
        author: work.caller.principal_text().to_owned(),
        acts_for: work.caller.acts_for().map(ToString::to_string),
        message: prepared.message,
        rolled_back_to: None,
        created_at: work.now.0,
        recall: RECALL_NONE,
        recall_reason: None,
        recalled_at: None,
    };
    let inserted = revision::Entity::insert(made.clone().into_active_model().reset_all());
    work.batch.push(inserted.build(BACKEND));
    Ok(made)
}
