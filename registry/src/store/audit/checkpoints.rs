//! Signing checkpoints. What a chain ended with is remembered, in memory and in the last file: a chain that does not go on
//! from there was cut off or written anew, and such a chain is not signed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use sea_orm::ConnectionTrait;
use tokio::sync::{Mutex, Notify};

use super::heads::{goes_on, head_of, heads};
use crate::checkpoint::{
    ChainHead, Checkpoint, CheckpointError, CheckpointKey, Held, Place, VerifierKey,
};
use crate::clock::{Clock, Micros};
use crate::store::Inner;
use crate::store::error::{StoreError, StoreResult};
use crate::store::reader::Reader;
use crate::store::tenant_set::TenantSet;

/// Signs checkpoints, and remembers what it signed.
pub(in crate::store) struct Checkpoints {
    key: Arc<CheckpointKey>,
    place: Place,
    /// Where each chain ended when it was signed last; nothing before the last file was read.
    signed: Mutex<Option<BTreeMap<String, ChainHead>>>,
    is_closed: AtomicBool,
    closed: Notify,
}

impl Checkpoints {
    pub(in crate::store) fn new(key: Arc<CheckpointKey>, place: Place) -> Self {
        Self {
            key,
            place,
            signed: Mutex::new(None),
            is_closed: AtomicBool::new(false),
            closed: Notify::new(),
        }
    }

    /// The key that verifies.
    pub(in crate::store) fn verifier(&self) -> VerifierKey {
        self.key.verifier()
    }

    /// A signed checkpoint of one chain as it is now.
    pub(in crate::store) async fn of_chain<C: ConnectionTrait>(
        &self,
        db: &C,
        tenant: &str,
        now: Micros,
    ) -> StoreResult<String> {
        let mut signed = self.signed.lock().await;
        if signed.is_none() {
            let (place, key) = (self.place.clone(), Arc::clone(&self.key));
            let last = blocking(move || place.read(&key)).await?;
            *signed = Some(BTreeMap::new());
            remember(&mut signed, last.map(|last| last.heads).unwrap_or_default());
        }
        let before = signed.as_ref().and_then(|signed| signed.get(tenant));
        if let Some(before) = before {
            refuse_broken(db, before).await?;
        }
        let head = head_of(db, tenant).await?;
        remember(&mut signed, vec![head.clone()]);
        Ok(Checkpoint::of_chain(head, now).sign(&self.key))
    }

    /// Writes a checkpoint of all chains, when there is something that the last one does not say. Gives its file.
    pub(in crate::store) async fn write(
        &self,
        db: &Reader,
        now: Micros,
    ) -> StoreResult<Option<PathBuf>> {
        let mut signed = self.signed.lock().await;
        let (place, key) = (self.place.clone(), Arc::clone(&self.key));
        let (held, last): (Held, Option<Checkpoint>) = blocking(move || {
            let held = place.hold()?;
            let last = held.read(&key)?;
            Ok((held, last))
        })
        .await?;
        let last = last.map(|last| last.heads).unwrap_or_default();
        if signed.is_none() {
            *signed = Some(BTreeMap::new());
        }
        // The operator may have signed one beside this server.
        remember(&mut signed, last.clone());
        // One transaction, so that all ends are of one moment.
        let tx = db.begin(&TenantSet::Every).await?;
        for before in signed.iter().flat_map(BTreeMap::values) {
            refuse_broken(&tx, before).await?;
        }
        let heads = heads(&tx).await?;
        tx.rollback().await?;
        if heads == last {
            return Ok(None);
        }
        let note = Checkpoint::of_all(heads.clone(), now).sign(&self.key);
        let path = blocking(move || held.write(&note, now)).await?;
        remember(&mut signed, heads);
        Ok(Some(path))
    }

    /// Writes the last one, and none after it.
    pub(in crate::store) async fn close(&self, db: &Reader, now: Micros) {
        if !self.is_closed.swap(true, Ordering::Relaxed) {
            say(self.write(db, now).await);
            self.closed.notify_one();
        }
    }
}

/// Keeps the later end of each chain.
fn remember(signed: &mut Option<BTreeMap<String, ChainHead>>, heads: Vec<ChainHead>) {
    let signed = signed.get_or_insert_default();
    for head in heads {
        let known = signed
            .entry(head.chain.clone())
            .or_insert_with(|| head.clone());
        if known.records < head.records {
            *known = head;
        }
    }
}

async fn refuse_broken<C: ConnectionTrait>(db: &C, before: &ChainHead) -> StoreResult<()> {
    if goes_on(db, before).await? {
        return Ok(());
    }
    Err(StoreError::Internal(format!(
        "the audit chain `{}` had {} records when it was signed last, and does not go on from there: it was cut off or \
         written anew, and no checkpoint of it is signed; run `vestry audit verify --checkpoint FILE`, or move the \
         checkpoint away if the database was restored from a backup",
        before.chain, before.records
    )))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CheckpointError> + Send + 'static,
) -> StoreResult<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| StoreError::Internal(error.to_string()))?
        .map_err(|error| StoreError::Internal(error.to_string()))
}

fn say(written: StoreResult<Option<PathBuf>>) {
    match written {
        Ok(Some(path)) => tracing::debug!(path = %path.display(), "a checkpoint was written"),
        Ok(None) => {}
        Err(error) => tracing::error!(error = %error, "no checkpoint could be written"),
    }
}

/// Writes checkpoints at an interval, the first at once, for as long as the store lives. It holds nothing of the store but
/// what it needs: the lock of the data directory is to go when the store does.
pub(in crate::store) async fn keep_checkpoints(
    store: Weak<Inner>,
    checkpoints: Arc<Checkpoints>,
    db: Reader,
    clock: Arc<dyn Clock>,
    interval: Duration,
) {
    let mut tick = tokio::time::interval(interval);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let has_ended = || store.strong_count() == 0 || checkpoints.is_closed.load(Ordering::Relaxed);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = checkpoints.closed.notified() => {}
        }
        if has_ended() {
            return;
        }
        let written = checkpoints.write(&db, clock.now()).await;
        // A store that was closed meanwhile has no database any more.
        if !has_ended() {
            say(written);
        }
    }
}
