//! What other processes write: who waits for a chain is woken when it has grown, by whomever.

use std::collections::HashMap;
use std::sync::Weak;
use std::time::Duration;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::store::Inner;
use crate::store::entity::audit_head::{Column, Entity};
use crate::store::error::StoreResult;
use crate::store::tenant_set::TenantSet;

/// How often the ends of the chains that somebody waits for are looked at.
const POLL: Duration = Duration::from_millis(250);

/// Looks at the ends of the chains that somebody waits for, for as long as the store lives. One short statement, and none
/// where nobody waits.
pub(in crate::store) async fn watch_chains(store: Weak<Inner>) {
    let mut known = HashMap::new();
    let mut tick = tokio::time::interval(POLL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let Some(inner) = store.upgrade() else {
            return;
        };
        if let Err(error) = look(&inner, &mut known).await {
            tracing::debug!(error = %error, "the ends of the audit chains could not be read");
        }
    }
}

async fn look(inner: &Inner, known: &mut HashMap<String, i64>) -> StoreResult<()> {
    let awaited = inner.wakes.awaited();
    known.retain(|chain, _| awaited.contains(chain));
    if awaited.is_empty() {
        return Ok(());
    }
    let tenants = TenantSet::of_keys(awaited.iter().map(String::as_str));
    let heads = Entity::find()
        .filter(Column::Tenant.is_in(&awaited))
        .all(&inner.reader.statements(&tenants).await?)
        .await?;
    for head in heads {
        // Who began to wait just now has not read yet, or has read to this end.
        if known.insert(head.tenant.clone(), head.seq) != Some(head.seq) {
            inner.wakes.grown(&head.tenant);
        }
    }
    Ok(())
}
