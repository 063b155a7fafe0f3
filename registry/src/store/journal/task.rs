//! The one task that writes the journal.

use std::time::Duration;

use super::batch::Batch;
use super::{Message, Receiver};
use crate::store::Store;

/// How long lines may wait for company; well under the second that a crash may lose.
const PATIENCE: Duration = Duration::from_millis(400);
/// How many messages one batch takes.
const MAX_BATCH: usize = 512;
/// How many lines may be kept when the database refuses them again and again.
const MAX_KEPT: usize = 100_000;

/// Starts the task.
pub(in crate::store) fn spawn(store: Store, receiver: Receiver) {
    tokio::spawn(run(store, receiver));
}

async fn run(store: Store, mut receiver: Receiver) {
    let mut batch = Batch::default();
    let mut tick = tokio::time::interval(PATIENCE);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut closing = None;
    while closing.is_none() {
        let mut flushed = Vec::new();
        let mut is_due = false;
        tokio::select! {
            message = receiver.messages.recv() => {
                let mut next = message;
                if next.is_none() {
                    return;
                }
                let mut taken = 0;
                while let Some(message) = next {
                    match message {
                        Message::Turn(claim, answer) => batch.claim(*claim, answer),
                        Message::Line { tenant, line, snapshot } => batch.line(tenant, *line, snapshot),
                        Message::Flush(done) => flushed.push(done),
                        Message::Close(done) => closing = Some(done),
                    }
                    taken += 1;
                    next = if taken < MAX_BATCH { receiver.messages.try_recv().ok() } else { None };
                }
            }
            _ = tick.tick() => is_due = true,
        }
        let must_flush = !flushed.is_empty() || closing.is_some();
        if is_due && store.keep_house().await {
            batch.forget_known();
        }
        let has_refusals =
            (is_due || must_flush) && (batch.has_refusals() || !receiver.refusals.is_empty());
        let lines_are_due =
            (is_due || must_flush || batch.lines() >= MAX_BATCH) && batch.lines() > 0;
        if batch.has_claims() || lines_are_due || has_refusals {
            let drafts = if has_refusals {
                receiver
                    .refusals
                    .take(store.inner.clock.now(), closing.is_some())
            } else {
                Vec::new()
            };
            let has_refusals = batch.has_refusals() || !drafts.is_empty();
            if batch.has_claims() || lines_are_due || has_refusals {
                batch.commit(&store, lines_are_due, drafts).await;
            }
            batch.trim(MAX_KEPT);
        }
        for done in flushed {
            let _ = done.send(());
        }
    }
    if let Some(done) = closing {
        let _ = done.send(());
    }
}
