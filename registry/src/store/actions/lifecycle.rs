//! Archiving, disabling and enabling: one flag of a skill each, under one shape.

use vestry_policies::{Action, ItemName, Scope, Target};

use super::skill_rows::{Precondition, SkillChange, evidence, find, missing, save, unchanged};
use crate::store::authorize::Governed;
use crate::store::entity::skill;
use crate::store::error::StoreResult;
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::work::{Evidence, Perform, Work};

macro_rules! flag_action {
    ($(#[$doc:meta])* $action:ident, is_so: $is_so:expr, make_so: $make_so:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $action {
            scope: Scope,
            name: ItemName,
            precondition: Precondition,
            reason: super::Reason,
            current: Option<skill::Model>,
        }

        impl $action {
            /// Prepares it.
            #[must_use]
            pub fn new(scope: Scope, name: ItemName, precondition: Precondition, reason: super::Reason) -> Self {
                Self { scope, name, precondition, reason, current: None }
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
                let Self { scope, name, precondition, reason, current } = self;
                let mut row = current
                    .filter(|row| !row.archived || Self::ACTION == Action::ArchiveSkill)
                    .ok_or_else(|| missing(&scope, &name))?;
                precondition.check(Some(&row))?;
                let is_so: fn(&skill::Model) -> bool = $is_so;
                if is_so(&row) {
                    return unchanged(work, &scope, &row);
                }
                let make_so: fn(&mut skill::Model) = $make_so;
                make_so(&mut row);
                save(work, &scope, row, &reason).await
            }
        }
    };
}

flag_action! {
    /// Archives a skill: it leaves catalogs and listings, its name can be published again, what was offered still loads.
    /// An archived skill is sealed no longer, so that it does not count against the limit.
    ArchiveSkill,
    is_so: |row| row.archived,
    make_so: |row| {
        row.archived = true;
        row.sealed = false;
    }
}

flag_action! {
    /// Leaves a skill out of new catalogs; what was offered still loads.
    DisableSkill,
    is_so: |row| row.disabled,
    make_so: |row| row.disabled = true
}

flag_action! {
    /// Takes a disabled skill back into catalogs.
    EnableSkill,
    is_so: |row| !row.disabled,
    make_so: |row| row.disabled = false
}
