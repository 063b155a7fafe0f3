//! One skill as it is now.

use std::sync::Arc;

use serde_json::{Map, Value};
use vestry_policies::{Action, ItemName, Scope, Status, Target};

use super::listing::{ListedSkill, listed, listed_of_source};
use crate::content::digest::ManifestFile;
use crate::store::actions::{find, find_revision, missing};
use crate::store::blobs::files_of;
use crate::store::body::Body;
use crate::store::catalog::Attached;
use crate::store::entity::skill;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::unsigned;
use crate::store::sources::{SourceOrder, SourceSkill};
use crate::store::upstream::WiderLists;
use crate::store::view::{Bodies, Fetch, Query, View};

/// Reads a skill.
#[derive(Debug, Clone)]
pub struct ReadSkill {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
    /// Whether the body is what is asked for.
    pub bodies: Bodies,
}

/// A skill, with its body where the caller may read it.
#[derive(Debug, Clone)]
pub struct SkillView {
    /// What listings show.
    pub listed: ListedSkill,
    /// Further keys of the frontmatter.
    pub frontmatter: Map<String, Value>,
    /// What changed in the current revision.
    pub message: String,
    /// When the skill was created, in microseconds since the Unix epoch.
    pub created_at: i64,
    /// The bundled files, by path.
    pub files: Vec<ManifestFile>,
    /// The body; none where the caller gets it by a load only, or while it is recalled.
    pub body: Option<Body>,
}

impl Query for ReadSkill {
    type Answer = SkillView;
    const ACTION: Action = Action::ReadSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for ReadSkill {
    async fn fetch(self, view: &View<'_>) -> StoreResult<SkillView> {
        let row = match find_composed(view, &self.scope, &self.name).await? {
            Composed::Stored(row) => *row,
            Composed::Source(skill, label) => {
                let shown = of_source(view, &self.scope, &skill, label, self.bodies)?;
                let roles = attached(view, &self.scope, &self.name).await?;
                return Ok(SkillView {
                    listed: ListedSkill {
                        roles,
                        ..shown.listed
                    },
                    ..shown
                });
            }
        };
        let wider = WiderLists::of(view.store, &self.scope).await?;
        let number = unsigned(row.revision, "revision")?;
        let revision = find_revision(view.db, &self.scope, &self.name, number)
            .await?
            .ok_or_else(|| {
                StoreError::Internal("a skill's current revision is missing".to_owned())
            })?;
        let body = view.body_of(&self.scope, &revision, self.bodies).await?;
        Ok(SkillView {
            files: files_of(view.db, &revision).await?,
            frontmatter: serde_json::from_str(&revision.frontmatter)?,
            message: revision.message,
            created_at: row.created_at,
            listed: ListedSkill {
                roles: attached(view, &self.scope, &self.name).await?,
                ..listed(row, &self.scope, &wider)?
            },
            body,
        })
    }
}

/// The roles that a skill is attached to.
async fn attached(view: &View<'_>, scope: &Scope, name: &ItemName) -> StoreResult<Vec<Arc<str>>> {
    match name.skill() {
        None => Ok(Vec::new()),
        Some(name) => {
            let attached = Attached::of_scope(view.db, scope, Some(name.as_str())).await?;
            Ok(attached.roles(name.as_str()))
        }
    }
}

/// A skill as the sources and the database together have it.
enum Composed<'a> {
    Stored(Box<skill::Model>),
    Source(Arc<SourceSkill>, &'a str),
}

/// The skill of the earliest source that has it, the database among them.
async fn find_composed<'a>(
    view: &View<'a>,
    scope: &Scope,
    name: &ItemName,
) -> StoreResult<Composed<'a>> {
    let sources = &view.inner.sources;
    if let Some((skill, label)) = sources.find(scope, name, SourceOrder::Before) {
        return Ok(Composed::Source(skill, label));
    }
    let row = find(view.db, scope, name).await?;
    let is_living = row.as_ref().is_some_and(|row| !row.archived);
    if !is_living && let Some((skill, label)) = sources.find(scope, name, SourceOrder::After) {
        return Ok(Composed::Source(skill, label));
    }
    row.map(|row| Composed::Stored(Box::new(row)))
        .ok_or_else(|| missing(scope, name))
}

fn of_source(
    view: &View<'_>,
    scope: &Scope,
    skill: &SourceSkill,
    label: &str,
    bodies: Bodies,
) -> StoreResult<SkillView> {
    let permit = view.permit(scope, Status::Active, bodies)?;
    Ok(SkillView {
        files: skill.content.files.to_vec(),
        frontmatter: skill.frontmatter.clone(),
        message: String::new(),
        created_at: skill.changed_at,
        listed: listed_of_source(skill, scope, label),
        body: permit.map(|_permit| skill.content.body.clone()),
    })
}
