//! What decides whether something is *still* allowed, held in memory: ended authority, recalls, scope versions, the
//! active context schema.
//!
//! The database is the truth; this is a copy that is loaded whole at start and changed after each
//! commit and before its acknowledgement, while the writer is still held. So whoever reads it after
//! an acknowledgement sees the write (design §6, invariant 19).

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use vestry_policies::{PrincipalKind, Scope};

use super::entity;
use super::error::StoreResult;
use super::rows::{RECALL_NONE, ScopeKey};
use super::templates::ActiveSchema;
use crate::clock::Micros;
use crate::identity::{Caller, HUMAN_TTL_SECONDS, MAX_ELEVATION_SECONDS};

/// A revision, for recalls: its scope, its name, its number.
pub(super) type RevisionKey = (ScopeKey, String, u32);

/// A tenant's settings that reads look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LiveSettings {
    pub(super) max_cap: usize,
    /// As an actor's.
    pub(super) head: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ActorAuthority {
    epoch: i64,
    ended: bool,
    /// The end of the tenant's chain when it was observed, where other processes write too: of two observations that with the
    /// lower one is the older.
    head: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ServiceAuthority {
    epoch: i64,
    revoked: bool,
    /// As an actor's.
    head: i64,
}

#[derive(Debug, Default)]
struct State {
    scope_versions: HashMap<ScopeKey, i64>,
    actors: HashMap<String, HashMap<String, ActorAuthority>>,
    services: HashMap<String, ServiceAuthority>,
    ended_sessions: HashMap<String, i64>,
    revoked_user_keys: HashMap<String, ()>,
    recalled: HashMap<RevisionKey, i16>,
    settings: HashMap<String, LiveSettings>,
    /// The scopes that attach skills to roles, by role.
    attaching: HashMap<String, HashSet<ScopeKey>>,
    schema: Arc<ActiveSchema>,
    /// Where other processes write too: the version of each scope that its recalls and attachments were read at.
    detailed: HashMap<ScopeKey, i64>,
}

/// What a request found in the database about its caller, all of one snapshot.
#[derive(Debug, Default)]
pub(super) struct Observed {
    pub(super) tenant: String,
    /// The last record of the tenant's chain: of two observations that with the lower one is the older.
    pub(super) head: i64,
    pub(super) versions: Vec<(ScopeKey, i64)>,
    pub(super) actor: Option<Seen>,
    pub(super) service: Option<Seen>,
    /// The session that has ended, and when its tokens would have.
    pub(super) ended_session: Option<(String, i64)>,
    pub(super) revoked_key: Option<String>,
    /// None where there is no such tenant.
    pub(super) max_cap: Option<i64>,
}

/// The authority of an actor or a service, as its row has it.
#[derive(Debug)]
pub(super) struct Seen {
    id: String,
    /// None where there is no row.
    state: Option<(i64, bool)>,
}

impl Seen {
    /// Of whom there is an id.
    pub(super) fn of(id: &str, epoch: Option<i64>, ended: Option<bool>) -> Option<Self> {
        (!id.is_empty()).then(|| Self {
            id: id.to_owned(),
            state: epoch.zip(ended),
        })
    }
}

/// What changes with the version of a scope and is asked by more than its catalogs.
#[derive(Debug)]
pub(super) struct Details {
    pub(super) scope: ScopeKey,
    pub(super) version: i64,
    /// Name, number and recall.
    pub(super) recalled: Vec<(String, u32, i16)>,
    /// The roles that the scope attaches skills to.
    pub(super) roles: Vec<String>,
}

/// One change to the live state, made by a committed write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    ScopeChanged(ScopeKey, i64),
    /// Whether a scope attaches skills to a role.
    Attachments(ScopeKey, String, bool),
    ActorEpoch {
        tenant: String,
        actor: String,
        epoch: i64,
        ended: bool,
    },
    Service {
        id: String,
        epoch: i64,
        revoked: bool,
    },
    SessionEnded {
        id: String,
        expires_at: i64,
    },
    UserKeyRevoked(String),
    Recall(RevisionKey, i16),
    Settings(String, LiveSettings),
    Schema(Arc<ActiveSchema>),
}

