//! The one task that writes the journal.

use std::sync::Arc;
use std::time::Duration;

use super::aside::Aside;
use super::batch::Batch;
use super::waiting::LINES_DUE;
use super::written::Waits;
use super::{Flush, Shared};
use crate::store::Store;

/// How long lines may wait for company; well under the second that a crash may lose.
const PATIENCE: Duration = Duration::from_millis(400);
/// How many lines may be kept when the database refuses them again and again.
const MAX_KEPT: usize = 100_000;
/// How long the end waits for tenants that somebody else writes in.
const CLOSING: Duration = Duration::from_secs(12);

/// Starts the task.
pub(in crate::store) fn spawn(store: Store) {
    let shared = store.inner.journal.shared();
    tokio::spawn(run(store, shared));
}

async fn run(store: Store, shared: Arc<Shared>) {
    let mut batch = Batch::default();
    let mut aside = Aside::default();
    let mut flushes: Vec<Flush> = Vec::new();
    let mut house = None;
    let mut tick = tokio::time::interval(PATIENCE);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let is_due = tokio::select! {
            () = shared.work.notified() => {
                // Whoever is about to claim a turn may do so before the batch is closed.
                tokio::task::yield_now().await;
                false
            }
            () = aside.ended(&store, &mut batch), if aside.is_running() => false,
            _ = tick.tick() => true,
        };
        let taken = shared.waiting().take();
        shared.room.notify_waiters();
        let (flushed, closing) = batch.take_in(taken);
        flushes.extend(flushed);
        let must_flush = !flushes.is_empty() || closing.is_some();
        if is_due && store.house_is_due() {
            // Not awaited: turns wait for the journal. The one before has long ended.
            let keeping = store.clone();
            house = Some(tokio::spawn(async move { keeping.keep_house().await }));
            // So that what is still offered is marked as such at least once an hour.
            batch.forget_known();
            shared.waiting().forget_handed_over();
        }
        if (is_due || must_flush) && !shared.refusals.is_empty() {
            let now = store.inner.clock.now();
            batch.refuse(shared.refusals.take(now, closing.is_some()));
        }
        if aside.hold_back(&mut batch, MAX_KEPT) {
            shared.waiting().forget_handed_over();
        }
        let has_refusals = (is_due || must_flush) && batch.has_refusals();
        let lines_are_due =
            (is_due || must_flush || batch.lines() >= LINES_DUE) && batch.lines() > 0;
        if batch.has_claims() || lines_are_due || has_refusals {
            for part in batch.commit(&store, lines_are_due, Waits::ForNone).await {
                aside.take(&store, part);
            }
            if batch.trim(MAX_KEPT) {
                shared.waiting().forget_handed_over();
            }
        }
        for Flush { tenant, done } in std::mem::take(&mut flushes) {
            let of = tenant.as_deref();
            if aside.has(of) && aside.will_end(of) && closing.is_none() {
                flushes.push(Flush { tenant, done });
            } else {
                let _ = done.send(!batch.has(of) && !aside.has(of));
            }
        }
        if let Some(done) = closing {
            aside.finish(&store, &mut batch, CLOSING).await;
            batch.commit(&store, true, Waits::ForAll).await;
            if let Some(house) = house {
                house.abort();
                // What it holds of the store is let go.
                let _ = house.await;
            }
            let _ = done.send(());
            return;
        }
    }
}
