//! Recalling a revision: quarantine (reversible), release, revoke (final). A recall is in force for new catalogs and for
//! outstanding offers as soon as it is acknowledged.

use sea_orm::{ActiveModelTrait, ActiveValue::Set, IntoActiveModel};
use vestry_policies::{Action, ItemName, Scope, Target};

use super::skill_rows::{
    SkillChange, bump_scope, change, describe, evidence, find, find_revision, missing, unchanged,
};
use crate::store::authorize::Governed;
use crate::store::entity::skill;
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::live::Effect;
use crate::store::pool::Transaction;
use crate::store::rows::{RECALL_NONE, RECALL_QUARANTINED, RECALL_REVOKED, ScopeKey};
use crate::store::work::{Evidence, Perform, Work};

macro_rules! recall_action {
    ($(#[$doc:meta])* $action:ident, $recall:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $action {
            scope: Scope,
            name: ItemName,
            revision: Option<u32>,
            reason: super::Reason,
            current: Option<skill::Model>,
        }

        impl $action {
            /// Prepares it, for one revision or for the current one.
            #[must_use]
            pub fn new(scope: Scope, name: ItemName, revision: Option<u32>, reason: super::Reason) -> Self {
                Self { scope, name, revision, reason, current: None }
            }
        }

        impl Governed for $action {
            type Outcome = SkillChange;
            const ACTION: Action = Action::$action;
            fn target(&self) -> Target {
                Target::Scope(self.scope.clone())
            }
        }

        impl Perform for $action {
            async fn examine(&mut self, tx: &Transaction, _: &Known) -> StoreResult<Evidence> {
                self.current = find(tx, &self.scope, &self.name).await?;
                Ok(evidence(self.current.as_ref()))
            }

            async fn perform(self, work: &mut Work<'_>) -> StoreResult<SkillChange> {
                let Self { scope, name, revision, reason, current } = self;
                // Archived ones too: what they pinned still loads until it is recalled.
                let row = current.ok_or_else(|| missing(&scope, &name))?;
                set_recall(work, &scope, &name, row, revision, $recall, reason).await
            }
        }
    };
}

recall_action! {
    /// Quarantines a revision.
    QuarantineSkill, RECALL_QUARANTINED
}
recall_action! {
    /// Releases a quarantined revision.
    ReleaseSkill, RECALL_NONE
}
recall_action! {
    /// Revokes a revision, for good.
    RevokeSkill, RECALL_REVOKED
}

async fn set_recall(
    work: &mut Work<'_>,
    scope: &Scope,
    name: &ItemName,
    row: skill::Model,
    revision: Option<u32>,
    recall: i16,
    reason: String,
) -> StoreResult<SkillChange> {
    let number = match revision {
        Some(number) => number,
        None => crate::store::rows::unsigned(row.revision, "revision")?,
    };
    let subject = find_revision(work.tx, scope, name, number)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("Revision {number} of `{name}` at {scope}")))?;
    if subject.recall == recall {
        return unchanged(work, scope, &row);
    }
    if subject.recall == RECALL_REVOKED {
        return Err(StoreError::Conflict(format!(
            "Revision {number} has been revoked, which is final; publish other content."
        )));
    }
    describe(work, scope, name, &reason);
    work.audit.before = Some(subject.digest.clone());
    work.audit.after = Some(subject.digest.clone());
    work.audit
        .detail
        .insert("revision".to_owned(), number.into());
    let is_current = subject.number == row.revision;
    let mut changed = subject.into_active_model();
    changed.recall = Set(recall);
    changed.recall_reason = Set(Some(reason));
    changed.recalled_at = Set(Some(work.now.0));
    changed.update(work.tx).await?;
    let key = ScopeKey::of(scope);
    work.effects
        .push(Effect::Recall((key, name.to_string(), number), recall));
    let row = if is_current {
        let mut row = row.into_active_model();
        row.recall = Set(recall);
        row.updated_at = Set(work.now.0);
        row.update(work.tx).await?
    } else {
        row
    };
    bump_scope(work, scope);
    change(scope, &row)
}
