//! Hiding a global skill from a tenant's members, and showing it again.

use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, Scope, SkillName, Target, TenantId};

use super::skill_rows::{bump_scope, evidence, find, missing};
use crate::store::authorize::Governed;
use crate::store::entity::{hidden_skill, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::work::{Evidence, Perform, Work};

/// Whether a tenant's members see a global skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visibility {
    /// The global skill.
    pub name: String,
    /// The tenant.
    pub tenant: String,
    /// Whether it is hidden now.
    pub hidden: bool,
    /// Whether it was so already.
    pub unchanged: bool,
}

/// Hides a global skill that is not sealed from a tenant's members.
#[derive(Debug, Clone)]
pub struct HideSkill {
    tenant: TenantId,
    name: SkillName,
    reason: super::Reason,
    current: Option<skill::Model>,
}

/// Shows a hidden skill again.
#[derive(Debug, Clone)]
pub struct ShowSkill {
    tenant: TenantId,
    name: SkillName,
    reason: super::Reason,
    current: Option<skill::Model>,
}

impl HideSkill {
    /// Prepares it.
    #[must_use]
    pub fn new(tenant: TenantId, name: SkillName, reason: super::Reason) -> Self {
        Self {
            tenant,
            name,
            reason,
            current: None,
        }
    }
}

impl ShowSkill {
    /// Prepares it.
    #[must_use]
    pub fn new(tenant: TenantId, name: SkillName, reason: super::Reason) -> Self {
        Self {
            tenant,
            name,
            reason,
            current: None,
        }
    }
}

impl Governed for HideSkill {
    type Outcome = Visibility;
    const ACTION: Action = Action::HideSkill;
    fn target(&self) -> Target {
        Target::Scope(Scope::Tenant(self.tenant.clone()))
    }
}

impl Governed for ShowSkill {
    type Outcome = Visibility;
    const ACTION: Action = Action::ShowSkill;
    fn target(&self) -> Target {
        Target::Scope(Scope::Tenant(self.tenant.clone()))
    }
}

impl Perform for HideSkill {
    async fn examine(&mut self, tx: &Transaction, _: &Known) -> StoreResult<Evidence> {
        self.current = find(tx, &Scope::Global, &self.name.clone().into()).await?;
        Ok(evidence(self.current.as_ref()))
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Visibility> {
        let Self {
            tenant,
            name,
            reason,
            current,
        } = self;
        let row = current
            .filter(|row| !row.archived)
            .ok_or_else(|| missing(&Scope::Global, &name.clone().into()))?;
        if row.sealed {
            return Err(StoreError::Conflict(format!(
                "The global skill `{name}` is sealed, so no tenant can hide it."
            )));
        }
        let inserted = hidden_skill::Entity::insert(hidden_skill::ActiveModel {
            tenant: Set(tenant.to_string()),
            name: Set(name.to_string()),
            reason: Set(reason.clone()),
            created_at: Set(work.now.0),
        })
        .on_conflict(
            OnConflict::columns([hidden_skill::Column::Tenant, hidden_skill::Column::Name])
                .do_nothing()
                .to_owned(),
        )
        .exec_without_returning(work.tx)
        .await?;
        settle(work, tenant, &name, &reason, true, inserted == 0).await
    }
}

impl Perform for ShowSkill {
    async fn examine(&mut self, tx: &Transaction, _: &Known) -> StoreResult<Evidence> {
        self.current = find(tx, &Scope::Global, &self.name.clone().into()).await?;
        Ok(evidence(self.current.as_ref()))
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Visibility> {
        let Self {
            tenant,
            name,
            reason,
            current,
        } = self;
        if current.is_none() {
            return Err(missing(&Scope::Global, &name.clone().into()));
        }
        let deleted = hidden_skill::Entity::delete_by_id((tenant.to_string(), name.to_string()))
            .exec(work.tx)
            .await?;
        settle(
            work,
            tenant,
            &name,
            &reason,
            false,
            deleted.rows_affected == 0,
        )
        .await
    }
}

async fn settle(
    work: &mut Work<'_>,
    tenant: TenantId,
    name: &SkillName,
    reason: &str,
    hidden: bool,
    unchanged: bool,
) -> StoreResult<Visibility> {
    work.unchanged = unchanged;
    work.audit.target = format!("tenant:{tenant} global/{name}");
    work.audit.detail.insert("reason".to_owned(), reason.into());
    let outcome = Visibility {
        name: name.to_string(),
        tenant: tenant.to_string(),
        hidden,
        unchanged,
    };
    if !unchanged {
        bump_scope(work, &Scope::Tenant(tenant));
    }
    Ok(outcome)
}
