//! A human's own API keys. A key acts as its human, never elevated.

use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter,
};
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, Target};

use crate::identity::ApiKey;
use crate::store::audit::hex;
use crate::store::authorize::Governed;
use crate::store::entity::user_key;
use crate::store::error::{StoreError, StoreResult};
use crate::store::live::Effect;
use crate::store::rows::tenant_key;
use crate::store::work::{Perform, Work};

/// How many keys a human may have at a time.
const MAX_KEYS: u64 = 20;

/// Creates an API key of the caller.
#[derive(Debug, Clone)]
pub struct CreateKey {
    id: String,
    name: String,
    key_hash: String,
    key_hint: String,
}

impl CreateKey {
    /// Prepares it; the store keeps the key's hash only.
    #[must_use]
    pub fn new(id: String, name: String, key: &ApiKey) -> Self {
        Self {
            id,
            name,
            key_hash: hex(&key.hash()),
            key_hint: key.hint(),
        }
    }
}

/// A key that was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedKey {
    /// The id.
    pub id: String,
    /// The name.
    pub name: String,
}

/// Revokes an API key of the caller.
#[derive(Debug, Clone)]
pub struct RevokeKey {
    /// The key's id.
    pub id: String,
}

/// A key that was revoked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevokedKey {
    /// The id.
    pub id: String,
    /// Whether it was revoked already.
    pub unchanged: bool,
}

impl Governed for CreateKey {
    type Outcome = CreatedKey;
    const ACTION: Action = Action::ManageOwnKeys;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Perform for CreateKey {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<CreatedKey> {
        let Self {
            id,
            name,
            key_hash,
            key_hint,
        } = self;
        let (tenant, username) = owner(work)?;
        let held = user_key::Entity::find()
            .filter(user_key::Column::Tenant.eq(tenant.clone()))
            .filter(user_key::Column::Username.eq(username.clone()))
            .filter(user_key::Column::RevokedAt.is_null())
            .count(work.tx)
            .await?;
        if held >= MAX_KEYS {
            return Err(StoreError::LimitReached(format!(
                "You have {MAX_KEYS} API keys; revoke one first."
            )));
        }
        user_key::Entity::insert(
            user_key::Model {
                tenant: tenant.clone(),
                username: username.clone(),
                id: id.clone(),
                name: name.clone(),
                key_hash,
                key_hint,
                actor_epoch: i64::from(work.caller.actor_epoch().unwrap_or(0)),
                created_at: work.now.0,
                revoked_at: None,
            }
            .into_active_model()
            .reset_all(),
        )
        .exec_without_returning(work.tx)
        .await?;
        work.chain = tenant;
        work.audit.target = format!("key:{id}");
        work.audit
            .detail
            .insert("name".to_owned(), name.clone().into());
        Ok(CreatedKey { id, name })
    }
}

impl Governed for RevokeKey {
    type Outcome = RevokedKey;
    const ACTION: Action = Action::ManageOwnKeys;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Perform for RevokeKey {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<RevokedKey> {
        let Self { id } = self;
        let (tenant, username) = owner(work)?;
        let row = user_key::Entity::find_by_id((tenant.clone(), username, id.clone()))
            .one(work.tx)
            .await?
            .ok_or_else(|| StoreError::NotFound(format!("The API key `{id}`")))?;
        work.unchanged = row.revoked_at.is_some();
        if !work.unchanged {
            let mut row = row.into_active_model();
            row.revoked_at = Set(Some(work.now.0));
            row.update(work.tx).await?;
            work.effects.push(Effect::UserKeyRevoked(id.clone()));
        }
        work.chain = tenant;
        work.audit.target = format!("key:{id}");
        Ok(RevokedKey {
            id,
            unchanged: work.unchanged,
        })
    }
}

/// Whose keys these are: the tenant column and the username.
fn owner(work: &Work<'_>) -> StoreResult<(String, String)> {
    let username = work.caller.username().ok_or_else(|| {
        StoreError::Internal("a caller without a username manages keys".to_owned())
    })?;
    Ok((tenant_key(work.caller.tenant()), username.to_string()))
}
