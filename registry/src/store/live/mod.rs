//! What decides whether something is *still* allowed, held in memory: ended authority, recalls, scope versions, the
//! active context schema.
//!
//! The database is the truth; this is a copy that is loaded whole at start and changed after each
//! commit and before its acknowledgement, while the writer is still held. So whoever reads it after
//! an acknowledgement sees the write (design §6, invariant 19).

mod load;
mod observed;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use vestry_policies::{PrincipalKind, Scope};

use super::rows::{RECALL_NONE, ScopeKey};
use super::templates::ActiveSchema;
use crate::clock::Micros;
use crate::identity::{Caller, HUMAN_TTL_SECONDS, MAX_ELEVATION_SECONDS};

pub(super) use observed::{Details, Observed, Seen};

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

impl Live {
    /// The number of the active schema.
    pub(super) fn schema_number(&self) -> i64 {
        self.read().schema.number
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
