//! Ending proposals that nobody decided in time.
//!
//! They have ended by the clock already: this writes it down, with the system as the principal.

use std::collections::BTreeSet;

use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel as _,
    QueryFilter, QueryOrder, QuerySelect,
};
use vestry_policies::ProposalState;

use super::create::audit_target;
use super::rows::detail;
use crate::store::Store;
use crate::store::audit::{self, Draft};
use crate::store::entity::proposal;
use crate::store::error::StoreResult;
use crate::store::rows::proposal_state_code;
use crate::store::writing::Writing;

/// The most of one transaction: others write in between.
const STEP: u64 = 50;
/// Who does what nobody asked for.
const SYSTEM: &str = "system";

impl Store {
    /// Writes down the end of all that have expired.
    pub(in crate::store) async fn expire_proposals(&self) -> StoreResult<()> {
        while self.expire_some().await? {}
        Ok(())
    }

    /// One step; whether there may be more.
    async fn expire_some(&self) -> StoreResult<bool> {
        let (writer, tx) = self.begin_writing(&Writing::everywhere()).await?;
        let now = self.inner.clock.now();
        let rows = proposal::Entity::find()
            .filter(proposal::Column::State.eq(proposal_state_code(ProposalState::Open)))
            .filter(proposal::Column::ExpiresAt.lte(now.0))
            .order_by_asc(proposal::Column::ExpiresAt)
            .limit(STEP)
            .all(&tx)
            .await?;
        let more = u64::try_from(rows.len()).unwrap_or(u64::MAX) >= STEP;
        let mut tenants = BTreeSet::new();
        for row in rows {
            tenants.insert(row.tenant.clone());
            let draft = Draft {
                principal: SYSTEM.to_owned(),
                action: "expire-proposal".to_owned(),
                target: audit_target(&row),
                before: Some(row.digest.clone()),
                detail: detail(&row)?,
                ..Draft::default()
            };
            audit::append(&tx, &row.tenant, now, vec![draft]).await?;
            let mut ended = row.into_active_model();
            ended.state = Set(proposal_state_code(ProposalState::Expired));
            ended.ended_at = Set(Some(now.0));
            ended.ended_by = Set(Some(SYSTEM.to_owned()));
            ended.updated_at = Set(now.0);
            ended.update(&tx).await?;
        }
        tx.commit().await?;
        drop(writer);
        for tenant in &tenants {
            self.inner.wakes.grown(tenant);
        }
        Ok(more)
    }
}
