//! Taking a proposal back.

use sea_orm::ActiveModelTrait as _;
use vestry_policies::{Action, ProposalState, Target};

use super::{examine, examined};
use crate::store::actions::Reason;
use crate::store::authorize::Governed;
use crate::store::error::StoreResult;
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::proposals::{
    Found, Located, ProposalChange, change, describe, ended, obstacle, state_of,
};
use crate::store::work::{Evidence, Perform, Work};

/// Takes a proposal back.
#[derive(Debug, Clone)]
pub struct WithdrawProposal {
    at: Located,
    reason: Reason,
    found: Option<Found>,
}

impl WithdrawProposal {
    /// Prepares it; the reason may be empty.
    #[must_use]
    pub fn new(at: Located, reason: Reason) -> Self {
        Self {
            at,
            reason,
            found: None,
        }
    }
}

impl Governed for WithdrawProposal {
    type Outcome = ProposalChange;
    const ACTION: Action = Action::WithdrawProposal;
    const HIDDEN: bool = true;
    fn target(&self) -> Target {
        Target::Scope(self.at.scope.clone())
    }
}

impl Perform for WithdrawProposal {
    async fn examine(&mut self, tx: &Transaction, _: &Known) -> StoreResult<Evidence> {
        let (found, evidence) = examine(tx, &self.at).await?;
        self.found = Some(found);
        Ok(evidence)
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<ProposalChange> {
        let Found { row, current } = examined(self.found)?;
        let state = state_of(&row, current.as_ref(), work.now)?;
        if state == ProposalState::Withdrawn {
            work.unchanged = true;
            return Ok(ProposalChange {
                unchanged: true,
                ..change(&row, current.as_ref(), work.now)?
            });
        }
        state.check_pending().map_err(obstacle)?;
        describe(work, &row)?;
        work.audit.before = Some(row.digest.clone());
        if !self.reason.is_empty() {
            work.audit
                .detail
                .insert("reason".to_owned(), self.reason.clone().into());
        }
        let row = ended(work, &row, ProposalState::Withdrawn, self.reason)
            .update(work.tx)
            .await?;
        change(&row, current.as_ref(), work.now)
    }
}
