//! Reading: connections that give nothing but what has said whose rows it is about.

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult,
    FromQueryResult, QueryResult, Statement, TransactionTrait,
};

use super::error::StoreResult;
use super::retry::Retry;
use super::tenant_set::TenantSet;

/// Connections that only read.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    pool: DatabaseConnection,
    retry: Retry,
}

impl Reader {
    pub(super) fn new(pool: DatabaseConnection) -> Self {
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
        self.pool.get_database_backend()
    }

    /// One snapshot of the database for several statements.
    pub(super) async fn begin(&self, tenants: &TenantSet) -> StoreResult<DatabaseTransaction> {
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
            match self.pool.query_one_raw(statement.clone()).await {
                Ok(row) => return Ok(row.map(|row| T::from_query_result(&row, "")).transpose()?),
                Err(error) => tries.after(error).await?,
            }
        }
    }

    /// For single statements, of which each may see a later state. SQLite needs no transaction for one.
    pub(super) async fn statements(&self, tenants: &TenantSet) -> StoreResult<Reading<'_>> {
        match self.backend() {
            DbBackend::Postgres => Ok(Reading::Transaction(self.begin(tenants).await?)),
            _ => Ok(Reading::Pool(&self.pool)),
        }
    }

    /// For a statement that says by itself whose rows it is about.
    pub(super) fn unsaid(&self) -> &DatabaseConnection {
        &self.pool
    }

    pub(super) async fn close(&self) {
        let _ = self.pool.close_by_ref().await;
    }
}

async fn begin(
    pool: &DatabaseConnection,
    tenants: &TenantSet,
) -> Result<DatabaseTransaction, DbErr> {
    let tx = pool.begin().await?;
    say(&tx, tenants).await?;
    Ok(tx)
}

/// Says whose rows a transaction is about.
pub(super) async fn say(tx: &DatabaseTransaction, tenants: &TenantSet) -> Result<(), DbErr> {
    let backend = tx.get_database_backend();
    if backend == DbBackend::Postgres {
        let sql = "SELECT set_config('vestry.tenants', $1, true)";
        let statement = Statement::from_sql_and_values(backend, sql, [tenants.setting().into()]);
        tx.query_one_raw(statement).await?;
    }
    Ok(())
}

/// Where single statements read.
pub(super) enum Reading<'a> {
    Pool(&'a DatabaseConnection),
    Transaction(DatabaseTransaction),
}

#[sea_orm::prelude::async_trait::async_trait]
impl ConnectionTrait for Reading<'_> {
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
