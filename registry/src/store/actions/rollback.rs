//! Rolling back: an earlier revision's content becomes a new revision, so that numbers are never reused.

use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel};
use vestry_policies::{Action, ItemName, Rule, Scope, Target};

use super::next_revision::refuse_broken;
use super::skill_rows::{
    Precondition, bump_scope, change, describe, evidence, find, find_revision, missing, number,
    point_at, refuse_recalled, room, unchanged,
};
use super::written::Written;
use crate::store::Scanned;
use crate::store::authorize::Governed;
use crate::store::blobs::repeat_files;
use crate::store::entity::{revision, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::proposals::{NewProposal, content_of_revision, create_proposal};
use crate::store::rows::{RECALL_NONE, kind_code};
use crate::store::upstream;
use crate::store::work::{Evidence, Perform, Work};

/// Makes the content of revision `to` current again.
#[derive(Debug, Clone)]
pub struct RollbackSkill {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
    /// The number of the revision to go back to.
    pub to: u32,
    /// What must be current.
    pub precondition: Precondition,
    /// Why.
    pub reason: super::Reason,
    scanned: Scanned,
    current: Option<skill::Model>,
    known: Option<Known>,
}

impl RollbackSkill {
    /// Prepares a rollback to a revision that was scanned.
    #[must_use]
    pub fn new(
        scope: Scope,
        name: ItemName,
        to: u32,
        precondition: Precondition,
        reason: super::Reason,
        scanned: Scanned,
    ) -> Self {
        Self {
            scope,
            name,
            to,
            precondition,
            reason,
            scanned,
            current: None,
            known: None,
        }
    }
}

impl Governed for RollbackSkill {
    type Outcome = Written;
    const ACTION: Action = Action::RollbackSkill;
    const BECOMES_PROPOSAL: bool = true;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

/// A rollback that may go on.
struct Ready {
    scope: Scope,
    name: ItemName,
    to: u32,
    reason: super::Reason,
    current: skill::Model,
    earlier: revision::Model,
}

impl RollbackSkill {
    /// Checks everything that a rollback is refused for, whether it becomes a revision or a proposal.
    async fn ready(self, work: &Work<'_>) -> StoreResult<Ready> {
        let Self {
            scope,
            name,
            to,
            precondition,
            reason,
            current,
            scanned,
            known: _,
        } = self;
        let current = current
            .filter(|row| !row.archived)
            .ok_or_else(|| missing(&scope, &name))?;
        precondition.check(Some(&current))?;
        let earlier = find_revision(work.tx, &scope, &name, to)
            .await?
            .ok_or_else(|| StoreError::NotFound(format!("Revision {to} of `{name}` at {scope}")))?;
        if earlier.recall != RECALL_NONE {
            return Err(StoreError::Conflict(format!(
                "Revision {to} has been recalled; roll back to another one."
            )));
        }
        refuse_recalled(work.tx, &scope, &earlier.digest).await?;
        scanned.refuse_template()?;
        Ok(Ready {
            scope,
            name,
            to,
            reason,
            current,
            earlier,
        })
    }
}

impl Perform for RollbackSkill {
    async fn examine(&mut self, tx: &Transaction, known: &Known) -> StoreResult<Evidence> {
        self.current = find(tx, &self.scope, &self.name).await?;
        let mut evidence = evidence(self.current.as_ref());
        evidence.name = Some(self.name.name().clone());
        evidence.worst_finding = self.scanned.worst(self.current.as_ref());
        if self.current.is_some() {
            evidence.room = room(tx, &self.scope, self.current.as_ref(), known).await?;
        }
        self.known = Some(known.clone());
        Ok(evidence)
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Written> {
        let Ready {
            scope,
            name,
            to,
            reason,
            current,
            earlier,
        } = self.ready(work).await?;
        describe(work, &scope, &name, &reason);
        work.audit.before = Some(current.digest.clone());
        work.audit.after = Some(earlier.digest.clone());
        work.audit.detail.insert("to".to_owned(), to.into());
        if earlier.templated {
            // It was checked before the writer was taken, and the schema may have changed since.
            let (content, _) = content_of_revision(work.tx, &earlier, String::new()).await?;
            work.settle_schema().await?;
            refuse_broken(work, &content)?;
        }
        let (schema_version, schema_digest) = work.inner.recorded_schema(earlier.templated);
        let made = revision::Model {
            schema_version,
            schema_digest,
            number: current.last_revision.saturating_add(1),
            author_kind: kind_code(work.caller.kind()),
            author: work.caller.principal_text().to_owned(),
            acts_for: work.caller.acts_for().map(ToString::to_string),
            message: reason,
            rolled_back_to: Some(i64::from(to)),
            created_at: work.now.0,
            recall_reason: None,
            recalled_at: None,
            ..earlier
        };
        number(work, made.number);
        revision::Entity::insert(made.clone().into_active_model().reset_all())
            .exec_without_returning(work.tx)
            .await?;
        repeat_files(work, &made, i64::from(to)).await?;
        let upstream = upstream::read(work.inner, work.tx, &scope, &name).await?;
        let mut row = current.into_active_model();
        point_at(&mut row, &made)?;
        upstream::set(&mut row, upstream.as_ref());
        row.last_revision = Set(made.number);
        row.updated_at = Set(work.now.0);
        let row = row.update(work.tx).await?;
        bump_scope(work, &scope);
        Ok(Written::Published(change(&scope, &row)?))
    }

    async fn propose(self, work: &mut Work<'_>, rule: Rule) -> StoreResult<Written> {
        let known = self
            .known
            .clone()
            .ok_or_else(|| StoreError::Internal("a skill was not examined".to_owned()))?;
        let Ready {
            scope,
            name,
            to,
            reason,
            current,
            earlier,
        } = self.ready(work).await?;
        if earlier.digest == current.digest {
            return Ok(Written::Published(unchanged(work, &scope, &current)?));
        }
        work.audit.detail.insert("to".to_owned(), to.into());
        let (content, files) = content_of_revision(work.tx, &earlier, reason).await?;
        let made = create_proposal(
            work,
            &known,
            NewProposal {
                scope,
                name,
                current: Some(current),
                content,
                files,
                digest: earlier.digest,
                rationale: String::new(),
                evidence: String::new(),
                origin: rule.as_str(),
            },
        )
        .await?;
        Ok(Written::Proposed(made))
    }
}
