//! Dropping what has outlived its time: turns, journal, idempotency keys, ended logins, uploads that nobody published;
//! and writing down that proposals have expired. Once an hour, in small steps, each a transaction of its own: whoever writes
//! waits for one of them at most, and on PostgreSQL for none, because they lock nothing but the rows that they drop.

use std::sync::atomic::{AtomicI64, Ordering};

use sea_orm::{ColumnTrait as _, ConnectionTrait as _, EntityTrait, QuerySelect as _, Statement};

use super::entity::journal;
use super::error::StoreResult;
use super::tenant_set::TenantSet;
use super::turns::outlived;
use super::writing::Writing;
use super::{Store, idempotency};
use crate::clock::{Micros, SECOND};

/// How many days the journal is kept.
pub(super) const JOURNAL_DAYS: i64 = 90;
const DAY: i64 = 24 * 60 * 60;
const INTERVAL: i64 = 60 * 60 * SECOND;
/// How many rows are dropped at once.
const STEP: i64 = 1_000;

/// Rows that are dropped by their age.
struct Aged {
    table: &'static str,
    /// The columns that name a row.
    key: &'static str,
    /// The column that says how old it is.
    age: &'static str,
    /// What else has to hold.
    unless: &'static str,
}

const TURNS: Aged = Aged::of("turns", "tenant, actor, agent, turn", "created_at");
const OPENINGS: Aged = Aged::of("openings", "tenant, actor, agent, turn", "created_at");
const STANDING: Aged = Aged::of(
    "standing_turns",
    "tenant, credential, role, cap",
    "taken_at",
);
const JOURNAL: Aged = Aged::of("journal", "tenant, number", "last_at");
const SNAPSHOTS: Aged = Aged {
    unless: " AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.tenant = snapshots.tenant AND turns.snapshot = snapshots.digest)",
    ..Aged::of("snapshots", "tenant, digest", "offered_at")
};
const IDEMPOTENCY: Aged = Aged::of(
    "idempotency_keys",
    "tenant, principal, route, key",
    "created_at",
);
const REFRESH_TOKENS: Aged = Aged::of("refresh_tokens", "token_hash", "expires_at");
const ELEVATIONS: Aged = Aged::of("elevations", "id", "expires_at");
const SESSIONS: Aged = Aged::of("sessions", "id", "expires_at");

impl Aged {
    const fn of(table: &'static str, key: &'static str, age: &'static str) -> Self {
        Self {
            table,
            key,
            age,
            unless: "",
        }
    }

    /// Drops some of those that are no younger than `$1`, at most `$2`. The age is asked twice: a row that was written anew
    /// since it was found stays.
    fn sql(&self) -> String {
        let Self {
            table,
            key,
            age,
            unless,
        } = self;
        format!(
            "DELETE FROM {table} WHERE ({key}) IN \
             (SELECT {key} FROM {table} WHERE {age} <= $1{unless} ORDER BY {age} LIMIT $2) AND {age} <= $1{unless}"
        )
    }
}

/// When house was kept last, in microseconds since the Unix epoch.
#[derive(Debug)]
pub(super) struct LastKept(AtomicI64);

impl Default for LastKept {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl Store {
    /// Whether an hour has gone by since house was kept last; it is taken to be kept with that.
    pub(super) fn house_is_due(&self) -> bool {
        let now = self.inner.clock.now();
        let last = self.inner.last_kept.0.load(Ordering::Relaxed);
        if now.0.saturating_sub(last) < INTERVAL {
            return false;
        }
        self.inner.last_kept.0.store(now.0, Ordering::Relaxed);
        true
    }

    /// Keeps house.
    pub(super) async fn keep_house(&self) {
        let now = self.inner.clock.now();
        self.inner.live.forget_expired(now);
        if let Err(error) = self.drop_expired().await {
            tracing::warn!(error = %error, "expired rows could not be dropped; the next hour tries again");
        }
        if let Err(error) = self.expire_proposals().await {
            tracing::warn!(error = %error, "expired proposals could not be ended; the next hour tries again");
        }
        self.collect_uploads();
    }

    async fn drop_expired(&self) -> StoreResult<()> {
        let now = self.inner.clock.now();
        let outlived = outlived(now);
        for turns in [&TURNS, &OPENINGS, &STANDING] {
            self.drop_until(turns, outlived).await?;
        }
        // The age is also that against the newest row, which the database itself holds to: what is missing without being
        // that old was taken away.
        let newest: Option<Option<i64>> = journal::Entity::find()
            .select_only()
            .column_as(journal::Column::LastAt.max(), "newest")
            .into_tuple()
            .one(&self.inner.reader.statements(&TenantSet::Every).await?)
            .await?;
        let newest = newest
            .flatten()
            .map_or(now, |newest| now.min(Micros(newest)));
        let kept = |days: i64, until: Micros| until.plus_seconds(-days * DAY);
        self.drop_until(&JOURNAL, kept(JOURNAL_DAYS, newest))
            .await?;
        // A day longer than the lines that name them.
        self.drop_until(&SNAPSHOTS, kept(JOURNAL_DAYS + 1, now))
            .await?;
        let remembered = now.plus_seconds(-idempotency::LIFETIME_SECONDS);
        self.drop_until(&IDEMPOTENCY, remembered).await?;
        // Kept a day longer than they hold, so that a stolen refresh token that is used late still ends its family.
        for ended in [&REFRESH_TOKENS, &ELEVATIONS, &SESSIONS] {
            self.drop_until(ended, kept(1, now)).await?;
        }
        Ok(())
    }

    /// Drops what is no younger than this, step by step.
    async fn drop_until(&self, aged: &Aged, end: Micros) -> StoreResult<()> {
        let sql = aged.sql();
        loop {
            let (writer, tx) = self.begin_writing(&Writing::expired()).await?;
            let statement = Statement::from_sql_and_values(
                self.inner.backend,
                sql.as_str(),
                [end.0.into(), STEP.into()],
            );
            let dropped = tx.execute_raw(statement).await?.rows_affected();
            tx.commit().await?;
            drop(writer);
            if i64::try_from(dropped).unwrap_or(0) < STEP {
                return Ok(());
            }
        }
    }
}
