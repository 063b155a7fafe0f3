//! Beginning to write: whose turn it is, and what is locked.
//!
//! On SQLite there is one writer, in one process. On PostgreSQL writes of one tenant come one after another, on all replicas
//! together, by advisory locks that the transaction holds: a write in a tenant shares the lock of global and has the tenant's
//! alone; a write at global, or of the store itself, has the lock of global alone. So what a write reads is what is true until
//! it commits, on either database; and since the locks of tenants are taken in their order, after that of global, no two
//! writes wait for each other.

use std::collections::BTreeSet;

use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DbBackend, DbErr, SqliteTransactionMode, Statement,
    TransactionOptions, TransactionTrait as _,
};
use vestry_migration::{GLOBAL_LOCK_CLASS, GLOBAL_TENANT, TENANT_LOCK_CLASS};
use vestry_policies::Target;

use super::Store;
use super::error::{StoreError, StoreResult};
use super::journal::Waits;
use super::pool::{Pool, Transaction};
use super::rows::tenant_key_str;
use super::tenant_set::TenantSet;
use super::turn::WriterTurn;
use crate::identity::Caller;

/// What a write is about.
#[derive(Debug, Clone)]
pub(super) struct Writing {
    tenants: TenantSet,
    /// The tenants that nobody else writes meanwhile; all of them where that of global is among them.
    locked: BTreeSet<String>,
}

impl Writing {
    /// What the store does by itself, in all tenants.
    pub(super) fn everywhere() -> Self {
        Self {
            tenants: TenantSet::Every,
            locked: BTreeSet::from([GLOBAL_TENANT.to_owned()]),
        }
    }

    /// What is written in these tenants together.
    pub(super) fn in_tenants(keys: BTreeSet<String>) -> Self {
        Self {
            tenants: TenantSet::of_keys(keys.iter().map(String::as_str)),
            locked: keys,
        }
    }

    /// What is written in one tenant, or at global.
    pub(super) fn in_tenant(key: &str) -> Self {
        Self::in_tenants(BTreeSet::from([key.to_owned()]))
    }

    /// Dropping what has expired, which nothing looks at any more: of all tenants, and nobody is locked out.
    pub(super) fn expired() -> Self {
        Self {
            tenants: TenantSet::Every,
            locked: BTreeSet::new(),
        }
    }

    /// Writing a session in a tenant, or at global. Its user may be of several tenants, all of which are looked at.
    pub(super) fn of_session(key: &str) -> Self {
        Self {
            tenants: TenantSet::Every,
            locked: BTreeSet::from([key.to_owned()]),
        }
    }

    /// What a caller does to a target.
    pub(super) fn of_call(caller: &Caller, target: &Target) -> Self {
        let tenant = match target {
            Target::Server => None,
            Target::Tenant(tenant) => Some(tenant),
            Target::Scope(scope) => scope.tenant(),
        };
        Self {
            tenants: TenantSet::of_call(caller, target),
            locked: BTreeSet::from([tenant_key_str(tenant).to_owned()]),
        }
    }

    /// The tenant, where only one is locked.
    fn only(&self) -> Option<&str> {
        let mut locked = self.locked.iter();
        let first = locked.next().map(String::as_str);
        first.filter(|_| locked.next().is_none())
    }

    /// As the function `vestry_begin` takes it: `*`, the tenants in their order, or nothing.
    fn lock(&self) -> String {
        if self.locked.contains(GLOBAL_TENANT) {
            return "*".to_owned();
        }
        let locked: Vec<&str> = self.locked.iter().map(String::as_str).collect();
        locked.join(",")
    }
}

impl Store {
    /// Waits for a turn and opens a transaction that holds the locks from the start.
    pub(super) async fn begin_writing(
        &self,
        writing: &Writing,
    ) -> StoreResult<(WriterTurn, Transaction)> {
        let of = writing.only().filter(|_| self.inner.is_shared());
        let turn = self.inner.writer_turns.take(of).await?;
        let tx = self.begin_locked(writing).await?;
        Ok((turn, tx))
    }

