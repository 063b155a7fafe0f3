//! The first start of a server: the context schema that comes with the program becomes the active one, and the skills that
//! come with it become content like any other.
//!
//! From then on the database says which schema is active, whatever a later program has built in, so that servers of two
//! versions on one database agree.
//!
//! Whether a database is a new one is marked when it is made, and the mark goes with the skills in one transaction. So they are
//! created once: what is changed, archived or hidden afterwards stays so, and a database from before has none of them.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseConnection, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter,
};
use vestry_migration::{BUILT_IN_SKILLS, GLOBAL_TENANT};
use vestry_policies::{Action, Scope, SkillName};

use super::audit::{self, Draft};
use super::entity::{content, context_schema, mark, revision, scope_version, skill};
use super::error::{StoreError, StoreResult};
use super::rows::{AUTHOR_SYSTEM, KIND_SKILL, RECALL_NONE, ScopeKey, mode_code};
use super::writing::begin_alone;
use crate::built_in::{BuiltIn, SKILLS};
use crate::clock::Micros;
use crate::content::{PreparedSkill, sha256_text};
use crate::store::pool::Transaction;
use crate::template::schema::Schema;

/// What the history says of the first revision.
const MESSAGE: &str = "Comes with Vestry.";

/// Makes the built-in schema the active one, if none has been so far.
pub(super) async fn keep_schema(writer: &DatabaseConnection, now: Micros) -> StoreResult<()> {
    if context_schema::Entity::find().count(writer).await? > 0 {
        return Ok(());
    }
    let schema = Schema::built_in();
    let tx = begin_alone(writer).await?;
    // Another process may have been first.
    if context_schema::Entity::find().count(&tx).await? > 0 {
        tx.rollback().await?;
        return Ok(());
    }
    let row = context_schema::Model {
        number: 1,
        version: i64::from(schema.version()),
        digest: schema.digest().to_string(),
        text: schema.text().to_owned(),
        activated_by: "system".to_owned(),
        activated_at: now.0,
    };
    context_schema::Entity::insert(row.into_active_model().reset_all())
        .exec_without_returning(&tx)
        .await?;
    let record = Draft {
        principal: "system".to_owned(),
        action: Action::ActivateSchema.as_str().to_owned(),
        target: "context-schema".to_owned(),
        after: Some(format!("sha256:{}", schema.digest())),
        detail: serde_json::Map::from_iter([("version".to_owned(), schema.version().into())]),
        ..Draft::default()
    };
    audit::append(&tx, GLOBAL_TENANT, now, vec![record]).await?;
    tx.commit().await?;
    Ok(())
}

/// Creates what comes with the program, if this is the first start of a new database and it is wanted.
pub(super) async fn create(
    writer: &DatabaseConnection,
    now: Micros,
    are_wanted: bool,
) -> StoreResult<()> {
    let is_new = mark::Entity::find_by_id(BUILT_IN_SKILLS)
        .one(writer)
        .await?
        .is_some();
    if !is_new {
        return Ok(());
    }
    let tx = begin_alone(writer).await?;
    let marks = mark::Entity::delete_many()
        .filter(mark::Column::Name.eq(BUILT_IN_SKILLS))
        .exec(&tx)
        .await?;
    // Another process may have been first.
    if are_wanted && marks.rows_affected > 0 {
        let mut records = Vec::with_capacity(SKILLS.len());
        for built_in in &SKILLS {
            records.push(insert(&tx, built_in, now).await?);
        }
        let key = ScopeKey::of(&Scope::Global);
        scope_version::Entity::insert(
            scope_version::Model {
                tenant: key.tenant,
                scope_kind: key.kind,
                scope_id: key.id,
                version: 1,
            }
            .into_active_model()
            .reset_all(),
        )
        .exec_without_returning(&tx)
        .await?;
        audit::append(&tx, GLOBAL_TENANT, now, records).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Writes one skill with its first revision; gives its audit record.
async fn insert(
    tx: &Transaction,
    BuiltIn { name, skill_md }: &BuiltIn,
    now: Micros,
) -> StoreResult<Draft> {
    let broken = |error: String| StoreError::Internal(format!("the built-in {name}: {error}"));
    let name = SkillName::parse(name).map_err(|error| broken(error.to_string()))?;
    let prepared = PreparedSkill::from_skill_md(&name, (*skill_md).to_owned(), MESSAGE.to_owned())
        .map_err(|error| broken(error.to_string()))?;
    let key = ScopeKey::of(&Scope::Global);
    let schema = Schema::built_in();
    let bytes = sha256_text(&prepared.skill_md);
    let digest = prepared.digest.to_string();
    let mode = mode_code(prepared.mode());
    let made = revision::Model {
        tenant: key.tenant.clone(),
        scope_kind: key.kind,
        scope_id: key.id.clone(),
        kind: KIND_SKILL,
        name: name.to_string(),
        number: 1,
        digest: digest.clone(),
        content: bytes.clone(),
        size: i64::try_from(prepared.skill_md.len()).unwrap_or(i64::MAX),
        files: 0,
        description: prepared.description.clone(),
        templated: prepared.templated,
        frontmatter: serde_json::to_string(&prepared.frontmatter)?,
        body_offset: i64::try_from(prepared.body_offset).unwrap_or(i64::MAX),
        author_kind: AUTHOR_SYSTEM,
        author: "vestry".to_owned(),
        acts_for: None,
        message: MESSAGE.to_owned(),
        rolled_back_to: None,
        created_at: now.0,
        recall: RECALL_NONE,
        recall_reason: None,
        recalled_at: None,
        schema_version: i64::from(schema.version()),
        schema_digest: schema.digest().to_string(),
    };
    let row = skill::Model {
        tenant: key.tenant.clone(),
        scope_kind: key.kind,
        scope_id: key.id,
        kind: KIND_SKILL,
        name: name.to_string(),
        mode,
        sealed: false,
        disabled: false,
        archived: false,
        revision: 1,
        last_revision: 1,
        files: 0,
        description: prepared.description,
        digest: digest.clone(),
        templated: prepared.templated,
        recall: RECALL_NONE,
        author_kind: AUTHOR_SYSTEM,
        author: "vestry".to_owned(),
        created_at: now.0,
        updated_at: now.0,
        upstream_scope: None,
        upstream_revision: None,
        upstream_digest: None,
    };
    let kept = content::Model {
        tenant: key.tenant,
        sha256: bytes,
        bytes: prepared.skill_md,
    };
    content::Entity::insert(kept.into_active_model().reset_all())
        .exec_without_returning(tx)
        .await?;
    revision::Entity::insert(made.into_active_model().reset_all())
        .exec_without_returning(tx)
        .await?;
    skill::Entity::insert(row.into_active_model().reset_all())
        .exec_without_returning(tx)
        .await?;
    Ok(Draft {
        principal: "system".to_owned(),
        action: Action::PublishSkill.as_str().to_owned(),
        target: format!("{}/{name}", Scope::Global),
        after: Some(digest),
        detail: serde_json::Map::from_iter([
            ("revision".to_owned(), 1.into()),
            ("message".to_owned(), MESSAGE.into()),
        ]),
        ..Draft::default()
    })
}
