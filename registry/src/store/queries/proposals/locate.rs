//! Finding out what a proposal is for, before anything is decided about it.

use sea_orm::EntityTrait;
use vestry_policies::{Action, Target};

use crate::store::entity::proposal;
use crate::store::error::{StoreError, StoreResult};
use crate::store::pool::Transaction;
use crate::store::proposals::{Located, ProposalId, facts_of_proposal, find, scope_of_row};
use crate::store::rows::item_of;
use crate::store::view::{Fetch, Query, View};
use crate::store::work::Evidence;

/// Looks for a proposal. What it gives tells the caller nothing by itself: whatever is done with it is decided about its
/// scope, and is answered as if it did not exist to those who may not know of it.
#[derive(Debug, Clone)]
pub struct LocateProposal {
    /// The id.
    pub id: ProposalId,
}

impl Query for LocateProposal {
    type Answer = Located;
    const ACTION: Action = Action::ReadProposal;
    fn target(&self) -> Target {
        Target::Server
    }
}

/// Asks whether the caller may know of a proposal, so that what it sends is not looked at otherwise.
#[derive(Debug, Clone)]
pub struct SeeProposal {
    /// The proposal.
    pub at: Located,
}

impl Query for SeeProposal {
    type Answer = Located;
    const ACTION: Action = Action::ReadProposal;
    fn target(&self) -> Target {
        Target::Scope(self.at.scope.clone())
    }
}

impl Fetch for SeeProposal {
    async fn examine(&mut self, db: &Transaction) -> StoreResult<Evidence> {
        let found = find(db, &self.at).await?;
        Ok(Evidence {
            proposal: Some(facts_of_proposal(&found.row, Vec::new())?),
            ..Evidence::default()
        })
    }

    async fn fetch(self, _: &View<'_>) -> StoreResult<Located> {
        Ok(self.at)
    }
}

impl Fetch for LocateProposal {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Located> {
        let missing = || StoreError::NotFound("This proposal".to_owned());
        if !self.id.is_reachable(view.caller) {
            return Err(missing());
        }
        let row = proposal::Entity::find_by_id(self.id.key(view.caller))
            .one(view.db)
            .await?
            .ok_or_else(missing)?;
        Ok(Located {
            scope: scope_of_row(&row)?,
            name: item_of(row.kind, &row.name)?,
            tenant: row.tenant,
            number: row.number,
        })
    }
}
