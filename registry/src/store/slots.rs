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
    _held: Arc<[OwnedSemaphorePermit; 3]>,
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
        let acts_for = caller.acts_for().map(ToString::to_string);
        let principal = format!(
            "{tenant} {} {}",
            caller.principal_text(),
            acts_for.unwrap_or_default()
        );
        self.take_as(principal, tenant).await
    }

    async fn take_as(&self, principal: String, tenant: String) -> StoreResult<Slot> {
        // In this order: whoever waits for its own turn is in nobody's way.
        let principal = hold(self.queue(principal)).await?;
        let tenant = hold(self.queue(tenant)).await?;
        let one = hold(Arc::clone(&self.all)).await?;
        Ok(Slot {
            _held: Arc::new([principal, tenant, one]),
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

impl Slot {
    /// Does work on another thread, which holds the slot until it is done.
    pub(super) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> StoreResult<T> {
        let held = move || {
            let done = work();
            drop(self);
            done
        };
        tokio::task::spawn_blocking(held)
            .await
            .map_err(|error| StoreError::Internal(format!("work ended early: {error}")))
    }
}

async fn hold(queue: Arc<Semaphore>) -> StoreResult<OwnedSemaphorePermit> {
    queue.acquire_owned().await.map_err(|_| StoreError::Busy)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Whether a slot is there at once.
    async fn is_free(slots: &Slots, principal: &str, tenant: &str) -> bool {
        let taken = slots.take_as(principal.to_owned(), tenant.to_owned());
        tokio::time::timeout(Duration::from_millis(50), taken)
            .await
            .is_ok()
    }

    async fn take(slots: &Slots, principal: &str, tenant: &str) -> Slot {
        slots
            .take_as(principal.to_owned(), tenant.to_owned())
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn no_caller_and_no_tenant_has_more_than_one() {
        let slots = Slots::new(2);
        let first = take(&slots, "acme tom", "acme").await;
        assert!(!is_free(&slots, "acme tom", "acme").await);
        assert!(!is_free(&slots, "acme mia", "acme").await);
        assert!(is_free(&slots, "globex gus", "globex").await);
        drop(first);
        assert!(is_free(&slots, "acme mia", "acme").await);
        // There are no more than there are, for whoever asks.
        let _one = take(&slots, "acme tom", "acme").await;
        let _two = take(&slots, "globex gus", "globex").await;
        assert!(!is_free(&slots, "initech zoe", "initech").await);
    }

    /// A client that leaves drops the future that waits for the work, and the work goes on.
    #[tokio::test]
    async fn work_holds_its_slot_when_nobody_waits_for_it() {
        let slots = Slots::new(2);
        let (go, gate) = mpsc::channel::<()>();
        let slot = take(&slots, "acme tom", "acme").await;
        let work = slot.run(move || gate.recv());
        assert!(
            tokio::time::timeout(Duration::from_millis(20), work)
                .await
                .is_err()
        );
        assert!(!is_free(&slots, "acme tom", "acme").await);
        go.send(()).unwrap();
        tokio::time::timeout(Duration::from_secs(10), take(&slots, "acme tom", "acme"))
            .await
            .unwrap();
    }
}
