//! The journal: offers, loads, mints and refusals, written many at once by one task, and turns that their callers named.
//!
//! A named turn is answered only after its batch is durable: the first to claim a turn wins, also within a batch, and
//! everyone is told what the winner was offered. The rest is packed, one row a tenant and batch; a crash loses at most
//! the last second of it.

mod batch;
mod refusals;
mod task;
mod turns;

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::{mpsc, oneshot};
use vestry_policies::{Action, Rule};

use super::entity::turn;
use super::error::{StoreError, StoreResult};
use super::rows::tenant_key;
use crate::clock::Clock;
use crate::identity::Caller;
use refusals::Refusals;

pub(super) use task::spawn;

/// How many messages may wait for the task before senders wait for it.
const QUEUE: usize = 8_192;

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

/// A line of the journal.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub(super) enum Line {
    /// A catalog was offered.
    Offer {
        at: i64,
        principal: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        acts_for: Option<String>,
        turn: String,
        snapshot: String,
        offer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<String>,
    },
    /// An offered skill was loaded.
    Load {
        at: i64,
        principal: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        acts_for: Option<String>,
        offer: String,
        turn: String,
        name: String,
        scope: String,
        revision: u32,
        digest: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_call: Option<String>,
        already_loaded: bool,
    },
    /// A file of an offered skill was loaded.
    LoadFile {
        at: i64,
        principal: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        acts_for: Option<String>,
        offer: String,
        turn: String,
        name: String,
        scope: String,
        revision: u32,
        digest: String,
        path: String,
        file: String,
    },
    /// A service minted a token.
    Mint {
        at: i64,
        principal: String,
        acts_for: String,
        agent: String,
        token: String,
        expires_at: i64,
    },
}

pub(super) enum Message {
    Turn(Box<TurnClaim>, oneshot::Sender<StoreResult<turn::Model>>),
    Line {
        tenant: String,
        line: Box<Line>,
        snapshot: Option<SnapshotToKeep>,
    },
    Flush(oneshot::Sender<()>),
    Close(oneshot::Sender<()>),
}

/// The handle to the journal's task.
pub(super) struct Journal {
    sender: mpsc::Sender<Message>,
    refusals: Arc<Refusals>,
    clock: Arc<dyn Clock>,
}

/// What the task receives from.
pub(super) struct Receiver {
    messages: mpsc::Receiver<Message>,
    refusals: Arc<Refusals>,
}

impl Journal {
    pub(super) fn new(clock: Arc<dyn Clock>) -> (Self, Receiver) {
        let (sender, messages) = mpsc::channel(QUEUE);
        let refusals = Arc::new(Refusals::default());
        let receiver = Receiver {
            messages,
            refusals: Arc::clone(&refusals),
        };
        (
            Self {
                sender,
                refusals,
                clock,
            },
            receiver,
        )
    }

    /// Claims a turn; gives the winner's row once it is durable.
    pub(super) async fn claim(&self, claim: TurnClaim) -> StoreResult<turn::Model> {
        let (sender, answer) = oneshot::channel();
        self.sender
            .send(Message::Turn(Box::new(claim), sender))
            .await
            .map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Takes a line down; it is durable within a second.
    pub(super) async fn write(
        &self,
        caller: &Caller,
        line: Line,
        snapshot: Option<SnapshotToKeep>,
    ) -> StoreResult<()> {
        let message = Message::Line {
            tenant: tenant_key(caller.tenant()),
            line: Box::new(line),
            snapshot,
        };
        self.sender.send(message).await.map_err(|_| closed())
    }

    /// Takes a refusal down, in the chain of the refused one's tenant: what it did may show nowhere else (invariant 17).
    pub(super) fn refusal(&self, caller: &Caller, action: Action, target: String, rule: Rule) {
        self.refusals.count(
            refusals::Key {
                tenant: tenant_key(caller.tenant()),
                principal: caller.principal_text().to_owned(),
                acts_for: caller.acts_for().map(ToString::to_string),
                action: action.as_str(),
                target,
                rule: rule.as_str(),
            },
            self.clock.now(),
        );
    }

    /// Waits until everything that was sent before is durable.
    pub(super) async fn flush(&self) {
        let (sender, done) = oneshot::channel();
        if self.sender.send(Message::Flush(sender)).await.is_ok() {
            let _ = done.await;
        }
    }

    /// Flushes and ends the task.
    pub(super) async fn close(&self) {
        let (sender, done) = oneshot::channel();
        if self.sender.send(Message::Close(sender)).await.is_ok() {
            let _ = done.await;
        }
    }
}

fn closed() -> StoreError {
    // The task ends only when the server drains.
    StoreError::Busy
}
