//! Idempotency keys: the same key and payload have one effect (invariant 20). A key is bound to its principal and its
//! route, lives for 24 hours, and its outcome is written in the transaction of the effect.

use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::entity::idempotency_key;
use super::error::{StoreError, StoreResult};
use super::rows::tenant_key;
use crate::clock::Micros;
use crate::identity::{Caller, KeyRings, keyed_digest};

/// How long a key is remembered, in seconds.
pub(super) const LIFETIME_SECONDS: i64 = 24 * 60 * 60;

/// A request that may be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// The client's key.
    pub key: String,
    /// Method and path, so that one key for two routes is two keys.
    pub route: String,
    /// The digest of the payload.
    pub payload: String,
    /// The route of the whole request, when this is one of several parts that are done one by one: their routes begin with
    /// it. The first part that is done binds the key, for all of them, to the payload.
    pub part_of: Option<String>,
}

type Key = (String, String, String, String);

fn key_of(caller: &Caller, request: &IdempotentRequest) -> Key {
    // One agent that acts for two actors is two principals.
    let principal = match caller.acts_for() {
        Some(actor) => format!("{} for {actor}", caller.principal_text()),
        None => caller.principal_text().to_owned(),
    };
    (
        tenant_key(caller.tenant()),
        principal,
        request.route.clone(),
        request.key.clone(),
    )
}

/// What is kept of a payload: a digest under a key that is not in the database, because payloads may hold passwords.
/// Where the key has been rotated since, a repetition counts as another payload.
fn keyed(request: &IdempotentRequest, rings: &KeyRings) -> StoreResult<String> {
    keyed_digest(rings, request.payload.as_bytes())
        .map_err(|error| StoreError::Internal(error.to_string()))
}

/// What the request gave when it was made before; nothing when it was not.
pub(super) async fn recall<C: ConnectionTrait, T: DeserializeOwned>(
    tx: &C,
    caller: &Caller,
    request: &IdempotentRequest,
    now: Micros,
    rings: &KeyRings,
) -> StoreResult<Option<T>> {
    if request.part_of.is_some() {
        refuse_other_payload(tx, caller, request, now, rings).await?;
    }
    let row = idempotency_key::Entity::find_by_id(key_of(caller, request))
        .one(tx)
        .await?;
    match row {
        Some(row) if Micros(row.created_at).plus_seconds(LIFETIME_SECONDS) > now => {
            if row.payload == keyed(request, rings)? {
                Ok(Some(serde_json::from_str(&row.outcome)?))
            } else {
                Err(StoreError::IdempotencyMismatch)
            }
        }
        _ => Ok(None),
    }
}

/// Refuses a part of a request whose key was used, by any part, with another payload.
async fn refuse_other_payload<C: ConnectionTrait>(
    tx: &C,
    caller: &Caller,
    request: &IdempotentRequest,
    now: Micros,
    rings: &KeyRings,
) -> StoreResult<()> {
    let Some(whole) = &request.part_of else {
        return Ok(());
    };
    let (tenant, principal, _, key) = key_of(caller, request);
    let begin = format!("{whole} ");
    // `!` is the character after the space, so that these are the routes that begin with it.
    let end = format!("{whole}!");
    let others = idempotency_key::Entity::find()
        .filter(idempotency_key::Column::Tenant.eq(tenant))
        .filter(idempotency_key::Column::Principal.eq(principal))
        .filter(idempotency_key::Column::Route.gte(begin))
        .filter(idempotency_key::Column::Route.lt(end))
        .filter(idempotency_key::Column::Key.eq(key))
        .filter(idempotency_key::Column::CreatedAt.gt(now.plus_seconds(-LIFETIME_SECONDS).0))
        .filter(idempotency_key::Column::Payload.ne(keyed(request, rings)?))
        .count(tx)
        .await?;
    if others == 0 {
        Ok(())
    } else {
        Err(StoreError::IdempotencyMismatch)
    }
}

/// Writes what the request gave.
pub(super) async fn remember<C: ConnectionTrait, T: Serialize>(
    tx: &C,
    caller: &Caller,
    request: &IdempotentRequest,
    outcome: &T,
    now: Micros,
    rings: &KeyRings,
) -> StoreResult<()> {
    let key = key_of(caller, request);
    idempotency_key::Entity::delete_by_id(key.clone())
        .exec(tx)
        .await?;
    let (tenant, principal, route, key) = key;
    idempotency_key::Entity::insert(idempotency_key::ActiveModel {
        tenant: Set(tenant),
        principal: Set(principal),
        route: Set(route),
        key: Set(key),
        payload: Set(keyed(request, rings)?),
        outcome: Set(serde_json::to_string(outcome)?),
        created_at: Set(now.0),
    })
    .exec_without_returning(tx)
    .await?;
    Ok(())
}
