//! The one task that writes the journal.

use std::sync::Arc;
use std::time::Duration;

use super::Shared;
use super::batch::Batch;
use super::waiting::LINES_DUE;
use crate::store::Store;

/// How long lines may wait for company; well under the second that a crash may lose.
const PATIENCE: Duration = Duration::from_millis(400);
/// How many lines may be kept when the database refuses them again and again.
const MAX_KEPT: usize = 100_000;

/// Starts the task.
pub(in crate::store) fn spawn(store: Store) {
    let shared = store.inner.journal.shared();
    tokio::spawn(run(store, shared));
}

async fn run(store: Store, shared: Arc<Shared>) {
    let mut batch = Batch::default();
    let mut tick = tokio::time::interval(PATIENCE);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let is_due = tokio::select! {
            () = shared.work.notified() => {
                // Whoever is about to claim a turn may do so before the batch is closed.
                tokio::task::yield_now().await;
                false
            }
            _ = tick.tick() => true,
        };
        let taken = shared.waiting().take();
        shared.room.notify_waiters();
        let (flushed, closing) = batch.take_in(taken);
        let must_flush = !flushed.is_empty() || closing.is_some();
        if is_due && store.keep_house().await {
            batch.forget_known();
            shared.waiting().forget_handed_over();
        }
        let has_refusals =
            (is_due || must_flush) && (batch.has_refusals() || !shared.refusals.is_empty());
        let lines_are_due =
            (is_due || must_flush || batch.lines() >= LINES_DUE) && batch.lines() > 0;
        if batch.has_claims() || lines_are_due || has_refusals {
            let drafts = if has_refusals {
                shared
                    .refusals
                    .take(store.inner.clock.now(), closing.is_some())
            } else {
                Vec::new()
            };
            let has_refusals = batch.has_refusals() || !drafts.is_empty();
            if batch.has_claims() || lines_are_due || has_refusals {
                batch.commit(&store, lines_are_due, drafts).await;
            }
            if batch.trim(MAX_KEPT) {
                shared.waiting().forget_handed_over();
            }
        }
        for done in flushed {
            let _ = done.send(());
        }
        if let Some(done) = closing {
            let _ = done.send(());
            return;
        }
    }
}
