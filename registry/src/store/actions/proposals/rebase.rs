//! Comparing a stale proposal with what is there now. What was said of it stays, approvals are void.

use sea_orm::{ActiveModelTrait as _, ActiveValue::Set, IntoActiveModel as _};
use vestry_policies::{Action, ProposalState, Target};

use super::{examine, examined, refuse_current};
use crate::store::actions::Reason;
use crate::store::authorize::Governed;
use crate::store::error::StoreResult;
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::proposals::{
    Base, Found, Located, ProposalChange, base_of, change, describe, obstacle, state_of,
};
use crate::store::work::{Evidence, Perform, Work};

/// Rebases a proposal on the current revision of its skill.
#[derive(Debug, Clone)]
pub struct RebaseProposal {
    at: Located,
    reason: Reason,
    found: Option<Found>,
}

impl RebaseProposal {
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

impl Governed for RebaseProposal {
    type Outcome = ProposalChange;
    const ACTION: Action = Action::RebaseProposal;
    const HIDDEN: bool = true;
    fn target(&self) -> Target {
        Target::Scope(self.at.scope.clone())
    }
}

impl Perform for RebaseProposal {
    async fn examine(&mut self, tx: &Transaction, _: &Known) -> StoreResult<Evidence> {
        let (found, evidence) = examine(tx, &self.at).await?;
        self.found = Some(found);
        Ok(evidence)
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<ProposalChange> {
        let Found { row, current } = examined(self.found)?;
        let state = state_of(&row, current.as_ref(), work.now)?;
        if state == ProposalState::Open {
            work.unchanged = true;
            return Ok(ProposalChange {
                unchanged: true,
                ..change(&row, current.as_ref(), work.now)?
            });
        }
        state.check_pending().map_err(obstacle)?;
        refuse_current(current.as_ref(), &row.digest)?;
        let Base { revision, digest } = base_of(current.as_ref());
        let mut rebased = row.clone().into_active_model();
        rebased.version = Set(row.version.saturating_add(1));
        rebased.base_revision = Set(revision);
        rebased.base_digest = Set(digest);
        rebased.updated_at = Set(work.now.0);
        let rebased = rebased.update(work.tx).await?;
        describe(work, &rebased)?;
        if !self.reason.is_empty() {
            work.audit
                .detail
                .insert("reason".to_owned(), self.reason.into());
        }
        work.audit.before.clone_from(&row.base_digest);
        work.audit.after = Some(row.digest);
        change(&rebased, current.as_ref(), work.now)
    }
}
