//! What is written beside the rest: of tenants that somebody else writes in, one after the other as each gets its turn, and
//! what may be written already. So nobody waits for a lock that is not of their own tenant.
//!
//! What comes for these tenants meanwhile is held back, so that the order within a tenant is the one that things happened in.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use tokio::task::{Id, JoinSet};

use super::batch::Batch;
use super::written::Waits;
use crate::store::Store;

/// How many are written at once; with the rest they are as many as the journal has turns at writing.
pub(in crate::store) const LANES: usize = 2;
/// How long is waited before it is asked again whether something is written.
const AGAIN: Duration = Duration::from_millis(500);

/// What was set aside.
#[derive(Default)]
pub(super) struct Aside {
    lanes: JoinSet<Batch>,
    of_lanes: HashMap<Id, BTreeSet<String>>,
    queued: VecDeque<Batch>,
    /// Whose it is, in lanes or queued.
    tenants: BTreeSet<String>,
    /// Those of them of which nobody knows yet whether something is written.
    doubtful: BTreeSet<String>,
    /// What came for them since.
    later: Batch,
}

impl Aside {
    /// Whether something of this tenant is here; of any, when none is named.
    pub(super) fn has(&self, tenant: Option<&str>) -> bool {
        is_in(&self.tenants, tenant)
    }

    /// Whether it has an end when that will be written: where the database has to be asked first, it may take any time.
    pub(super) fn will_end(&self, tenant: Option<&str>) -> bool {
        !is_in(&self.doubtful, tenant)
    }

    pub(super) fn is_running(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// Sets something aside, and begins to write it where there is room.
    pub(super) fn take(&mut self, store: &Store, mut batch: Batch) {
        let tenants = batch.tenants();
        if batch.is_in_doubt() {
            self.doubtful.extend(tenants.iter().cloned());
            self.queued.push_back(batch);
        } else {
            for tenant in &tenants {
                let of_one = BTreeSet::from([tenant.clone()]);
                self.queued.push_back(batch.take_out(&of_one));
            }
        }
        self.tenants.extend(tenants);
        self.start(store);
    }

    /// Holds back what is of the same tenants, but for turns that would wait for any time: they are told to come again. True
    /// when so many lines were held back that they were dropped, with their snapshots.
    pub(super) fn hold_back(&mut self, batch: &mut Batch, most: usize) -> bool {
        if self.tenants.is_empty() {
            return false;
        }
        self.later.append(batch.take_out(&self.tenants));
        self.later.put_off_claims(&self.doubtful);
        self.later.trim(most)
    }

    /// Waits until one is done; puts what could not be written of it, and what was held back for it, before the rest.
    pub(super) async fn ended(&mut self, store: &Store, batch: &mut Batch) {
        let Some(ended) = self.lanes.join_next_with_id().await else {
            return;
        };
        let (id, mut left) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                tracing::error!(error = %error, "a part of the journal is lost");
                (error.id(), Batch::default())
            }
        };
        let tenants = self.of_lanes.remove(&id).unwrap_or_default();
        self.tenants.retain(|tenant| !tenants.contains(tenant));
        self.doubtful.retain(|tenant| !tenants.contains(tenant));
        left.append(self.later.take_out(&tenants));
        left.append(batch.take_out(&tenants));
        batch.append(left);
        self.start(store);
    }

    /// Waits so long until all is done, and gives up what is not.
    pub(super) async fn finish(&mut self, store: &Store, batch: &mut Batch, patience: Duration) {
        let all = async {
            while self.is_running() {
                self.ended(store, batch).await;
            }
        };
        if tokio::time::timeout(patience, all).await.is_err() {
            tracing::error!("a part of the journal could not be written before the end");
            self.lanes.shutdown().await;
        }
    }

    fn start(&mut self, store: &Store) {
        while self.lanes.len() < LANES
            && let Some(batch) = self.queued.pop_front()
        {
            let tenants = batch.tenants();
            let lane = self.lanes.spawn(write(store.clone(), batch));
            self.of_lanes.insert(lane.id(), tenants);
        }
    }
}

/// Whether a tenant is one of these, or whether there is any when none is named.
fn is_in(tenants: &BTreeSet<String>, tenant: Option<&str>) -> bool {
    tenant.map_or(!tenants.is_empty(), |tenant| tenants.contains(tenant))
}

/// Writes it all, and waits for whom it has to wait for. Gives what could not be written, of which it is known that it is not.
async fn write(store: Store, mut batch: Batch) -> Batch {
    loop {
        let doubtful = batch.commit(&store, true, Waits::ForAll).await.pop();
        match doubtful {
            None => return batch,
            Some(doubtful) => batch = doubtful,
        }
        tokio::time::sleep(AGAIN).await;
    }
}
