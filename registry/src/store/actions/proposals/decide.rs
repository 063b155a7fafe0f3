//! Approving and rejecting. The last approval that is needed publishes, in the same transaction and by the same code as a
//! publication of its own.

use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel as _,
    QueryFilter, QueryOrder,
};
use vestry_policies::review::{Ballot, Decision, Reviewed, Step, counted, step};
use vestry_policies::{Action, Digest, Proposal, ProposalState, Rule, Settings, Target, Username};

use super::examined;
use crate::store::actions::{NextRevision, Reason, Writer, refuse_recalled, room, write_revision};
use crate::store::authorize::Governed;
use crate::store::blobs::{Resolved, files_of_proposal};
use crate::store::entity::{proposal, proposal_decision};
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::proposals::{
    Found, Located, ProposalChange, change, describe, ended, facts_of_proposal, find, obstacle,
    prepared_of, publishers_of, refuse_recalled_files, required, state_of,
};
use crate::store::upstream;
use crate::store::work::{Evidence, Perform, Work};

/// Decides a proposal.
#[derive(Debug, Clone)]
pub struct DecideProposal {
    at: Located,
    ballot: Ballot,
    reason: Reason,
    found: Option<Examined>,
}

/// What a decision looks at.
#[derive(Debug, Clone)]
struct Examined {
    found: Found,
    proposal: Proposal,
    settings: Settings,
    /// What was decided of this version, in its order.
    before: Vec<(Username, Decision)>,
}

impl DecideProposal {
    /// Prepares a decision about what was read.
    #[must_use]
    pub fn new(at: Located, ballot: Ballot, reason: Reason) -> Self {
        Self {
            at,
            ballot,
            reason,
            found: None,
        }
    }
}

impl Governed for DecideProposal {
    type Outcome = ProposalChange;
    const ACTION: Action = Action::DecideProposal;
    const HIDDEN: bool = true;
    fn target(&self) -> Target {
        Target::Scope(self.at.scope.clone())
    }
}