    /// As [`Store::begin_writing`], for the journal, which does not stand behind requests. Gives the tenants that it does not
    /// hold, because somebody else does and they are not to be waited for. Global is none of those that are asked for so.
    pub(super) async fn begin_journal(
        &self,
        tenants: BTreeSet<String>,
        waits: Waits,
    ) -> StoreResult<(WriterTurn, Transaction, BTreeSet<String>)> {
        let turn = self.inner.journal_turns.take(None).await?;
        let writing = Writing::in_tenants(tenants);
        if waits == Waits::ForAll || !self.inner.is_shared() {
            let tx = self.begin_locked(&writing).await?;
            return Ok((turn, tx, BTreeSet::new()));
        }
        let statement = Statement::from_sql_and_values(
            DbBackend::Postgres,
            lock_free_ones(),
            [writing.tenants.setting().into(), writing.lock().into()],
        );
        let mut tries = self.inner.retry.tries();
        loop {
            match begin_free(&self.inner.writer, &statement).await {
                Ok((tx, busy)) => return Ok((turn, tx, busy)),
                Err(error) => tries.after(error).await?,
            }
        }
    }

    async fn begin_locked(&self, writing: &Writing) -> StoreResult<Transaction> {
        let tx = match self.inner.backend {
            DbBackend::Postgres => {
                let statement = Statement::from_sql_and_values(
                    DbBackend::Postgres,
                    "SELECT vestry_begin($1, $2)",
                    [writing.tenants.setting().into(), writing.lock().into()],
                );
                let mut tries = self.inner.retry.tries();
                loop {
                    match begin(&self.inner.writer, &statement).await {
                        Ok(tx) => break tx,
                        Err(error) => tries.after(error).await?,
                    }
                }
            }
            _ => {
                let options = TransactionOptions {
                    sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                    ..TransactionOptions::default()
                };
                self.inner.writer.begin(options).await?
            }
        };
        Ok(tx)
    }
}

/// What `vestry_begin` does, but for the tenants that somebody else writes in: it gives those. The lock of global is waited for
/// before any other is taken, as everywhere: each tenant is taken out of a list that is there only then.
fn lock_free_ones() -> String {
    format!(
        "SELECT one FROM (SELECT set_config('vestry.tenants', $1, true) AS said, pg_advisory_xact_lock_shared({GLOBAL_LOCK_CLASS}, 0) OFFSET 0) AS begun \
         CROSS JOIN LATERAL unnest(string_to_array($2 || left(begun.said, 0), ',')) AS one \
         WHERE NOT pg_try_advisory_xact_lock({TENANT_LOCK_CLASS}, hashtext(one))"
    )
}

async fn begin_free(
    writer: &Pool,
    locking: &Statement,
) -> Result<(Transaction, BTreeSet<String>), DbErr> {
    let tx = writer.begin(TransactionOptions::default()).await?;
    let rows = tx.query_all_raw(locking.clone()).await?;
    let busy = rows.iter().map(|row| row.try_get("", "one"));
    let busy = busy.collect::<Result<_, _>>()?;
    Ok((tx, busy))
}

async fn begin(writer: &Pool, saying: &Statement) -> Result<Transaction, DbErr> {
    let tx = writer.begin(TransactionOptions::default()).await?;
    tx.query_one_raw(saying.clone()).await?;
    Ok(tx)
}

/// Opens a transaction that writes while nobody else does, outside of a running store.
pub(super) async fn begin_alone(writer: &DatabaseConnection) -> Result<Transaction, DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let tx = Transaction::patient(writer.begin_with_options(options).await?);
    if tx.get_database_backend() == DbBackend::Postgres {
        let sql = "SELECT vestry_begin('*', '*')";
        tx.query_one_raw(Statement::from_string(DbBackend::Postgres, sql))
            .await?;
    }
    Ok(tx)
}

/// Commits what somebody waits for. Where the database goes away meanwhile, whether it has it is not known.
pub(super) async fn commit(tx: Transaction) -> StoreResult<()> {
    tx.commit()
        .await
        .map_err(|error| match StoreError::from(error) {
            StoreError::Unavailable => StoreError::OutcomeUnknown,
            error => error,
        })
}
