//! One skill as it is now.

use serde_json::{Map, Value};
use vestry_policies::{Action, Scope, SkillName, Target};

use super::listing::{ListedSkill, listed};
use crate::content::digest::ManifestFile;
use crate::store::actions::{find, find_revision, missing};
use crate::store::blobs::files_of;
use crate::store::body::Body;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::unsigned;
use crate::store::view::{Bodies, Fetch, Query, View};

/// Reads a skill.
#[derive(Debug, Clone)]
pub struct ReadSkill {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: SkillName,
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
        let row = find(view.db, &self.scope, &self.name)
            .await?
            .ok_or_else(|| missing(&self.scope, &self.name))?;
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
            listed: listed(row, &self.scope)?,
            body,
        })
    }
}