impl Perform for DecideProposal {
    async fn examine(&mut self, tx: &Transaction, known: &Known) -> StoreResult<Evidence> {
        let found = find(tx, &self.at).await?;
        let proposal = facts_of_proposal(&found.row, publishers_of(tx, &self.at.scope).await?)?;
        let mut evidence = Evidence {
            proposal: Some(proposal.clone()),
            ..Evidence::default()
        };
        if self.ballot.decision == Decision::Approve && found.row.ended_at.is_none() {
            // Approving publishes, and so it needs the room that publishing needs.
            evidence.room = room(tx, &self.at.scope, found.current.as_ref(), known).await?;
        }
        self.found = Some(Examined {
            before: decided(tx, &found.row).await?,
            proposal,
            settings: known.settings.clone(),
            found,
        });
        Ok(evidence)
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<ProposalChange> {
        let Self {
            at,
            ballot,
            reason,
            found,
        } = self;
        let Examined {
            found: Found { row, current },
            proposal,
            settings,
            before,
        } = examined(found)?;
        let me = work
            .caller
            .username()
            .cloned()
            .ok_or_else(|| StoreError::Internal("a decision by nobody".to_owned()))?;
        let needed = required(&at.scope, &settings);
        let approvals = |with_me: bool| {
            let approved: Vec<Username> = before
                .iter()
                .filter(|(_, decision)| *decision == Decision::Approve)
                .map(|(human, _)| human.clone())
                .chain(with_me.then(|| me.clone()))
                .collect();
            if at.scope.is_shared() {
                counted(&approved, &proposal, &settings)
            } else {
                // Whoever may decide it at all is the one actor.
                approved.len().min(1)
            }
        };
        let reviewed = Reviewed {
            state: state_of(&row, current.as_ref(), work.now)?,
            digest: parsed(&row.digest)?,
            base: row.base_digest.as_deref().map(parsed).transpose()?,
            required: needed,
            counted: approvals(true),
            before: before
                .iter()
                .rev()
                .find(|(human, _)| human.folded() == me.folded())
                .map(|(_, decision)| *decision),
        };
        let next = step(&reviewed, &ballot).map_err(obstacle)?;
        let finish = |change: ProposalChange, with_me: bool| ProposalChange {
            approvals: Some(count(approvals(with_me))),
            required: Some(count(needed)),
            ..change
        };
        if next == Step::Unchanged {
            work.unchanged = true;
            let change = ProposalChange {
                unchanged: true,
                ..change(&row, current.as_ref(), work.now)?
            };
            return Ok(finish(change, false));
        }
        let approves = ballot.decision == Decision::Approve;
        // What was found is overridden with a reason, which is kept with the decision.
        if approves && row.origin == Rule::FindingsReviewed.as_str() && reason.trim().is_empty() {
            return Err(StoreError::InvalidContent {
                field: "reason".into(),
                detail: "This is reviewed for what the scanner found in it. Say as `reason` why it is right all the same."
                    .to_owned(),
            });
        }
        describe(work, &row)?;
        work.audit.action = if approves {
            "approve-proposal"
        } else {
            "reject-proposal"
        }
        .to_owned();
        if !reason.is_empty() {
            work.audit
                .detail
                .insert("reason".to_owned(), reason.clone().into());
        }
        work.audit.before.clone_from(&row.base_digest);
        work.audit.after = Some(row.digest.clone());
        if reviewed.before != Some(ballot.decision) {
            note(work, &row, &me, ballot.decision, &reason).await?;
        }
        let row = match next {
            Step::Unchanged | Step::Counts => row,
            Step::Rejects => {
                ended(work, &row, ProposalState::Rejected, reason)
                    .update(work.tx)
                    .await?
            }
            Step::Publishes => {
                let number = publish(work, &at, &row, current.clone()).await?;
                let mut published = ended(work, &row, ProposalState::Published, reason);
                published.published = Set(Some(i64::from(number)));
                published.update(work.tx).await?
            }
        };
        Ok(finish(change(&row, current.as_ref(), work.now)?, approves))
    }
}

/// Publishes what was approved, as its author wrote it. Gives the number of the revision.
async fn publish(
    work: &mut Work<'_>,
    at: &Located,
    row: &proposal::Model,
    current: Option<crate::store::entity::skill::Model>,
) -> StoreResult<u32> {
    work.inner.sources.refuse_overridden(&at.scope, &at.name)?;
    refuse_recalled(work.tx, &at.scope, &row.digest).await?;
    refuse_recalled_files(work.tx, row).await?;
    let content = prepared_of(work.inner, work.tx, row).await?;
    let files = files_of_proposal(work.tx, row).await?;
    let next = NextRevision {
        content,
        files: Resolved::kept_at_target(files),
        digest: row.digest.clone(),
        writer: Writer {
            kind: row.author_kind,
            principal: row.author.clone(),
            acts_for: row.acts_for.clone(),
        },
        upstream: upstream::read(work.inner, work.tx, &at.scope, &at.name).await?,
    };
    let change = write_revision(work, &at.scope, &at.name, current, next).await?;
    Ok(change.revision)
}

/// What was decided of the version that a proposal has now.
async fn decided(
    tx: &Transaction,
    row: &proposal::Model,
) -> StoreResult<Vec<(Username, Decision)>> {
    proposal_decision::Entity::find()
        .filter(proposal_decision::Column::Tenant.eq(row.tenant.as_str()))
        .filter(proposal_decision::Column::Number.eq(row.number))
        .filter(proposal_decision::Column::Version.eq(row.version))
        .order_by_asc(proposal_decision::Column::Seq)
        .all(tx)
        .await?
        .into_iter()
        .map(|row| {
            let human = Username::parse(&row.username).map_err(|_| StoreError::Corrupt)?;
            let decision = if row.approve {
                Decision::Approve
            } else {
                Decision::Reject
            };
            Ok((human, decision))
        })
        .collect()
}

/// Writes a decision down.
async fn note(
    work: &Work<'_>,
    row: &proposal::Model,
    human: &Username,
    decision: Decision,
    reason: &str,
) -> StoreResult<()> {
    use sea_orm::PaginatorTrait as _;
    let before = proposal_decision::Entity::find()
        .filter(proposal_decision::Column::Tenant.eq(row.tenant.as_str()))
        .filter(proposal_decision::Column::Number.eq(row.number))
        .count(work.tx)
        .await?;
    let made = proposal_decision::Model {
        tenant: row.tenant.clone(),
        number: row.number,
        seq: i64::try_from(before).unwrap_or(i64::MAX).saturating_add(1),
        version: row.version,
        username: human.to_string(),
        approve: decision == Decision::Approve,
        digest: row.digest.clone(),
        base_digest: row.base_digest.clone(),
        reason: reason.to_owned(),
        created_at: work.now.0,
    };
    proposal_decision::Entity::insert(made.into_active_model().reset_all())
        .exec_without_returning(work.tx)
        .await?;
    Ok(())
}

fn parsed(digest: &str) -> StoreResult<Digest> {
    Digest::parse(digest).ok_or(StoreError::Corrupt)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
