//! The migrations on PostgreSQL, on a cluster of their own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "this is a test: a failure is how it speaks"
)]

mod cases;
mod cluster;
mod functions;
mod guards;
mod schema;
mod walls;

use sea_orm_migration::sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, Statement,
    TransactionTrait as _, TryGetable,
};

use cluster::{APP, Cluster, OWNER, TestDatabase};

/// A database with all migrations, and the application's role; none where there is no PostgreSQL.
async fn migrated() -> Option<TestDatabase> {
    let database = Cluster::shared()?.database().await;
    let owner = database.connect(OWNER).await;
    vestry_migration::migrate(&owner, Some(APP)).await.unwrap();
    owner.close().await.unwrap();
    Some(database)
}

/// A transaction that sees these tenants.
async fn as_tenants(db: &DatabaseConnection, tenants: &str) -> DatabaseTransaction {
    let tx = db.begin().await.unwrap();
    tx.execute_unprepared(&format!("SELECT vestry_begin('{tenants}', '')"))
        .await
        .unwrap();
    tx
}

/// The first column of every row.
async fn column<T: TryGetable, C: ConnectionTrait>(db: &C, sql: &str) -> Result<Vec<T>, DbErr> {
    let asked = Statement::from_string(db.get_database_backend(), sql);
    db.query_all_raw(asked)
        .await?
        .iter()
        .map(|row| row.try_get_by_index(0))
        .collect()
}

/// The first column of the only row.
async fn value<T: TryGetable, C: ConnectionTrait>(db: &C, sql: &str) -> T {
    let mut rows = column(db, sql).await.unwrap();
    assert_eq!(rows.len(), 1, "{sql}");
    rows.remove(0)
}

/// What a statement is refused with.
async fn refusal<C: ConnectionTrait>(db: &C, sql: &str) -> String {
    match db.execute_unprepared(sql).await {
        Ok(_) => panic!("was not refused: {sql}"),
        Err(error) => error.to_string(),
    }
}
