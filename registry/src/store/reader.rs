//! Reading: connections that give nothing but what has said whose rows it is about.

use std::time::Duration;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, FromQueryResult,
    QueryResult, Statement, TransactionOptions,
};

use super::error::StoreResult;
use super::pool::{Pool, Transaction};
use super::retry::Retry;
use super::tenant_set::TenantSet;

/// Connections that only read.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    pool: Pool,
    retry: Retry,
}

impl Reader {
    pub(super) fn new(pool: Pool) -> Self {
        Self {
            pool,
            retry: Retry::never(),
        }
    }

    /// Which begins again where a connection turns out to be broken.
    pub(super) fn retrying(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    pub(super) fn backend(&self) -> DbBackend {
        self.pool.backend()
    }

    /// One snapshot of the database for several statements.
    pub(super) async fn begin(&self, tenants: &TenantSet) -> StoreResult<Transaction> {
        let mut tries = self.retry.tries();
        loop {
            match begin(&self.pool, tenants).await {
                Ok(tx) => return Ok(tx),
                Err(error) => tries.after(error).await?,
            }
        }
    }

    /// One row of a statement that says by itself whose rows it is about.
    pub(super) async fn one<T: FromQueryResult>(
        &self,
        statement: &Statement,
    ) -> StoreResult<Option<T>> {
        let mut tries = self.retry.tries();
        loop {
            match self.pool.query_one(statement).await {
                Ok(row) => return Ok(row.map(|row| T::from_query_result(&row, "")).transpose()?),
                Err(error) => tries.after(error).await?,
            }
        }
    }

    /// For single statements, of which each may see a later state. SQLite needs no transaction for one.
    pub(super) async fn statements(&self, tenants: &TenantSet) -> StoreResult<Reading> {
        match self.backend() {
            DbBackend::Postgres => Ok(Reading::Transaction(self.begin(tenants).await?)),
            _ => Ok(Reading::Pool(self.pool.connections())),
        }
    }

    /// For what a start looks at, which says by itself whose rows it is about.
    pub(super) fn unsaid(&self) -> DatabaseConnection {
        self.pool.connections()
    }

    /// Asks whether the database answers, and waits only so long.
    pub(super) async fn ping_within(&self, patience: Duration) -> StoreResult<()> {
        Ok(self.pool.ping_within(patience).await?)
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }
}

async fn begin(pool: &Pool, tenants: &TenantSet) -> Result<Transaction, DbErr> {
    let tx = pool.begin(TransactionOptions::default()).await?;
    say(&tx, tenants).await?;
    Ok(tx)
}

/// Says whose rows a transaction is about.
pub(super) async fn say(tx: &Transaction, tenants: &TenantSet) -> Result<(), DbErr> {
    let backend = tx.get_database_backend();
    if backend == DbBackend::Postgres {
        let sql = "SELECT set_config('vestry.tenants', $1, true)";
        let statement = Statement::from_sql_and_values(backend, sql, [tenants.setting().into()]);
        tx.query_one_raw(statement).await?;
    }
    Ok(())
}

/// Where single statements read.
pub(super) enum Reading {
    Pool(DatabaseConnection),
    Transaction(Transaction),
}

#[sea_orm::prelude::async_trait::async_trait]
impl ConnectionTrait for Reading {
    fn get_database_backend(&self) -> DbBackend {
        match self {
            Self::Pool(pool) => pool.get_database_backend(),
            Self::Transaction(tx) => tx.get_database_backend(),
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self {
            Self::Pool(pool) => pool.execute_raw(statement).await,
            Self::Transaction(tx) => tx.execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            Self::Pool(pool) => pool.execute_unprepared(sql).await,
            Self::Transaction(tx) => tx.execute_unprepared(sql).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            Self::Pool(pool) => pool.query_one_raw(statement).await,
            Self::Transaction(tx) => tx.query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            Self::Pool(pool) => pool.query_all_raw(statement).await,
            Self::Transaction(tx) => tx.query_all_raw(statement).await,
        }
    }
}