/// The live state.
#[derive(Debug, Default)]
pub(super) struct Live {
    state: RwLock<State>,
    /// Counted up by every change of a scope, while the state is locked.
    scope_changes: AtomicU64,
}

/// Of these scopes at these versions, those whose details are older.
fn behind(state: &State, versions: &[(ScopeKey, i64)]) -> Vec<ScopeKey> {
    versions
        .iter()
        .filter(|(scope, version)| state.detailed.get(scope).copied().unwrap_or(0) < *version)
        .map(|(scope, _)| scope.clone())
        .collect()
}

impl Live {
    /// Reads the whole live state from the database.
    pub(super) async fn load<C: ConnectionTrait>(db: &C) -> StoreResult<Self> {
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
            let number = super::rows::unsigned(row.number, "number")?;
            let name = super::rows::item_of(row.kind, &row.name)?.to_string();
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
    pub(super) async fn load_shared<C: ConnectionTrait>(db: &C) -> StoreResult<Self> {
        let state = State {
            schema: Arc::new(ActiveSchema::load(db).await?),
            ..State::default()
        };
        Ok(Self {
            state: RwLock::new(state),
            scope_changes: AtomicU64::new(0),
        })
    }

    /// Takes in what a request observed; gives the scopes whose details are older than that. An observation that is older
    /// than what is known changes nothing.
    pub(super) fn observe(&self, observed: Observed) -> Vec<ScopeKey> {
        if let Some(behind) = self.knows(&observed) {
            return behind;
        }
        let mut state = self.write();
        for (scope, version) in &observed.versions {
            let known = state.scope_versions.get(scope).copied().unwrap_or(0);
            if *version > known {
                state.scope_versions.insert(scope.clone(), *version);
                self.scope_changes.fetch_add(1, Ordering::SeqCst);
            }
        }
        if let Some((id, expires_at)) = observed.ended_session {
            state.ended_sessions.insert(id, expires_at);
        }
        if let Some(id) = observed.revoked_key {
            state.revoked_user_keys.insert(id, ());
        }
        let head = observed.head;
        if let Some(Seen { id, state: seen }) = observed.actor {
            let actors = state.actors.entry(observed.tenant.clone()).or_default();
            if actors.get(&id).is_none_or(|known| head >= known.head) {
                match seen {
                    Some((epoch, ended)) => {
                        let authority = ActorAuthority { epoch, ended, head };
                        actors.insert(id, authority);
                    }
                    None => {
                        actors.remove(&id);
                    }
                }
            }
        }
        if let Some(Seen { id, state: seen }) = observed.service {
            let known = state.services.get(&id);
            if known.is_none_or(|known| head >= known.head) {
                match seen {
                    Some((epoch, revoked)) => {
                        let authority = ServiceAuthority {
                            epoch,
                            revoked,
                            head,
                        };
                        state.services.insert(id, authority);
                    }
                    None => {
                        state.services.remove(&id);
                    }
                }
            }
        }
        if let Some(max_cap) = observed.max_cap {
            let known = state.settings.get(&observed.tenant);
            if known.is_none_or(|known| head >= known.head) {
                let max_cap = usize::try_from(max_cap).unwrap_or(0);
                let settings = LiveSettings { max_cap, head };
                state.settings.insert(observed.tenant, settings);
            }
        }
        behind(&state, &observed.versions)
    }

    /// Where an observation says nothing new, which is nearly always: the scopes whose details are older.
    fn knows(&self, observed: &Observed) -> Option<Vec<ScopeKey>> {
        let state = self.read();
        let actors = state.actors.get(&observed.tenant);
        let is_known = observed.ended_session.is_none()
            && observed.revoked_key.is_none()
            && observed.versions.iter().all(|(scope, version)| {
                state.scope_versions.get(scope).copied().unwrap_or(0) == *version
            })
            && observed.actor.as_ref().is_none_or(|seen| {
                let known = actors.and_then(|actors| actors.get(&seen.id));
                known.map(|known| (known.epoch, known.ended)) == seen.state
                    && known.is_none_or(|known| known.head >= observed.head)
            })
            && observed.service.as_ref().is_none_or(|seen| {
                let known = state.services.get(&seen.id);
                known.map(|known| (known.epoch, known.revoked)) == seen.state
                    && known.is_none_or(|known| known.head >= observed.head)
            })
            && observed.max_cap.is_none_or(|max_cap| {
                let known = state.settings.get(&observed.tenant);
                known.is_some_and(|known| {
                    usize::try_from(max_cap) == Ok(known.max_cap) && known.head >= observed.head
                })
            });
        is_known.then(|| behind(&state, &observed.versions))
    }

    /// Takes in the details of a scope, unless later ones are known.
    pub(super) fn take_details(&self, details: Details) {
        let mut state = self.write();
        let Details {
            scope,
            version,
            recalled,
            roles,
        } = details;
        if state.detailed.get(&scope).copied().unwrap_or(0) > version {
            return;
        }
        state.recalled.retain(|(at, _, _), _| *at != scope);
        for (name, number, recall) in recalled {
            state.recalled.insert((scope.clone(), name, number), recall);
        }
        state.attaching.retain(|_, scopes| {
            scopes.remove(&scope);
            !scopes.is_empty()
        });
        for role in roles {
            state
                .attaching
                .entry(role)
                .or_default()
                .insert(scope.clone());
        }
        // It may be later than what was observed.
        let known = state.scope_versions.get(&scope).copied().unwrap_or(0);
        if version > known {
            state.scope_versions.insert(scope.clone(), version);
            self.scope_changes.fetch_add(1, Ordering::SeqCst);
        }
        state.detailed.insert(scope, version);
    }

    /// The number of the active schema.
    pub(super) fn schema_number(&self) -> i64 {
        self.read().schema.number
    }

    /// Takes in the schema that is active, unless a later one is known.
    pub(super) fn take_schema(&self, schema: ActiveSchema) {
        let mut state = self.write();
        if schema.number > state.schema.number {
            state.schema = Arc::new(schema);
        }
    }

    /// Takes in what a committed write changed. The caller still holds the writer.
    pub(super) fn apply(&self, effects: Vec<Effect>) {
        let mut state = self.write();
        for effect in effects {
            match effect {
                Effect::ScopeChanged(key, version) => {
                    state.scope_versions.insert(key, version);
                    // Before the lock is let go: whoever sees the new count and then asks for a version waits for this one.
                    self.scope_changes.fetch_add(1, Ordering::SeqCst);
                }
                Effect::ActorEpoch {
                    tenant,
                    actor,
                    epoch,
                    ended,
                } => {
                    state.actors.entry(tenant).or_default().insert(
                        actor,
                        ActorAuthority {
                            epoch,
                            ended,
                            head: 0,
                        },
                    );
                }
                Effect::Service { id, epoch, revoked } => {
                    state.services.insert(
                        id,
                        ServiceAuthority {
                            epoch,
                            revoked,
                            head: 0,
                        },
                    );
                }
                Effect::SessionEnded { id, expires_at } => {
                    state.ended_sessions.insert(id, expires_at);
                }
                Effect::UserKeyRevoked(id) => {
                    state.revoked_user_keys.insert(id, ());
                }
                Effect::Recall(revision, RECALL_NONE) => {
                    state.recalled.remove(&revision);
                }
                Effect::Recall(revision, recall) => {
                    state.recalled.insert(revision, recall);
                }
                Effect::Attachments(scope, role, true) => {
                    state.attaching.entry(role).or_default().insert(scope);
                }
                Effect::Attachments(scope, role, false) => {
                    if let Some(scopes) = state.attaching.get_mut(&role) {
                        scopes.remove(&scope);
                        if scopes.is_empty() {
                            state.attaching.remove(&role);
                        }
                    }
                }
                Effect::Settings(tenant, settings) => {
                    state.settings.insert(tenant, settings);
                }
                Effect::Schema(schema) => {
                    state.schema = schema;
                }
            }
        }
    }

    /// Takes in that what a source lists has changed.
    pub(super) fn note_source_change(&self) {
        self.scope_changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether the caller's authority still stands.
    pub(super) fn authority_stands(&self, caller: &Caller) -> bool {
        let state = self.read();
        if let (Some(tenant), Some(actor)) = (caller.tenant(), caller.actor()) {
            let (epoch, ended) = state
                .actors
                .get(tenant.as_str())
                .and_then(|actors| actors.get(actor.as_str()))
                .map_or((0, false), |actor| (actor.epoch, actor.ended));
            if ended || epoch != i64::from(caller.actor_epoch().unwrap_or(0)) {
                return false;
            }
        }
        match caller.kind() {
            PrincipalKind::Human => {
                caller
                    .session_id()
                    .is_none_or(|id| !state.ended_sessions.contains_key(id))
                    && caller
                        .key_id()
                        .is_none_or(|id| !state.revoked_user_keys.contains_key(id))
            }
            PrincipalKind::Agent | PrincipalKind::Service => caller
                .service_id()
                .and_then(|id| state.services.get(id))
                .is_some_and(|service| {
                    !service.revoked
                        && service.epoch == i64::from(caller.service_epoch().unwrap_or(0))
                }),
        }
    }

    /// The epoch of an actor; nothing when its authority has ended.
    pub(super) fn actor_epoch(&self, tenant: &str, actor: &str) -> Option<i64> {
        let state = self.read();
        let authority = state
            .actors
            .get(tenant)
            .and_then(|actors| actors.get(actor));
        match authority {
            Some(ActorAuthority { ended: true, .. }) => None,
            Some(ActorAuthority { epoch, .. }) => Some(*epoch),
            None => Some(0),
        }
    }

    /// The version of a scope that the last write to it made, if one was made since the start.
    pub(super) fn scope_version(&self, key: &ScopeKey) -> Option<i64> {
        self.read().scope_versions.get(key).copied()
    }

    /// How many changes of scopes have been acknowledged, or are about to be. What was current when it was compared with
    /// the versions, after this was read, is current for as long as this stays the same.
    pub(super) fn scope_changes(&self) -> u64 {
        self.scope_changes.load(Ordering::SeqCst)
    }

    /// Whether one of these scopes attaches skills to this role: only then does the role make a difference.
    pub(super) fn attaches(&self, scopes: &[Scope], role: &str) -> bool {
        let state = self.read();
        state.attaching.get(role).is_some_and(|attaching| {
            scopes
                .iter()
                .any(|scope| attaching.contains(&ScopeKey::of(scope)))
        })
    }

    /// Whether a revision is quarantined or revoked.
    pub(super) fn is_recalled(&self, revision: &RevisionKey) -> bool {
        let state = self.read();
        !state.recalled.is_empty() && state.recalled.contains_key(revision)
    }

    /// The settings of a tenant.
    pub(super) fn settings(&self, tenant: &str) -> Option<LiveSettings> {
        self.read().settings.get(tenant).copied()
    }

    /// The active context schema. Whoever does something with it takes it once: it may be another one the next time.
    pub(super) fn schema(&self) -> Arc<ActiveSchema> {
        Arc::clone(&self.read().schema)
    }

    /// Forgets sessions whose tokens have all expired anyway: the last of them may be from just before the session's end.
    pub(super) fn forget_expired(&self, now: Micros) {
        let longest = HUMAN_TTL_SECONDS.max(MAX_ELEVATION_SECONDS);
        self.write()
            .ended_sessions
            .retain(|_, expires_at| Micros(*expires_at).plus_seconds(2 * longest) > now);
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}
