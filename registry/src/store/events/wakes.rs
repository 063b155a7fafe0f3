//! Waking who waits for a chain of the audit log to grow.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::identity::Caller;
use crate::store::Store;
use crate::store::rows::tenant_key;

/// The chains that somebody waits for. A wake is a hint and nothing more: whoever is woken reads, and reads again after a
/// while without one.
#[derive(Debug, Default)]
pub(in crate::store) struct Wakes(Mutex<HashMap<String, watch::Sender<()>>>);

impl Wakes {
    /// Wakes whoever waits for this chain. Called after the commit.
    pub(in crate::store) fn grown(&self, chain: &str) {
        let mut waiting = self.lock();
        match waiting.get(chain) {
            None => {}
            Some(sender) if sender.receiver_count() == 0 => {
                waiting.remove(chain);
            }
            Some(sender) => {
                sender.send_replace(());
            }
        }
    }

    /// The chains that somebody waits for now.
    pub(in crate::store) fn awaited(&self) -> Vec<String> {
        let mut waiting = self.lock();
        waiting.retain(|_, sender| sender.receiver_count() > 0);
        waiting.keys().cloned().collect()
    }

    fn wait_for(&self, chain: String) -> watch::Receiver<()> {
        self.lock()
            .entry(chain)
            .or_insert_with(|| watch::Sender::new(()))
            .subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for the chains of one caller.
#[derive(Debug)]
pub struct Woken {
    tenant: Option<watch::Receiver<()>>,
    global: watch::Receiver<()>,
}

impl Woken {
    /// From now on only what happens later wakes. Called before reading, so that nothing falls between.
    pub fn rest(&mut self) {
        if let Some(tenant) = &mut self.tenant {
            tenant.mark_unchanged();
        }
        self.global.mark_unchanged();
    }

    /// Waits until one of the chains has grown since the last rest. Dropping it half way loses nothing.
    pub async fn woken(&mut self) {
        let Self { tenant, global } = self;
        let of_tenant = async {
            match tenant {
                Some(tenant) => changed(tenant).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = of_tenant => {}
            () = changed(global) => {}
        }
    }
}

/// A sender that was let go of says nothing any more; whoever waits looks after a while anyway.
async fn changed(receiver: &mut watch::Receiver<()>) {
    if receiver.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

impl Store {
    /// Waits for what happens in the caller's tenant and at global.
    #[must_use]
    pub fn wait_for_events(&self, caller: &Caller) -> Woken {
        let wakes = &self.inner.wakes;
        Woken {
            tenant: caller
                .tenant()
                .map(|tenant| wakes.wait_for(tenant_key(Some(tenant)))),
            global: wakes.wait_for(tenant_key(None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Wakes;

    #[tokio::test]
    async fn a_chain_wakes_its_own_and_forgets_who_left() {
        let wakes = Wakes::default();
        let mut acme = wakes.wait_for("acme".to_owned());
        let globex = wakes.wait_for("globex".to_owned());
        wakes.grown("acme");
        acme.changed().await.unwrap();
        assert!(!globex.has_changed().unwrap());
        drop(acme);
        wakes.grown("acme");
        assert_eq!(wakes.lock().len(), 1);
        // Whoever comes again waits for the same chain.
        let mut acme = wakes.wait_for("acme".to_owned());
        wakes.grown("acme");
        acme.changed().await.unwrap();
    }
}
