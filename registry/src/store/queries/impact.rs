//! What one of the switches of a skill would do, without doing it.

use vestry_policies::{Action, ItemName, Scope, Target};

use crate::store::actions::{find, missing, status};
use crate::store::entity::skill;
use crate::store::error::{StoreError, StoreResult};
use crate::store::impact::{self, Change, ImpactQuestion, Shape, What, composed};
use crate::store::rows::{RECALL_NONE, RECALL_QUARANTINED, RECALL_REVOKED};
use crate::store::view::{Fetch, Query, View};

/// Asks what an action on a skill would do.
#[derive(Debug, Clone)]
pub struct ImpactOf {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
    /// What would be done: sealing, disabling, archiving, recalling, hiding, or undoing one of them.
    pub action: Action,
}

/// What it would do.
#[derive(Debug)]
pub struct Foreseen {
    /// Whether the caller may do it now.
    pub allowed: bool,
    /// The rule that says so.
    pub rule: &'static str,
    /// Whether everything is so already.
    pub unchanged: bool,
    /// What is to be weighed; nothing where the caller may know of no actor.
    pub impact: Option<ImpactQuestion>,
}

impl Query for ImpactOf {
    type Answer = Foreseen;
    const ACTION: Action = Action::CheckSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for ImpactOf {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Foreseen> {
        let Self {
            scope,
            name,
            action,
        } = self;
        let row = find(view.db, &scope, &name)
            .await?
            .filter(|row| !row.archived || is_recall(action) || action == Action::ArchiveSkill)
            .ok_or_else(|| missing(&scope, &name))?;
        let (target, unchanged, what) = if is_of_tenant(action) {
            hiding(view, &scope, &name, &row, action).await?
        } else {
            let after = after(&row, action)?;
            let what = What::Becomes(composed(view.inner, &scope, &name, Some(&after))?);
            (Target::Scope(scope.clone()), after == Shape::of(&row), what)
        };
        let verdict = view.verdict(action, &target, Some(status(&row))).await?;
        let impact = match name.skill().cloned() {
            Some(name) => impact::ask(view, Change { scope, name, what }).await?,
            // Instructions of roles are in no catalog.
            None => None,
        };
        Ok(Foreseen {
            allowed: verdict.is_allowed(),
            rule: verdict.rule().as_str(),
            unchanged,
            impact,
        })
    }
}

fn is_recall(action: Action) -> bool {
    matches!(
        action,
        Action::QuarantineSkill | Action::ReleaseSkill | Action::RevokeSkill
    )
}

fn is_of_tenant(action: Action) -> bool {
    matches!(action, Action::HideSkill | Action::ShowSkill)
}

/// What the row says after the action, on its current revision.
fn after(row: &skill::Model, action: Action) -> StoreResult<Shape> {
    let mut shape = Shape::of(row);
    match action {
        Action::SealSkill => shape.sealed = true,
        Action::UnsealSkill => shape.sealed = false,
        Action::DisableSkill => shape.disabled = true,
        Action::EnableSkill => shape.disabled = false,
        Action::ArchiveSkill => {
            shape.archived = true;
            shape.sealed = false;
        }
        Action::RevokeSkill => shape.recall = RECALL_REVOKED,
        Action::QuarantineSkill | Action::ReleaseSkill => {
            if shape.recall == RECALL_REVOKED {
                return Err(StoreError::Conflict(
                    "The current revision has been revoked, which is final; publish other content."
                        .to_owned(),
                ));
            }
            shape.recall = if action == Action::QuarantineSkill {
                RECALL_QUARANTINED
            } else {
                RECALL_NONE
            };
        }
        other => {
            return Err(StoreError::Internal(format!(
                "{} is no switch of a skill",
                other.as_str()
            )));
        }
    }
    Ok(shape)
}

/// Hiding and showing are the tenant's: the caller's own.
async fn hiding(
    view: &View<'_>,
    scope: &Scope,
    name: &ItemName,
    row: &skill::Model,
    action: Action,
) -> StoreResult<(Target, bool, What)> {
    let (Some(tenant), Some(skill)) = (
        view.caller.tenant().filter(|_| *scope == Scope::Global),
        name.skill(),
    ) else {
        return Err(StoreError::NotFound(format!(
            "A tenant that could hide `{name}` at {scope}"
        )));
    };
    let hides = action == Action::HideSkill;
    if hides && row.sealed {
        return Err(StoreError::Conflict(format!(
            "The global skill `{name}` is sealed, so no tenant can hide it."
        )));
    }
    let target = Scope::Tenant(tenant.clone());
    let is_hidden = view.store.scope(&target).await?.hidden.contains(skill);
    Ok((
        Target::Scope(target),
        is_hidden == hides,
        What::Hidden(tenant.clone(), hides),
    ))
}
