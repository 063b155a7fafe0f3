//! How many bytes of files are held in memory at once, in all and for one tenant: slow clients and large files must not
//! take the memory, nor one tenant the turn of all others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::store::error::{StoreError, StoreResult};

/// What permits count, in bytes.
const UNIT: u64 = 64 << 10;
/// The most bytes in one direction.
const MOST: u64 = 128 << 20;
/// The most of those for one tenant.
const MOST_OF_TENANT: u64 = MOST / 2;

/// Room for bytes in memory; given back when it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Reservation(
    #[expect(dead_code, reason = "the permits live as long as the reservation")]
    [OwnedSemaphorePermit; 2],
);

/// The room for bytes that go in one direction.
#[derive(Debug)]
pub(in crate::store) struct Transfers {
    all: Arc<Semaphore>,
    tenants: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl Transfers {
    pub(in crate::store) fn new() -> Self {
        Self {
            all: Arc::new(Semaphore::new(units(MOST) as usize)),
            tenants: Mutex::default(),
        }
    }

    /// Waits for room for so many bytes.
    pub(in crate::store) async fn reserve(
        &self,
        tenant: &str,
        bytes: u64,
    ) -> StoreResult<Reservation> {
        let wanted = units(bytes.min(MOST_OF_TENANT));
        // The tenant's own queue comes first, so that what waits there takes nothing from others.
        let own = self.of_tenant(tenant);
        let own = own.acquire_many_owned(wanted).await;
        let all = Arc::clone(&self.all).acquire_many_owned(wanted).await;
        match (own, all) {
            (Ok(own), Ok(all)) => Ok(Reservation([own, all])),
            // Nobody closes them.
            _ => Err(StoreError::Busy),
        }
    }

    fn of_tenant(&self, tenant: &str) -> Arc<Semaphore> {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = tenants.get(tenant).and_then(Weak::upgrade) {
            return own;
        }
        tenants.retain(|_, known| known.strong_count() > 0);
        let own = Arc::new(Semaphore::new(units(MOST_OF_TENANT) as usize));
        tenants.insert(tenant.to_owned(), Arc::downgrade(&own));
        own
    }
}

/// How many permits stand for so many bytes.
fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT))
        .unwrap_or(u32::MAX)
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn is_free(transfers: &Transfers, tenant: &str, bytes: u64) -> bool {
        let wanted = transfers.reserve(tenant, bytes);
        tokio::time::timeout(std::time::Duration::from_millis(20), wanted)
            .await
            .is_ok()
    }

    #[tokio::test]
    async fn one_tenant_leaves_room_for_others_and_gets_its_own_back() {
        let transfers = Transfers::new();
        let held = transfers.reserve("acme", MOST_OF_TENANT).await.unwrap();
        assert!(!is_free(&transfers, "acme", 1).await);
        assert!(is_free(&transfers, "globex", MOST_OF_TENANT).await);
        let other = transfers.reserve("globex", MOST_OF_TENANT).await.unwrap();
        assert!(!is_free(&transfers, "initech", 1).await);
        drop(other);
        assert!(is_free(&transfers, "initech", 1).await);
        drop(held);
        assert!(is_free(&transfers, "acme", MOST_OF_TENANT).await);
        assert!(transfers.tenants.lock().unwrap().len() <= 3);
    }
}
