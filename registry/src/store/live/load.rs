//! What a process starts with.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, RwLock};

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};

use super::{ActorAuthority, Live, LiveSettings, ServiceAuthority, State};
use crate::store::entity;
use crate::store::error::StoreResult;
use crate::store::rows::{RECALL_NONE, ScopeKey, item_of, unsigned};
use crate::store::templates::ActiveSchema;

impl Live {
    /// Reads the whole live state from the database.
    pub(in crate::store) async fn load<C: ConnectionTrait>(db: &C) -> StoreResult<Self> {
        let mut state = State::default();
        for row in entity::actor_epoch::Entity::find().all(db).await? {
            state.actors.entry(row.tenant).or_default().insert(
                row.actor,
                ActorAuthority {
                    epoch: row.epoch,
                    ended: row.ended,
                    head: 0,
                },
            );
        }
        for row in entity::service::Entity::find().all(db).await? {
            state.services.insert(
                row.id,
                ServiceAuthority {
                    epoch: row.epoch,
                    revoked: row.revoked_at.is_some(),
                    head: 0,
                },
            );
        }
        let ended = entity::session::Entity::find()
            .filter(entity::session::Column::RevokedAt.is_not_null())
            .all(db)
            .await?;
        state.ended_sessions = ended
            .into_iter()
            .map(|row| (row.id, row.expires_at))
            .collect();
        let keys: Vec<String> = entity::user_key::Entity::find()
            .select_only()
            .column(entity::user_key::Column::Id)
            .filter(entity::user_key::Column::RevokedAt.is_not_null())
            .into_tuple()
            .all(db)
            .await?;
        state.revoked_user_keys = keys.into_iter().map(|id| (id, ())).collect();
        // Greater, not other: an index finds those.
        let recalled = entity::revision::Entity::find()
            .filter(entity::revision::Column::Recall.gt(RECALL_NONE))
            .all(db)
            .await?;
        for row in recalled {
            let scope = ScopeKey {
                tenant: row.tenant,
                kind: row.scope_kind,
                id: row.scope_id,
            };
            let number = unsigned(row.number, "number")?;
            let name = item_of(row.kind, &row.name)?.to_string();
            state.recalled.insert((scope, name, number), row.recall);
        }
        let attaching: Vec<(String, String, i16, String)> = entity::role_attachment::Entity::find()
            .select_only()
            .column(entity::role_attachment::Column::Role)
            .column(entity::role_attachment::Column::Tenant)
            .column(entity::role_attachment::Column::ScopeKind)
            .column(entity::role_attachment::Column::ScopeId)
            .distinct()
            .into_tuple()
            .all(db)
            .await?;
        for (role, tenant, kind, id) in attaching {
            let scopes = state.attaching.entry(role).or_default();
            scopes.insert(ScopeKey { tenant, kind, id });
        }
        for row in entity::tenant::Entity::find().all(db).await? {
            let settings = LiveSettings {
                max_cap: usize::try_from(row.max_cap).unwrap_or(0),
                head: 0,
            };
            state.settings.insert(row.tenant, settings);
        }
        state.schema = Arc::new(ActiveSchema::load(db).await?);
        Ok(Self {
            state: RwLock::new(state),
            scope_changes: AtomicU64::new(0),
        })
    }

    /// What a process starts with that others write beside: nothing but the schema. The rest is observed with each request.
    pub(in crate::store) async fn load_shared<C: ConnectionTrait>(db: &C) -> StoreResult<Self> {
        let state = State {
            schema: Arc::new(ActiveSchema::load(db).await?),
            ..State::default()
        };
        Ok(Self {
            state: RwLock::new(state),
            scope_changes: AtomicU64::new(0),
        })
    }
}
