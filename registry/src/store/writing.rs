//! Beginning to write: whose turn it is, and what is locked.
//!
//! On SQLite there is one writer, in one process. On PostgreSQL writes of one tenant come one after another, on all replicas
//! together, by advisory locks that the transaction holds: a write in a tenant shares the lock of global and has the tenant's
//! alone; a write at global, or of the store itself, has the lock of global alone. So what a write reads is what is true until
//! it commits, on either database; and since the locks of tenants are taken in their order, after that of global, no two
//! writes wait for each other.

use std::collections::BTreeSet;
use std::sync::Arc;

use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait as _,
};
use tokio::sync::OwnedSemaphorePermit;
use vestry_migration::GLOBAL_TENANT;
use vestry_policies::Target;

use super::Store;
use super::error::{StoreError, StoreResult};
use super::rows::tenant_key_str;
use super::tenant_set::TenantSet;
use crate::identity::Caller;

/// A turn at writing.
pub(super) type WriterTurn = OwnedSemaphorePermit;

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

    /// What a session is written with: its user may be of no tenant, or of several.
    pub(super) fn of_sessions() -> Self {
        Self::everywhere()
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

    /// As the function `vestry_begin` takes it: `*`, or the tenants in their order.
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
    ) -> StoreResult<(WriterTurn, DatabaseTransaction)> {
        let waiting = Arc::clone(&self.inner.writer_turns).acquire_owned();
        let turn = tokio::time::timeout(super::WRITER_PATIENCE, waiting)
            .await
            .map_err(|_| StoreError::Busy)?
            .map_err(|_| StoreError::Busy)?;
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
                self.inner.writer.begin_with_options(options).await?
            }
        };
        Ok((turn, tx))
    }
}

async fn begin(
    writer: &DatabaseConnection,
    saying: &Statement,
) -> Result<DatabaseTransaction, DbErr> {
    let tx = writer.begin().await?;
    tx.query_one_raw(saying.clone()).await?;
    Ok(tx)
}

/// Opens a transaction that writes while nobody else does, outside of a running store.
pub(super) async fn begin_alone(writer: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let tx = writer.begin_with_options(options).await?;
    if tx.get_database_backend() == DbBackend::Postgres {
        let sql = "SELECT vestry_begin('*', '*')";
        tx.query_one_raw(Statement::from_string(DbBackend::Postgres, sql))
            .await?;
    }
    Ok(tx)
}

/// Commits what somebody waits for. Where the database goes away meanwhile, whether it has it is not known.
pub(super) async fn commit(tx: DatabaseTransaction) -> StoreResult<()> {
    tx.commit()
        .await
        .map_err(|error| match StoreError::from(error) {
            StoreError::Unavailable => StoreError::OutcomeUnknown,
            error => error,
        })
}
