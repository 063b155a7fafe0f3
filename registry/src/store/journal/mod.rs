//! The journal: offers, loads, mints and refusals, written many at once by one task, and turns that their callers named.
//!
//! A named turn is answered only after its batch is durable: the first to claim a turn wins, also within a batch, and
//! everyone is told what the winner was offered. The rest is packed, one row a tenant and batch; a crash loses at most
//! the last second of it.

mod aside;
mod batch;
mod line;
mod refusals;
mod task;
mod turns;
mod waiting;
mod written;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};
use vestry_policies::{Action, Rule};

use super::entity::turn;
use super::error::{StoreError, StoreResult};
use super::rows::{tenant_key, tenant_key_str};
use crate::clock::Clock;
use crate::identity::Caller;
use refusals::Refusals;
use waiting::Waiting;

pub(super) use aside::LANES;
pub(super) use line::Line;
pub(super) use task::spawn;
pub(super) use waiting::Kept;
pub(super) use written::Waits;

/// How many lines may wait for the task before senders wait for it.
const QUEUE: usize = 65_536;

/// A snapshot to be kept, once per digest.
#[derive(Debug, Clone)]
pub(super) struct SnapshotToKeep {
    pub(super) tenant: String,
    pub(super) digest: String,
    pub(super) content: Arc<[u8]>,
}

/// A turn that its caller named, and what it would be offered if nobody was before.
#[derive(Debug, Clone)]
pub(super) struct TurnClaim {
    pub(super) actor: String,
    pub(super) agent: String,
    pub(super) turn: String,
    pub(super) cap: i64,
    pub(super) role: String,
    pub(super) token_budget: Option<i64>,
    pub(super) session: Option<String>,
    pub(super) snapshot: SnapshotToKeep,
}

/// Who made a claim waits for the winner's row here.
pub(super) type Answer = oneshot::Sender<StoreResult<turn::Model>>;

/// Who waits until everything of a tenant, or of all, is durable, and is told whether it is.
pub(super) struct Flush {
    tenant: Option<String>,
    done: oneshot::Sender<bool>,
}

/// The handle to the journal's task.
pub(super) struct Journal {
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
}

/// What the handle and the task share. A queue of single messages would cost an allocation and the waking of the task for
/// every turn; so senders append, and the task takes everything at once.
#[derive(Default)]
pub(super) struct Shared {
    waiting: Mutex<Waiting>,
    /// The task has something to do at once.
    work: Notify,
    /// Lines were taken, so that there is room for others.
    room: Notify,
    refusals: Refusals,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            shared: Arc::default(),
            clock,
        }
    }

    /// Claims a turn; gives the winner's row once it is durable.
    pub(super) async fn claim(&self, claim: TurnClaim) -> StoreResult<turn::Model> {
        let (sender, answer) = oneshot::channel();
        let is_first = self.shared.waiting().claim(claim, sender)?;
        if is_first {
            self.shared.work.notify_one();
        }
        answer.await.map_err(|_| closed())?
    }

    /// Takes a line down; it is durable within a second. The snapshot that it names is kept with it, when there is one.
    pub(super) async fn write(
        &self,
        caller: &Caller,
        line: &Line<'_>,
        snapshot: Option<(&Kept, &(dyn Fn() -> SnapshotToKeep + Sync))>,
    ) -> StoreResult<()> {
        let text = line.text()?;
        let tenant = tenant_key_str(caller.tenant());
        loop {
            // Before the look, so that no room made after it is missed.
            let room = self.shared.room.notified();
            {
                let mut waiting = self.shared.waiting();
                if waiting.lines() < QUEUE {
                    let is_due = waiting.line(tenant, line, &text, snapshot)?;
                    drop(waiting);
                    if is_due {
                        self.shared.work.notify_one();
                    }
                    return Ok(());
                }
            }
            room.await;
        }
    }

    /// Takes a refusal down, in the chain of the refused one's tenant: what it did may show nowhere else (invariant 17).
    pub(super) fn refusal(&self, caller: &Caller, action: Action, target: String, rule: Rule) {
        self.count(caller, action, target, rule, None);
    }

    /// Takes down that a load was refused, and under which offer.
    pub(super) fn refused_load(&self, caller: &Caller, offer: String, rule: Rule) {
        self.count(
            caller,
            Action::LoadSkill,
            "server".to_owned(),
            rule,
            Some(offer),
        );
    }

    fn count(
        &self,
        caller: &Caller,
        action: Action,
        target: String,
        rule: Rule,
        offer: Option<String>,
    ) {
        self.shared.refusals.count(
            refusals::Key {
                tenant: tenant_key(caller.tenant()),
                principal: caller.principal_text().to_owned(),
                acts_for: caller.acts_for().map(ToString::to_string),
                action: action.as_str(),
                target,
                rule: rule.as_str(),
                offer,
            },
            self.clock.now(),
        );
    }

    /// Waits until everything that was sent before is durable, or could not be written.
    pub(super) async fn flush(&self) {
        let _ = self.flush_of(None).await;
    }

    /// Waits until everything that was sent before in the caller's tenant is durable.
    ///
    /// # Errors
    /// When it could not be written; it is tried again all the same.
    pub(super) async fn flush_for(&self, caller: &Caller) -> StoreResult<()> {
        if self.flush_of(Some(tenant_key(caller.tenant()))).await {
            Ok(())
        } else {
            Err(StoreError::Busy)
        }
    }

    async fn flush_of(&self, tenant: Option<String>) -> bool {
        let (done, answer) = oneshot::channel();
        if !self.shared.waiting().flush(Flush { tenant, done }) {
            return false;
        }
        self.shared.work.notify_one();
        answer.await.unwrap_or(false)
    }

    /// Flushes and ends the task.
    pub(super) async fn close(&self) {
        let (sender, done) = oneshot::channel();
        if self.shared.waiting().close(sender) {
            self.shared.work.notify_one();
            let _ = done.await;
        }
    }

    /// What the task works on.
    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }
}

fn closed() -> StoreError {
    // The task ends only when the server drains.
    StoreError::Busy
}
