//! Taking in what requests find in the database, where other processes write to it too: in whatever order they come, an older
//! observation never takes the place of a newer one.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{ActorAuthority, Live, LiveSettings, ServiceAuthority, State};
use crate::store::rows::ScopeKey;
use crate::store::templates::ActiveSchema;

/// What a request found in the database about its caller, all of one snapshot.
#[derive(Debug, Default)]
pub(in crate::store) struct Observed {
    pub(in crate::store) tenant: String,
    /// The last record of the tenant's chain: of two observations that with the lower one is the older.
    pub(in crate::store) head: i64,
    pub(in crate::store) versions: Vec<(ScopeKey, i64)>,
    pub(in crate::store) actor: Option<Seen>,
    pub(in crate::store) service: Option<Seen>,
    /// The session that has ended, and when its tokens would have.
    pub(in crate::store) ended_session: Option<(String, i64)>,
    pub(in crate::store) revoked_key: Option<String>,
    /// None where there is no such tenant.
    pub(in crate::store) max_cap: Option<i64>,
}

/// The authority of an actor or a service, as its row has it.
#[derive(Debug)]
pub(in crate::store) struct Seen {
    id: String,
    /// None where there is no row.
    state: Option<(i64, bool)>,
}

impl Seen {
    /// Of whom there is an id.
    pub(in crate::store) fn of(id: &str, epoch: Option<i64>, ended: Option<bool>) -> Option<Self> {
        (!id.is_empty()).then(|| Self {
            id: id.to_owned(),
            state: epoch.zip(ended),
        })
    }
}

/// What changes with the version of a scope and is asked by more than its catalogs.
#[derive(Debug)]
pub(in crate::store) struct Details {
    pub(in crate::store) scope: ScopeKey,
    pub(in crate::store) version: i64,
    /// Name, number and recall.
    pub(in crate::store) recalled: Vec<(String, u32, i16)>,
    /// The roles that the scope attaches skills to.
    pub(in crate::store) roles: Vec<String>,
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
    /// Takes in what a request observed; gives the scopes whose details are older than that. An observation that is older
    /// than what is known changes nothing.
    pub(in crate::store) fn observe(&self, observed: Observed) -> Vec<ScopeKey> {
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
    pub(in crate::store) fn take_details(&self, details: Details) {
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

    /// Takes in the schema that is active, unless a later one is known.
    pub(in crate::store) fn take_schema(&self, schema: ActiveSchema) {
        let mut state = self.write();
        if schema.number > state.schema.number {
            state.schema = Arc::new(schema);
        }
    }
}
