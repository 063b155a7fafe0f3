//! Agent platforms: creating one with its key, and revoking it.

use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter,
};
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, Target, TenantId};

use crate::identity::ApiKey;
use crate::store::audit::hex;
use crate::store::authorize::Governed;
use crate::store::entity::service;
use crate::store::error::{StoreError, StoreResult};
use crate::store::live::Effect;
use crate::store::work::{Perform, Work};

/// Creates a service of a tenant.
#[derive(Debug, Clone)]
pub struct CreateService {
    id: String,
    tenant: TenantId,
    name: String,
    key_hash: String,
    key_hint: String,
}

impl CreateService {
    /// Prepares it; the store keeps the key's hash only.
    #[must_use]
    pub fn new(id: String, tenant: TenantId, name: String, key: &ApiKey) -> Self {
        Self {
            id,
            tenant,
            name,
            key_hash: hex(&key.hash()),
            key_hint: key.hint(),
        }
    }
}

/// A service that was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedService {
    /// The id.
    pub id: String,
    /// The tenant.
    pub tenant: String,
    /// The name.
    pub name: String,
}

/// Revokes a service: its key and every token that it minted end at once.
#[derive(Debug, Clone)]
pub struct RevokeService {
    /// The tenant.
    pub tenant: TenantId,
    /// The service's id.
    pub id: String,
}

/// A service that was revoked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevokedService {
    /// The id.
    pub id: String,
    /// Whether it was revoked already.
    pub unchanged: bool,
}

impl Governed for CreateService {
    type Outcome = CreatedService;
    const ACTION: Action = Action::CreateService;
    fn target(&self) -> Target {
        Target::Tenant(self.tenant.clone())
    }
}

impl Perform for CreateService {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<CreatedService> {
        let Self {
            id,
            tenant,
            name,
            key_hash,
            key_hint,
        } = self;
        let tenant = tenant.to_string();
        let same_name = service::Entity::find()
            .filter(service::Column::Tenant.eq(tenant.clone()))
            .filter(service::Column::Name.eq(name.clone()))
            .filter(service::Column::RevokedAt.is_null())
            .count(work.tx)
            .await?;
        if same_name > 0 {
            return Err(StoreError::AlreadyExists(format!("The service `{name}`")));
        }
        service::Entity::insert(
            service::Model {
                tenant: tenant.clone(),
                id: id.clone(),
                name: name.clone(),
                key_hash,
                key_hint,
                epoch: 1,
                created_at: work.now.0,
                revoked_at: None,
            }
            .into_active_model()
            .reset_all(),
        )
        .exec_without_returning(work.tx)
        .await?;
        work.effects.push(Effect::Service {
            id: id.clone(),
            epoch: 1,
            revoked: false,
        });
        work.audit.target = format!("tenant:{tenant} service:{id}");
        work.audit
            .detail
            .insert("name".to_owned(), name.clone().into());
        Ok(CreatedService { id, tenant, name })
    }
}

impl Governed for RevokeService {
    type Outcome = RevokedService;
    const ACTION: Action = Action::RevokeService;
    fn target(&self) -> Target {
        Target::Tenant(self.tenant.clone())
    }
}

impl Perform for RevokeService {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<RevokedService> {
        let Self { tenant, id } = self;
        let row = service::Entity::find_by_id((tenant.to_string(), id.clone()))
            .one(work.tx)
            .await?
            .ok_or_else(|| StoreError::NotFound(format!("The service `{id}`")))?;
        work.unchanged = row.revoked_at.is_some();
        if !work.unchanged {
            let epoch = row.epoch + 1;
            let mut row = row.into_active_model();
            row.epoch = Set(epoch);
            row.revoked_at = Set(Some(work.now.0));
            row.update(work.tx).await?;
            work.effects.push(Effect::Service {
                id: id.clone(),
                epoch,
                revoked: true,
            });
        }
        work.audit.target = format!("tenant:{tenant} service:{id}");
        Ok(RevokedService {
            id,
            unchanged: work.unchanged,
        })
    }
}
