//! Slots for work that takes a processor: so many at once, of which no caller and no tenant has more than one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::{StoreError, StoreResult};
use super::rows::tenant_key;
use crate::identity::Caller;

/// Beyond so many waiting callers those that are gone are forgotten.
const REMEMBERED: usize = 1_024;

/// The slots. Whoever waits for one waits behind others of its kind first, so that nobody's queue is in front of everyone.
#[derive(Debug)]
pub(super) struct Slots {
    all: Arc<Semaphore>,
    queues: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// A slot; given back when the last clone is dropped. Work on another thread holds one: a client that leaves does not end
/// that work, and must not make room for more of it.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    _held: Arc<[(OwnedSemaphorePermit, Option<Arc<Semaphore>>); 3]>,
}

impl Slots {
    pub(super) fn new(at_once: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(at_once)),
            queues: Mutex::default(),
        }
    }

    /// Waits for a slot of this caller's.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when there are no more slots, because the store ends.
    pub(super) async fn take(&self, caller: &Caller) -> StoreResult<Slot> {
        let tenant = tenant_key(caller.tenant());
        let principal = format!(
            "{tenant} {} {}",
            caller.principal_text(),
            caller
                .acts_for()
                .map(ToString::to_string)
                .unwrap_or_default()
        );
        let (principal, tenant) = (self.queue(principal), self.queue(tenant));
        let first = hold(&principal).await?;
        let second = hold(&tenant).await?;
        let third = hold(&self.all).await?;
        Ok(Slot {
            _held: Arc::new([
                (first, Some(principal)),
                (second, Some(tenant)),
                (third, None),
            ]),
        })
    }

    fn queue(&self, key: String) -> Arc<Semaphore> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = queues.get(&key).and_then(Weak::upgrade) {
            return queue;
        }
        if queues.len() >= REMEMBERED {
            queues.retain(|_, queue| queue.strong_count() > 0);
        }
        let queue = Arc::new(Semaphore::new(1));
        queues.insert(key, Arc::downgrade(&queue));
        queue
    }
}

async fn hold(queue: &Arc<Semaphore>) -> StoreResult<OwnedSemaphorePermit> {
    Arc::clone(queue)
        .acquire_owned()
        .await
        .map_err(|_| StoreError::Busy)
}
