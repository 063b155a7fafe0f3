//! Which skills a scope attaches to a role.

use vestry_policies::{Action, Scope, SkillName, Target};

use crate::store::actions::{Attachments, attachments};
use crate::store::error::StoreResult;
use crate::store::view::{Fetch, Query, View};

/// Reads them. A role without any has an empty list.
#[derive(Debug, Clone)]
pub struct RoleAttachments {
    /// The scope.
    pub scope: Scope,
    /// The role.
    pub role: SkillName,
}

impl Query for RoleAttachments {
    type Answer = Attachments;
    const ACTION: Action = Action::ReadSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for RoleAttachments {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Attachments> {
        attachments(view.db, &self.scope, &self.role).await
    }
}
