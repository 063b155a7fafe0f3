//! Work that many want at once, done once.
//!
//! After a write, everyone who asks for a catalog finds that a scope has to be read again. One of them reads, the others
//! wait for what it reads, unless it may have begun before the write that they have to see.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

use crate::store::error::StoreResult;

/// What is being done, by key.
pub(super) struct Flights<K, V>(Mutex<HashMap<K, Flight<V>>>);

struct Flight<V> {
    /// What it is sure to see: everything up to this count or version.
    sees: u64,
    outcome: Arc<OnceCell<V>>,
}

impl<K, V> Default for Flights<K, V> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Flights<K, V> {
    /// The outcome of the work for `key`, by whoever does it; it sees everything up to `sees`.
    ///
    /// INVARIANT: `sees` was read before this call, and the work begins after the flight was entered. So whoever joins a
    /// flight that sees as much as it needs gets nothing older than its own work would give.
    ///
    /// # Errors
    /// Those of the work; the next who waits then tries itself.
    pub(super) async fn join<F>(
        &self,
        key: &K,
        sees: u64,
        work: impl FnOnce() -> F,
    ) -> StoreResult<V>
    where
        F: Future<Output = StoreResult<V>>,
    {
        let outcome = {
            let mut flights = self.flights();
            match flights.get(key) {
                Some(flight) if flight.sees >= sees => Arc::clone(&flight.outcome),
                _ => {
                    let outcome = Arc::default();
                    let flight = Flight {
                        sees,
                        outcome: Arc::clone(&outcome),
                    };
                    flights.insert(key.clone(), flight);
                    outcome
                }
            }
        };
        // Leaves the flight also when whoever asked goes away.
        let _leaving = Leaving {
            flights: self,
            key,
            outcome: &outcome,
        };
        outcome.get_or_try_init(work).await.cloned()
    }

    fn flights(&self) -> MutexGuard<'_, HashMap<K, Flight<V>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whoever leaves takes a flight with an outcome, or without anyone else, from the list: the outcome is in a cache by then.
struct Leaving<'a, K: Clone + Eq + Hash, V: Clone> {
    flights: &'a Flights<K, V>,
    key: &'a K,
    outcome: &'a Arc<OnceCell<V>>,
}

impl<K: Clone + Eq + Hash, V: Clone> Drop for Leaving<'_, K, V> {
    fn drop(&mut self) {
        let mut flights = self.flights.flights();
        if let Some(flight) = flights.get(self.key)
            && Arc::ptr_eq(&flight.outcome, self.outcome)
            // The list's, and this one's.
            && (self.outcome.initialized() || Arc::strong_count(self.outcome) <= 2)
        {
            flights.remove(self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use tokio::sync::Semaphore;

    use super::*;
    use crate::store::error::StoreError;

    #[tokio::test]
    async fn many_wait_for_one_and_nobody_for_what_is_too_old() {
        let flights: Arc<Flights<&str, u64>> = Arc::default();
        let gate = Arc::new(Semaphore::new(0));
        let done = Arc::new(AtomicU64::new(0));
        let ask = |sees: u64| {
            let (flights, gate, done) =
                (Arc::clone(&flights), Arc::clone(&gate), Arc::clone(&done));
            tokio::spawn(async move {
                let work = async || {
                    gate.acquire().await.unwrap().forget();
                    Ok(done.fetch_add(1, Ordering::SeqCst) + 1)
                };
                flights.join(&"key", sees, work).await.unwrap()
            })
        };
        let old: Vec<_> = (0..10).map(|_| ask(1)).collect();
        tokio::task::yield_now().await;
        let new: Vec<_> = (0..10).map(|_| ask(2)).collect();
        tokio::task::yield_now().await;
        gate.add_permits(2);
        let mut outcomes = Vec::new();
        for task in old {
            outcomes.push(task.await.unwrap());
        }
        assert_eq!(outcomes, [1; 10]);
        for task in new {
            assert_eq!(task.await.unwrap(), 2);
        }
        assert!(flights.flights().is_empty());
    }

    #[tokio::test]
    async fn a_failure_and_a_client_that_leaves_keep_nobody_waiting() {
        let flights: Flights<&str, u64> = Flights::default();
        let failed = flights
            .join(&"key", 1, async || Err(StoreError::Busy))
            .await;
        assert!(failed.is_err());
        assert!(flights.flights().is_empty());
        let left = flights.join(&"key", 1, std::future::pending);
        let patience = std::time::Duration::from_millis(10);
        assert!(tokio::time::timeout(patience, left).await.is_err());
        assert!(flights.flights().is_empty());
        assert_eq!(flights.join(&"key", 1, async || Ok(3)).await.unwrap(), 3);
    }
}
