//! How a granted action does its work; private to the store.

use vestry_policies::{Proposal, Room, Rule, Severity, SkillName, Status};

use super::Inner;
use super::audit::Draft;
use super::authorize::Governed;
use super::batch::Batch;
use super::error::{StoreError, StoreResult};
use super::facts::{Known, Sought};
use super::live::Effect;
use super::templates::ActiveSchema;
use crate::clock::Micros;
use crate::identity::Caller;
use crate::store::pool::Transaction;

/// What an action's own rows say to a decision.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    pub(super) status: Option<Status>,
    /// The name of the skill that the action publishes, when it does.
    pub(super) name: Option<SkillName>,
    /// The most severe thing that was found in what it publishes, when it does.
    pub(super) worst_finding: Option<Severity>,
    pub(super) proposal: Option<Proposal>,
    pub(super) room: Option<Room>,
}

impl Evidence {
    /// The state of a skill or revision, and nothing else.
    pub(super) fn of(status: Status) -> Self {
        Self {
            status: Some(status),
            ..Self::default()
        }
    }
}

/// How an action reads its evidence and does its work; private to the store.
pub(super) trait Perform: Governed {
    /// The skill that the decision looks at, when its row is to be read with the facts.
    fn seeks(&self) -> Option<Sought> {
        None
    }

    /// Reads the rows that the decision needs, and keeps them for the work.
    fn examine(
        &mut self,
        tx: &Transaction,
        known: &Known,
    ) -> impl Future<Output = StoreResult<Evidence>> + Send {
        let _ = (tx, known);
        std::future::ready(Ok(Evidence::default()))
    }

    /// Does the work inside the transaction.
    fn perform(
        self,
        work: &mut Work<'_>,
    ) -> impl Future<Output = StoreResult<Self::Outcome>> + Send;

    /// Makes a proposal of it, because of this rule, where that is what becomes of it.
    fn propose(
        self,
        work: &mut Work<'_>,
        rule: Rule,
    ) -> impl Future<Output = StoreResult<Self::Outcome>> + Send {
        let _ = work;
        std::future::ready(Err(StoreError::Refused(rule)))
    }
}

/// What the work of a granted action has at hand.
pub(super) struct Work<'a> {
    pub(super) tx: &'a Transaction,
    pub(super) caller: &'a Caller,
    pub(super) now: Micros,
    pub(super) inner: &'a Inner,
    /// What is written at the end, before the audit record.
    pub(super) batch: Batch,
    pub(super) effects: Vec<Effect>,
    /// The audit record; the action fills in target and digests.
    pub(super) audit: Draft,
    /// The tenant whose chain the record enters: the target's.
    pub(super) chain: String,
    /// Set when nothing changed after all: then nothing is written, and nothing is recorded.
    pub(super) unchanged: bool,
}

impl Work<'_> {
    /// Sees to it that the schema in memory is the active one, before a template is held to it. It stays that until the commit:
    /// another one becomes active only while nobody writes. In one process it always is.
    pub(super) async fn settle_schema(&self) -> StoreResult<()> {
        if self.inner.is_shared() {
            self.inner
                .live
                .take_schema(ActiveSchema::load(self.tx).await?);
        }
        Ok(())
    }
}
