//! Which records of the log of global are changes of skills: what everybody is told, and may count.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tokio::sync::Mutex;

use super::event::{changes_skill, event_actions};
use crate::store::audit;
use crate::store::entity::audit as row;
use crate::store::error::StoreResult;
use crate::store::rows::tenant_key;

/// How many records are read at a time.
const STEP: u64 = 1_000;

/// The changes of global skills, in order: eight bytes each. The log only grows, so that what is known stays true.
#[derive(Debug, Default)]
pub(in crate::store) struct Changes(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The numbers of their records.
    records: Vec<i64>,
    /// How far the log was looked at.
    looked_at: i64,
}

impl Changes {
    /// How many there are up to this record, which the log has.
    pub(in crate::store) async fn count<C: ConnectionTrait>(
        &self,
        db: &C,
        up_to: i64,
    ) -> StoreResult<i64> {
        let mut known = self.0.lock().await;
        known.look_at(db, up_to).await?;
        let count = known.records.partition_point(|record| *record <= up_to);
        Ok(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// The record of the change with this number, from 1; 0 for 0, and none where the log, up to `head`, has fewer.
    pub(in crate::store) async fn record<C: ConnectionTrait>(
        &self,
        db: &C,
        number: i64,
        head: i64,
    ) -> StoreResult<Option<i64>> {
        let mut known = self.0.lock().await;
        known.look_at(db, head).await?;
        let record = match usize::try_from(number) {
            Ok(0) => Some(0),
            Ok(number) => known.records.get(number - 1).copied(),
            Err(_) => None,
        };
        Ok(record.filter(|record| *record <= head))
    }
}

impl Known {
    async fn look_at<C: ConnectionTrait>(&mut self, db: &C, up_to: i64) -> StoreResult<()> {
        while self.looked_at < up_to {
            let rows = row::Entity::find()
                .filter(row::Column::Tenant.eq(tenant_key(None)))
                .filter(row::Column::Seq.gt(self.looked_at))
                .filter(row::Column::Seq.lte(up_to))
                .filter(event_actions())
                .order_by_asc(row::Column::Seq)
                .limit(STEP)
                .all(db)
                .await?;
            let is_last = u64::try_from(rows.len()).is_ok_and(|rows| rows < STEP);
            for row in rows {
                self.looked_at = row.seq;
                if changes_skill(&audit::read(&row)?) {
                    self.records.push(row.seq);
                }
            }
            if is_last {
                self.looked_at = up_to;
            }
        }
        Ok(())
    }
}
