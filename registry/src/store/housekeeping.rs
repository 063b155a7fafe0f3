//! Dropping what has outlived its time: turns, journal, idempotency keys, ended logins, uploads that nobody published;
//! and writing down that proposals have expired. Once an hour, in small steps.

use std::sync::atomic::{AtomicI64, Ordering};

use sea_orm::sea_query::{Expr, Query};
use sea_orm::{ColumnTrait, EntityTrait, ExprTrait as _, QueryFilter, QuerySelect as _};

use super::entity::{
    elevation, idempotency_key, journal, opening, refresh_token, session, snapshot, standing_turn,
    turn,
};
use super::error::StoreResult;
use super::turns::outlived;
use super::writing::Writing;
use super::{Store, idempotency};
use crate::clock::{Micros, SECOND};

/// How many days the journal is kept.
pub(super) const JOURNAL_DAYS: i64 = 90;
const DAY: i64 = 24 * 60 * 60;
const INTERVAL: i64 = 60 * 60 * SECOND;

/// When house was kept last, in microseconds since the Unix epoch.
#[derive(Debug)]
pub(super) struct LastKept(AtomicI64);

impl Default for LastKept {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl Store {
    /// Keeps house if an hour has gone by since it was kept last. True when it did: which snapshots are kept is then to be
    /// asked again, so that one that is still offered is marked as such at least once an hour.
    pub(super) async fn keep_house(&self) -> bool {
        let now = self.inner.clock.now();
        let last = self.inner.last_kept.0.load(Ordering::Relaxed);
        if now.0.saturating_sub(last) < INTERVAL {
            return false;
        }
        self.inner.last_kept.0.store(now.0, Ordering::Relaxed);
        self.inner.live.forget_expired(now);
        if let Err(error) = self.drop_expired().await {
            tracing::warn!(error = %error, "expired rows could not be dropped; the next hour tries again");
        }
        if let Err(error) = self.expire_proposals().await {
            tracing::warn!(error = %error, "expired proposals could not be ended; the next hour tries again");
        }
        // Not awaited: the journal keeps house, and turns wait for the journal.
        self.collect_uploads();
        true
    }

    async fn drop_expired(&self) -> StoreResult<()> {
        let now = self.inner.clock.now();
        let (writer, tx) = self.begin_writing(&Writing::everywhere()).await?;
        turn::Entity::delete_many()
            .filter(turn::Column::CreatedAt.lte(outlived(now).0))
            .exec(&tx)
            .await?;
        opening::Entity::delete_many()
            .filter(opening::Column::CreatedAt.lte(outlived(now).0))
            .exec(&tx)
            .await?;
        standing_turn::Entity::delete_many()
            .filter(standing_turn::Column::TakenAt.lte(outlived(now).0))
            .exec(&tx)
            .await?;
        // The age is also that against the newest row, which the database itself holds to: what is missing without being
        // that old was taken away.
        let newest: Option<Option<i64>> = journal::Entity::find()
            .select_only()
            .column_as(journal::Column::LastAt.max(), "newest")
            .into_tuple()
            .one(&tx)
            .await?;
        let newest = newest
            .flatten()
            .map_or(now, |newest| now.min(Micros(newest)));
        let journal_end = newest.plus_seconds(-JOURNAL_DAYS * DAY).0;
        journal::Entity::delete_many()
            .filter(journal::Column::LastAt.lte(journal_end))
            .exec(&tx)
            .await?;
        let referenced = Query::select()
            .expr(Expr::val(1))
            .from(turn::Entity)
            .and_where(
                Expr::col((turn::Entity, turn::Column::Tenant))
                    .equals((snapshot::Entity, snapshot::Column::Tenant)),
            )
            .and_where(
                Expr::col((turn::Entity, turn::Column::Snapshot))
                    .equals((snapshot::Entity, snapshot::Column::Digest)),
            )
            .to_owned();
        // A day longer than the lines that name them.
        snapshot::Entity::delete_many()
            .filter(snapshot::Column::OfferedAt.lte(now.plus_seconds(-(JOURNAL_DAYS + 1) * DAY).0))
            .filter(Expr::exists(referenced).not())
            .exec(&tx)
            .await?;
        idempotency_key::Entity::delete_many()
            .filter(
                idempotency_key::Column::CreatedAt
                    .lte(now.plus_seconds(-idempotency::LIFETIME_SECONDS).0),
            )
            .exec(&tx)
            .await?;
        // Kept a day longer than they hold, so that a stolen refresh token that is used late still ends its family.
        let ended = now.plus_seconds(-DAY).0;
        refresh_token::Entity::delete_many()
            .filter(refresh_token::Column::ExpiresAt.lte(ended))
            .exec(&tx)
            .await?;
        elevation::Entity::delete_many()
            .filter(elevation::Column::ExpiresAt.lte(ended))
            .exec(&tx)
            .await?;
        session::Entity::delete_many()
            .filter(session::Column::ExpiresAt.lte(ended))
            .exec(&tx)
            .await?;
        tx.commit().await?;
        drop(writer);
        Ok(())
    }
}
