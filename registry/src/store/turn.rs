//! Turns at writing: how many write at once, and of one tenant.
//!
//! On PostgreSQL the writes of one tenant come one after another anyway. So few of them wait in the database, and the rest here:
//! a tenant in which a write does not end takes no connection from the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::error::{StoreError, StoreResult};

/// How long a turn is waited for before somebody is told that the database is busy; a little less than PostgreSQL lets anybody
/// wait for a lock, so that whoever came at the same time is told so before one of those makes room.
const PATIENCE: Duration = Duration::from_secs(9);
/// How many of one tenant are in the database at once: one that writes, and the next.
const OF_ONE: usize = 2;
/// How many tenants are remembered before those of whom nobody writes are forgotten.
const REMEMBERED: usize = 1_000;

/// Turns.
#[derive(Debug)]
pub(super) struct Turns {
    all: Arc<Semaphore>,
    of_tenants: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// A turn at writing.
#[derive(Debug)]
pub(super) struct WriterTurn {
    _all: OwnedSemaphorePermit,
    _of_tenant: Option<OwnedSemaphorePermit>,
}

impl Turns {
    /// So many at once.
    pub(super) fn new(most: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(most)),
            of_tenants: Mutex::default(),
        }
    }

    /// Whether all are taken.
    pub(super) fn are_taken(&self) -> bool {
        self.all.available_permits() == 0
    }

    /// Waits for one, of a tenant where only that is written in.
    pub(super) async fn take(&self, tenant: Option<&str>) -> StoreResult<WriterTurn> {
        let end = Instant::now() + PATIENCE;
        let of_tenant = match tenant {
            Some(tenant) => Some(wait(self.of(tenant), end).await?),
            None => None,
        };
        Ok(WriterTurn {
            _all: wait(Arc::clone(&self.all), end).await?,
            _of_tenant: of_tenant,
        })
    }

    fn of(&self, tenant: &str) -> Arc<Semaphore> {
        let mut of_tenants = self
            .of_tenants
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = of_tenants.get(tenant).and_then(Weak::upgrade) {
            return turns;
        }
        if of_tenants.len() >= REMEMBERED {
            of_tenants.retain(|_, turns| turns.strong_count() > 0);
        }
        let turns = Arc::new(Semaphore::new(OF_ONE));
        of_tenants.insert(tenant.to_owned(), Arc::downgrade(&turns));
        turns
    }
}

async fn wait(turns: Arc<Semaphore>, end: Instant) -> StoreResult<OwnedSemaphorePermit> {
    timeout_at(end, turns.acquire_owned())
        .await
        .map_err(|_| StoreError::Busy)?
        .map_err(|_| StoreError::Busy)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::{OF_ONE, REMEMBERED, Turns};

    const SOON: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn one_tenant_takes_not_all_of_them() {
        let turns = Turns::new(3);
        let mut taken = Vec::new();
        for _ in 0..OF_ONE {
            taken.push(turns.take(Some("a")).await.unwrap());
        }
        assert!(timeout(SOON, turns.take(Some("a"))).await.is_err());
        let other = turns.take(Some("b")).await.unwrap();
        assert!(turns.are_taken());
        assert!(timeout(SOON, turns.take(None)).await.is_err());
        drop(other);
        taken.push(turns.take(None).await.unwrap());
        taken.remove(0);
        timeout(SOON, turns.take(Some("a"))).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn tenants_of_whom_nobody_writes_are_forgotten() {
        let turns = Turns::new(2);
        let kept = turns.take(Some("kept")).await.unwrap();
        for tenant in 0..2 * REMEMBERED {
            turns.take(Some(&tenant.to_string())).await.unwrap();
        }
        let known = turns.of_tenants.lock().unwrap();
        assert!(known.len() <= REMEMBERED && known.contains_key("kept"));
        drop(kept);
    }
}
