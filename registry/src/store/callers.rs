//! From a bearer credential to a caller whose authority still stands.

use quick_cache::sync::Cache;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use sha2::{Digest as _, Sha256};
use vestry_policies::{TenantId, Username};

use super::Store;
use super::audit::hex;
use super::entity::{service, user_key};
use super::error::{StoreError, StoreResult};
use super::rows::{tenant_of, unsigned};
use super::staleness::Freshness;
use super::tenant_set::TenantSet;
use crate::identity::Caller;
use crate::identity::jwt::has_ended;
use crate::identity::{ApiKey, KeyKind};

/// How many verified credentials are remembered.
const REMEMBERED: usize = 50_000;

/// Verified credentials, by their SHA-256: no secret is kept. An entry says that the signature, or the key, was right;
/// everything that can end is asked live.
pub(super) struct CallerCache(Cache<[u8; 32], Caller>);

impl CallerCache {
    pub(super) fn new() -> Self {
        Self(Cache::new(REMEMBERED))
    }
}

/// What authenticating gives.
#[derive(Debug)]
pub enum Authenticated {
    /// The caller.
    Caller(Caller),
    /// The credential is not valid, or not any more.
    Invalid,
    /// The credential is valid, but the authority behind it has ended.
    AuthorityEnded,
}

impl Store {
    /// Authenticates a bearer credential: an access token or an API key.
    ///
    /// # Errors
    /// When the database cannot be asked; [`StoreError::Conflict`] when it does not have the version that is asked for.
    pub async fn authenticate(
        &self,
        bearer: &str,
        freshness: Freshness,
    ) -> StoreResult<Authenticated> {
        let key: [u8; 32] = Sha256::digest(bearer).into();
        let caller = match self.inner.callers.0.get(&key) {
            Some(caller) => caller,
            None => {
                let verified = if ApiKey::looks_like(bearer) {
                    Box::pin(self.caller_of_key(bearer)).await?
                } else {
                    self.inner.identity.verify_access(bearer).ok()
                };
                let Some(caller) = verified else {
                    return Ok(Authenticated::Invalid);
                };
                self.inner.callers.0.insert(key, caller.clone());
                caller
            }
        };
        if caller
            .expires_at()
            .is_some_and(|expires_at| has_ended(expires_at, self.inner.clock.now()))
        {
            self.inner.callers.0.remove(&key);
            return Ok(Authenticated::Invalid);
        }
        self.catch_up(&caller, key, freshness).await?;
        if !self.inner.live.authority_stands(&caller) {
            return Ok(Authenticated::AuthorityEnded);
        }
        Ok(Authenticated::Caller(caller))
    }

    async fn caller_of_key(&self, bearer: &str) -> StoreResult<Option<Caller>> {
        // A mistyped key has the wrong checksum and costs no query.
        let Ok(key) = ApiKey::parse(bearer) else {
            return Ok(None);
        };
        let hash = hex(&key.hash());
        // The tenant is what is looked for.
        let reading = self.inner.reader.statements(&TenantSet::Every).await?;
        match key.kind() {
            KeyKind::Service => {
                let row = service::Entity::find()
                    .filter(service::Column::KeyHash.eq(hash))
                    .one(&reading)
                    .await?;
                let Some(row) = row else { return Ok(None) };
                let (Some(verified), Some(tenant)) =
                    (matches(&key, &row.key_hash), tenant_of(&row.tenant)?)
                else {
                    return Ok(None);
                };
                let epoch = unsigned(row.epoch, "epoch")?;
                Ok(Caller::from_service_key(&verified, &row.id, tenant, epoch))
            }
            KeyKind::User => {
                let row = user_key::Entity::find()
                    .filter(user_key::Column::KeyHash.eq(hash))
                    .one(&reading)
                    .await?;
                let Some(row) = row else { return Ok(None) };
                let Some(verified) = matches(&key, &row.key_hash) else {
                    return Ok(None);
                };
                let username = Username::parse(&row.username).map_err(|error| {
                    StoreError::Internal(format!("a stored username is no id: {error}"))
                })?;
                let tenant: Option<TenantId> = tenant_of(&row.tenant)?;
                let epoch = unsigned(row.actor_epoch, "actor_epoch")?;
                Ok(Caller::from_user_key(
                    &verified, username, tenant, &row.id, epoch,
                ))
            }
        }
    }
}

/// Compares the key with the stored hash in constant time, although the row was found by it.
fn matches(key: &ApiKey, stored: &str) -> Option<crate::identity::VerifiedKey> {
    let bytes = vestry_policies::Digest::parse(&format!("sha256:{stored}"))?;
    key.matches(&bytes.0)
}
