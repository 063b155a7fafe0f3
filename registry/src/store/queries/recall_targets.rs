//! Where content with a digest is: what a recall by digest is about.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use vestry_policies::{Action, ItemName, Scope, Target};

use crate::store::actions::find;
use crate::store::entity::revision;
use crate::store::error::StoreResult;
use crate::store::rows::{ScopeKey, item_of, unsigned};
use crate::store::view::{Fetch, Query, View};

/// Finds the revisions with a digest in the caller's scopes.
#[derive(Debug, Clone)]
pub struct RecallTargets {
    /// The digest.
    pub digest: String,
    /// Only revisions that are the current one of a skill that is not archived.
    pub current_only: bool,
}

/// A revision with the digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallTarget {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
    /// The number.
    pub number: u32,
}

impl Query for RecallTargets {
    type Answer = Vec<RecallTarget>;
    const ACTION: Action = Action::ListSkills;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for RecallTargets {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Vec<RecallTarget>> {
        let mut targets = Vec::new();
        for scope in view.caller.scopes() {
            let key = ScopeKey::of(scope);
            let rows = revision::Entity::find()
                .filter(revision::Column::Tenant.eq(key.tenant))
                .filter(revision::Column::Digest.eq(self.digest.as_str()))
                .filter(revision::Column::ScopeKind.eq(key.kind))
                .filter(revision::Column::ScopeId.eq(key.id))
                .order_by_asc(revision::Column::Name)
                .order_by_asc(revision::Column::Number)
                .all(view.db)
                .await?;
            for row in rows {
                if self.current_only {
                    let skill = find(view.db, scope, &item_of(row.kind, &row.name)?).await?;
                    if !skill.is_some_and(|skill| !skill.archived && skill.revision == row.number) {
                        continue;
                    }
                }
                targets.push(RecallTarget {
                    scope: scope.clone(),
                    name: item_of(row.kind, &row.name)?,
                    number: unsigned(row.number, "number")?,
                });
            }
        }
        Ok(targets)
    }
}
