//! Sealing: narrower scopes cannot override a sealed skill.

use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use vestry_policies::{Action, ItemName, Scope, Target};

use super::skill_rows::{SkillChange, evidence, find, missing, save, unchanged};
use crate::store::authorize::Governed;
use crate::store::entity::skill;
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::rows::ScopeKey;
use crate::store::work::{Evidence, Perform, Work};

/// Seals a tenant or global skill.
#[derive(Debug, Clone)]
pub struct SealSkill {
    scope: Scope,
    name: ItemName,
    reason: super::Reason,
    current: Option<skill::Model>,
}

/// Undoes a seal.
#[derive(Debug, Clone)]
pub struct UnsealSkill {
    scope: Scope,
    name: ItemName,
    reason: super::Reason,
    current: Option<skill::Model>,
}

impl SealSkill {
    /// Prepares it.
    #[must_use]
    pub fn new(scope: Scope, name: ItemName, reason: super::Reason) -> Self {
        Self {
            scope,
            name,
            reason,
            current: None,
        }
    }
}

impl UnsealSkill {
    /// Prepares it.
    #[must_use]
    pub fn new(scope: Scope, name: ItemName, reason: super::Reason) -> Self {
        Self {
            scope,
            name,
            reason,
            current: None,
        }
    }
}

impl Governed for SealSkill {
    type Outcome = SkillChange;
    const ACTION: Action = Action::SealSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Governed for UnsealSkill {
    type Outcome = SkillChange;
    const ACTION: Action = Action::UnsealSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Perform for SealSkill {
    async fn examine(&mut self, tx: &Transaction, _: &Known) -> StoreResult<Evidence> {
        self.current = find(tx, &self.scope, &self.name).await?;
        Ok(evidence(self.current.as_ref()))
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<SkillChange> {
        let Self {
            scope,
            name,
            reason,
            current,
        } = self;
        let mut row = current
            .filter(|row| !row.archived)
            .ok_or_else(|| missing(&scope, &name))?;
        if row.sealed {
            return unchanged(work, &scope, &row);
        }
        let limit = work.inner.limits.sealed_per_scope;
        if sealed_at(work, &scope).await? >= limit {
            return Err(StoreError::LimitReached(format!(
                "At most {limit} skills are sealed at {scope}; unseal one first."
            )));
        }
        row.sealed = true;
        save(work, &scope, row, &reason).await
    }
}

impl Perform for UnsealSkill {
    async fn examine(&mut self, tx: &Transaction, _: &Known) -> StoreResult<Evidence> {
        self.current = find(tx, &self.scope, &self.name).await?;
        Ok(evidence(self.current.as_ref()))
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<SkillChange> {
        let Self {
            scope,
            name,
            reason,
            current,
        } = self;
        let mut row = current
            .filter(|row| !row.archived)
            .ok_or_else(|| missing(&scope, &name))?;
        if !row.sealed {
            return unchanged(work, &scope, &row);
        }
        row.sealed = false;
        save(work, &scope, row, &reason).await
    }
}

async fn sealed_at(work: &Work<'_>, scope: &Scope) -> StoreResult<u64> {
    let key = ScopeKey::of(scope);
    Ok(skill::Entity::find()
        .filter(skill::Column::Tenant.eq(key.tenant))
        .filter(skill::Column::ScopeKind.eq(key.kind))
        .filter(skill::Column::ScopeId.eq(key.id))
        .filter(skill::Column::Sealed.eq(true))
        .filter(skill::Column::Archived.eq(false))
        .count(work.tx)
        .await?)
}
