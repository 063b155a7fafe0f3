//! The history of a skill: its revisions, one of them, the difference of two.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde_json::{Map, Value};
use vestry_policies::{Action, Scope, SkillName, Status, Target};

use super::{PageOf, PageRequest};
use crate::store::actions::{find, find_revision, missing, skill_key};
use crate::store::body::Body;
use crate::store::entity::revision;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{kind_text, status_of, status_text, unsigned};
use crate::store::view::{Fetch, Query, View};

/// Lists the revisions of a skill, newest first.
#[derive(Debug, Clone)]
pub struct Revisions {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: SkillName,
    /// The page.
    pub page: PageRequest,
}

/// Reads one revision.
#[derive(Debug, Clone)]
pub struct SkillRevision {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: SkillName,
    /// The number.
    pub number: u32,
}

/// Compares two revisions.
#[derive(Debug, Clone)]
pub struct DiffSkill {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: SkillName,
    /// The number of the earlier one.
    pub from: u32,
    /// The number of the later one.
    pub to: u32,
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

/// The difference of two revisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// The earlier one.
    pub from: RevisionRow,
    /// The later one.
    pub to: RevisionRow,
    /// The unified diff of the bodies; none where the caller may not read both.
    pub unified: Option<String>,
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
    type Answer = (RevisionRow, Option<Body>);
    const ACTION: Action = Action::ReadSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for SkillRevision {
    async fn fetch(self, view: &View<'_>) -> StoreResult<(RevisionRow, Option<Body>)> {
        read(view, &self.scope, &self.name, self.number).await
    }
}

impl Query for DiffSkill {
    type Answer = Diff;
    const ACTION: Action = Action::ReadSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for DiffSkill {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Diff> {
        let (from, before) = read(view, &self.scope, &self.name, self.from).await?;
        let (to, after) = read(view, &self.scope, &self.name, self.to).await?;
        let unified = match (before, after) {
            (Some(before), Some(after)) => {
                let names = (
                    format!("revision {}", from.number),
                    format!("revision {}", to.number),
                );
                // Bounded in time, so that two long texts without a line in common cannot hold the server up.
                let diff = similar::TextDiff::configure()
                    .timeout(std::time::Duration::from_millis(500))
                    .diff_lines(before.text(), after.text());
                Some(diff.unified_diff().header(&names.0, &names.1).to_string())
            }
            _ => None,
        };
        Ok(Diff { from, to, unified })
    }
}

/// A revision, with its body where the caller may read it.
async fn read(
    view: &View<'_>,
    scope: &Scope,
    name: &SkillName,
    number: u32,
) -> StoreResult<(RevisionRow, Option<Body>)> {
    let revision = find_revision(view.db, scope, name, number)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("Revision {number} of `{name}` at {scope}")))?;
    let body = match view.may_read_body(scope, status_of(false, false, revision.recall)) {
        Some(_permit) => Some(
            view.inner
                .content_of(view.db, &revision)
                .await?
                .body
                .clone(),
        ),
        None => None,
    };
    Ok((row_of(revision)?, body))
}

fn row_of(row: revision::Model) -> StoreResult<RevisionRow> {
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
