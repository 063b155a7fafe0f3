//! Openings of named turns, kept as long as turns are: the first one is what all later ones are.

use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel};

use super::Terms;
use crate::store::tenant_set::TenantSet;
use crate::store::writing::{Writing, commit};
use vestry_policies::{Action, Rule};

use super::pins::Pins;
use crate::content::sha256_text;
use crate::identity::Caller;
use crate::store::Store;
use crate::store::audit::{self, Draft};
use crate::store::entity::opening;
use crate::store::error::{StoreError, StoreResult};
use crate::store::turns::{TurnKey, outlived};

/// What is recorded beside the opening itself.
pub(super) struct Beside {
    pub(super) session: Option<String>,
    pub(super) request_id: Option<String>,
    pub(super) rule: Rule,
}

/// What came of recording an opening.
pub(super) enum Recorded {
    /// It is the first of its turn.
    First,
    /// There was one before.
    Taken,
}

impl Store {
    /// What a turn was opened with, if it was.
    ///
    /// # Errors
    /// [`StoreError::TurnConflict`] when that was on other terms.
    pub(super) async fn recorded_opening(
        &self,
        key: &TurnKey,
        terms: &Terms,
    ) -> StoreResult<Option<Pins>> {
        let tenants = TenantSet::of_keys([key.0.as_str()]);
        let row = opening::Entity::find_by_id(key.clone())
            .one(&self.inner.reader.statements(&tenants).await?)
            .await?
            .filter(|row| self.holds(row));
        let Some(row) = row else {
            return Ok(None);
        };
        if row.role != terms.role || row.context != terms.context {
            return Err(StoreError::TurnConflict);
        }
        if sha256_text(row.pins.as_bytes()) != row.digest {
            return Err(StoreError::Internal("an opening is damaged".to_owned()));
        }
        Ok(Some(serde_json::from_str(&row.pins)?))
    }

    /// Whether it has not outlived its time.
    fn holds(&self, row: &opening::Model) -> bool {
        row.created_at > outlived(self.inner.clock.now()).0
    }

    /// Keeps what a turn is opened with, unless it was opened before.
    pub(super) async fn record_opening(
        &self,
        caller: &Caller,
        key: &TurnKey,
        terms: &Terms,
        pins: &Pins,
        beside: Beside,
    ) -> StoreResult<Recorded> {
        let Beside {
            session,
            request_id,
            rule,
        } = beside;
        let (tenant, actor, agent, turn) = key.clone();
        let pins = serde_json::to_string(pins)?;
        let now = self.inner.clock.now();
        let row = opening::Model {
            tenant,
            actor,
            agent,
            turn,
            role: terms.role.clone(),
            context: terms.context.clone(),
            digest: sha256_text(pins.as_bytes()),
            pins,
            session,
            created_at: now.0,
        };
        let draft = Draft {
            principal: caller.principal_text().to_owned(),
            acts_for: caller.acts_for().map(ToString::to_string),
            action: Action::OpenRun.as_str().to_owned(),
            target: format!("turn:{}", row.turn),
            rule: Some(rule.as_str().to_owned()),
            request_id,
            after: Some(row.digest.clone()),
            detail: serde_json::Map::from_iter([("role".to_owned(), row.role.clone().into())]),
            ..Draft::default()
        };
        let store = self.clone();
        // Not ended by a client that leaves.
        tokio::spawn(async move { store.insert_opening(row, draft).await })
            .await
            .map_err(|error| StoreError::Internal(error.to_string()))?
    }

    async fn insert_opening(&self, row: opening::Model, draft: Draft) -> StoreResult<Recorded> {
        let writing = Writing::in_tenant(&row.tenant);
        let (writer, tx) = self.begin_writing(&writing).await?;
        let id = (
            row.tenant.clone(),
            row.actor.clone(),
            row.agent.clone(),
            row.turn.clone(),
        );
        let before = opening::Entity::find_by_id(id).one(&tx).await?;
        match before {
            Some(before) if self.holds(&before) => {
                tx.rollback().await?;
                return Ok(Recorded::Taken);
            }
            Some(before) => {
                opening::Entity::delete(before.into_active_model())
                    .exec(&tx)
                    .await?;
            }
            None => {}
        }
        let (tenant, now) = (row.tenant.clone(), self.inner.clock.now());
        opening::Entity::insert(row.into_active_model().reset_all())
            .exec_without_returning(&tx)
            .await?;
        audit::append(&tx, &tenant, now, vec![draft]).await?;
        commit(tx).await?;
        drop(writer);
        Ok(Recorded::First)
    }
}
