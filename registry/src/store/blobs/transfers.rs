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
/// The most of those for one who uploads: whoever announces much and sends nothing keeps only itself waiting.
const MOST_OF_ONE: u64 = MOST_OF_TENANT / 2;

/// Room for bytes in memory; given back when it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Reservation(
    #[expect(dead_code, reason = "the permits live as long as the reservation")]
    [Option<OwnedSemaphorePermit>; 3],
);

/// The room for bytes that go in one direction.
#[derive(Debug)]
pub(in crate::store) struct Transfers {
    all: Arc<Semaphore>,
    /// By tenant, and by tenant and who.
    shares: Mutex<HashMap<(String, String), Weak<Semaphore>>>,
}

impl Transfers {
    pub(in crate::store) fn new() -> Self {
        Self {
            all: Arc::new(Semaphore::new(units(MOST) as usize)),
            shares: Mutex::default(),
        }
    }

    /// Waits for room for so many bytes, for a tenant and, if it is said, for one of it.
    pub(in crate::store) async fn reserve(
        &self,
        tenant: &str,
        who: Option<&str>,
        bytes: u64,
    ) -> StoreResult<Reservation> {
        let wanted = units(bytes.min(MOST_OF_ONE));
        // The narrower queue comes first, so that what waits there takes nothing from others.
        let one = match who {
            Some(who) => Some(take(self.share(tenant, who, MOST_OF_ONE), wanted).await?),
            None => None,
        };
        let own = take(self.share(tenant, "", MOST_OF_TENANT), wanted).await?;
        let all = take(Arc::clone(&self.all), wanted).await?;
        Ok(Reservation([one, Some(own), Some(all)]))
    }

    fn share(&self, tenant: &str, who: &str, most: u64) -> Arc<Semaphore> {
        let key = (tenant.to_owned(), who.to_owned());
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(&key).and_then(Weak::upgrade) {
            return share;
        }
        shares.retain(|_, known| known.strong_count() > 0);
        let share = Arc::new(Semaphore::new(units(most) as usize));
        shares.insert(key, Arc::downgrade(&share));
        share
    }
}

async fn take(from: Arc<Semaphore>, wanted: u32) -> StoreResult<OwnedSemaphorePermit> {
    // Nobody closes them.
    from.acquire_many_owned(wanted)
        .await
        .map_err(|_| StoreError::Busy)
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

    async fn is_free(transfers: &Transfers, tenant: &str, who: Option<&str>, bytes: u64) -> bool {
        let wanted = transfers.reserve(tenant, who, bytes);
        tokio::time::timeout(std::time::Duration::from_millis(20), wanted)
            .await
            .is_ok()
    }

    #[tokio::test]
    async fn one_tenant_leaves_room_for_others_and_gets_its_own_back() {
        let transfers = Transfers::new();
        let half = MOST_OF_TENANT / 2;
        let mut held = Vec::new();
        for tenant in ["acme", "acme", "globex", "globex"] {
            assert!(is_free(&transfers, tenant, None, half).await, "{tenant}");
            held.push(transfers.reserve(tenant, None, half).await.unwrap());
        }
        assert!(!is_free(&transfers, "acme", None, 1).await);
        assert!(!is_free(&transfers, "initech", None, 1).await);
        held.truncate(2);
        assert!(is_free(&transfers, "initech", None, 1).await);
        held.clear();
        assert!(is_free(&transfers, "acme", None, half).await);
        assert!(transfers.shares.lock().unwrap().len() <= 3);
    }

    #[tokio::test]
    async fn one_who_takes_all_that_it_may_leaves_room_for_others_of_its_tenant() {
        let transfers = Transfers::new();
        let _held = transfers
            .reserve("acme", Some("tom"), MOST_OF_ONE)
            .await
            .unwrap();
        assert!(!is_free(&transfers, "acme", Some("tom"), 1).await);
        assert!(is_free(&transfers, "acme", Some("maria"), MOST_OF_ONE).await);
    }
}
