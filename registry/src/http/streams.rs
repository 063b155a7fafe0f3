//! How many streams of events are open at a time, for each principal and in all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::problem::Problem;
use crate::identity::Caller;

/// How long a refused client is asked to wait, in seconds.
const RETRY_AFTER: u64 = 15;

/// The limits of streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamLimits {
    /// The most streams of one principal.
    pub per_principal: usize,
    /// The most streams of one tenant, whoever its principals are.
    pub per_tenant: usize,
    /// The most streams in all.
    pub in_all: usize,
    /// How often a stream that has nothing to say shows that it lives, and looks whether it still may.
    pub beat: Duration,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            per_principal: 10,
            per_tenant: 250,
            in_all: 1_000,
            beat: Duration::from_secs(15),
        }
    }
}

/// The open streams. Clones are one handle.
#[derive(Debug, Clone)]
pub struct Streams {
    limits: StreamLimits,
    open: Arc<Mutex<Open>>,
}

/// Tenant, principal, and the actor that it acts for.
type Key = (Option<String>, String, Option<String>);

#[derive(Debug, Default)]
struct Open {
    all: usize,
    by_principal: HashMap<Key, usize>,
    by_tenant: HashMap<Option<String>, usize>,
}

/// The place of one stream; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    streams: Streams,
    key: Key,
}

impl Streams {
    /// No streams yet.
    #[must_use]
    pub fn new(limits: StreamLimits) -> Self {
        Self {
            limits,
            open: Arc::default(),
        }
    }

    /// How often a stream shows that it lives.
    pub(super) fn beat(&self) -> Duration {
        self.limits.beat
    }

    /// Takes a place for a stream of the caller.
    ///
    /// # Errors
    /// [`Problem::TooManyRequests`] when the caller has as many as it may have, [`Problem::Busy`] when the server has.
    pub(super) fn open(&self, caller: &Caller) -> Result<Place, Problem> {
        let key: Key = (
            caller.tenant().map(ToString::to_string),
            caller.principal_text().to_owned(),
            caller.acts_for().map(ToString::to_string),
        );
        let mut open = self.lock();
        let own = open.by_principal.get(&key).copied().unwrap_or(0);
        let of_tenant = open.by_tenant.get(&key.0).copied().unwrap_or(0);
        if own >= self.limits.per_principal || of_tenant >= self.limits.per_tenant {
            return Err(Problem::TooManyRequests {
                retry_after: RETRY_AFTER,
            });
        }
        if open.all >= self.limits.in_all {
            return Err(Problem::Busy {
                detail: "The server has as many streams open as it holds. Try again later, or ask with `wait=0`."
                    .into(),
                retry_after: RETRY_AFTER,
            });
        }
        open.all += 1;
        open.by_principal.insert(key.clone(), own + 1);
        open.by_tenant.insert(key.0.clone(), of_tenant + 1);
        drop(open);
        Ok(Place {
            streams: self.clone(),
            key,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.lock();
        open.all = open.all.saturating_sub(1);
        if let Some(own) = open.by_principal.get_mut(&self.key) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                open.by_principal.remove(&self.key);
            }
        }
        if let Some(of_tenant) = open.by_tenant.get_mut(&self.key.0) {
            *of_tenant = of_tenant.saturating_sub(1);
            if *of_tenant == 0 {
                open.by_tenant.remove(&self.key.0);
            }
        }
    }
}
