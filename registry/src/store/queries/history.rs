//! The history of a skill: its revisions, and one of them.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde_json::{Map, Value};
use vestry_policies::{Action, ItemName, Scope, Status, Target};

use super::{PageOf, PageRequest};
use crate::content::digest::ManifestFile;
use crate::store::actions::{find, find_revision, missing, skill_key};
use crate::store::blobs::files_of;
use crate::store::body::Body;
use crate::store::entity::revision;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{kind_text, status_of, status_text, unsigned};
use crate::store::view::{Bodies, Fetch, Query, View};

/// Lists the revisions of a skill, newest first.
#[derive(Debug, Clone)]
pub struct Revisions {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
    /// The page.
    pub page: PageRequest,
}

/// Reads one revision.
#[derive(Debug, Clone)]
pub struct SkillRevision {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
    /// The number.
    pub number: u32,
    /// Whether the body is what is asked for.
    pub bodies: Bodies,
}

/// A revision, without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRow {
    /// The number.
    pub number: u32,
    /// The digest.
    pub digest: String,
    /// The size of the SKILL.md in bytes.
    pub size: i64,
    /// When to use it.
    pub description: String,
    /// Whether its body is a template.
    pub templated: bool,
    /// Further keys of the frontmatter.
    pub frontmatter: Map<String, Value>,
    /// What kind of principal wrote it.
    pub author_kind: &'static str,
    /// Who wrote it.
    pub author: String,
    /// The actor that the author acted for.
    pub acts_for: Option<String>,
    /// What changed.
    pub message: String,
    /// The revision whose content this one brought back.
    pub rolled_back_to: Option<i64>,
    /// `active`, `quarantined` or `revoked`.
    pub status: &'static str,
    /// Why it was recalled or released.
    pub recall_reason: Option<String>,
    /// When it was written, in microseconds since the Unix epoch.
    pub created_at: i64,
}

/// A revision with its files, and its body where the caller may read it.
#[derive(Debug, Clone)]
pub struct ReadRevision {
    /// The revision.
    pub row: RevisionRow,
    /// Its files, by path.
    pub files: Vec<ManifestFile>,
    /// Its body; none where the caller gets it by a load only, or while it is recalled.
    pub body: Option<Body>,
}

impl Query for Revisions {
    type Answer = PageOf<RevisionRow>;
    const ACTION: Action = Action::ReadSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for Revisions {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<RevisionRow>> {
        find(view.db, &self.scope, &self.name)
            .await?
            .ok_or_else(|| missing(&self.scope, &self.name))?;
        let (tenant, scope_kind, scope_id, kind, name) = skill_key(&self.scope, &self.name);
        let before: i64 = match self.page.after_text().as_str() {
            "" => i64::MAX,
            number => number
                .parse()
                .map_err(|_| StoreError::Internal("a cursor has the wrong position".to_owned()))?,
        };
        let rows = revision::Entity::find()
            .filter(revision::Column::Tenant.eq(tenant))
            .filter(revision::Column::ScopeKind.eq(scope_kind))
            .filter(revision::Column::ScopeId.eq(scope_id))
            .filter(revision::Column::Kind.eq(kind))
            .filter(revision::Column::Name.eq(name))
            .filter(revision::Column::Number.lt(before))
            .order_by_desc(revision::Column::Number)
            .limit(self.page.fetch())
            .all(view.db)
            .await?;
        let rows: Vec<RevisionRow> = rows.into_iter().map(row_of).collect::<StoreResult<_>>()?;
        Ok(PageOf::of(rows, &self.page, |row| {
            vec![row.number.to_string()]
        }))
    }
}

impl Query for SkillRevision {
    type Answer = ReadRevision;
    const ACTION: Action = Action::ReadSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for SkillRevision {
    async fn fetch(self, view: &View<'_>) -> StoreResult<ReadRevision> {
        read(view, &self.scope, &self.name, self.number, self.bodies).await
    }
}

/// A revision, with its body where the caller may read it.
pub(super) async fn read(
    view: &View<'_>,
    scope: &Scope,
    name: &ItemName,
    number: u32,
    bodies: Bodies,
) -> StoreResult<ReadRevision> {
    let revision = find_revision(view.db, scope, name, number)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("Revision {number} of `{name}` at {scope}")))?;
    let body = view.body_of(scope, &revision, bodies).await?;
    Ok(ReadRevision {
        files: files_of(view.db, &revision).await?,
        row: row_of(revision)?,
        body,
    })
}

pub(super) fn row_of(row: revision::Model) -> StoreResult<RevisionRow> {
    let status: Status = status_of(false, false, row.recall);
    Ok(RevisionRow {
        number: unsigned(row.number, "number")?,
        digest: row.digest,
        size: row.size,
        description: row.description,
        templated: row.templated,
        frontmatter: serde_json::from_str(&row.frontmatter)?,
        author_kind: kind_text(row.author_kind)?,
        author: row.author,
        acts_for: row.acts_for,
        message: row.message,
        rolled_back_to: row.rolled_back_to,
        status: status_text(status),
        recall_reason: row.recall_reason,
        created_at: row.created_at,
    })
}
