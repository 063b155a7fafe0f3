//! Looking at a database without changing it, for `vestry doctor`. Works beside a running server.

use std::path::Path;

use sea_orm::{ConnectionTrait as _, DatabaseConnection, DbBackend, DbErr, Statement};
use vestry_migration::{Migrator, MigratorTrait};

use super::error::{StoreError, StoreResult};
use super::open::{DATABASE, LOCK, connect_readers};
use super::postgres;

/// What is known of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// How many migrations are applied.
    pub applied: usize,
    /// Those that a start would apply; none on PostgreSQL, where one refuses to.
    pub pending: Vec<String>,
    /// What SQLite's quick check found; empty when all is well, and on PostgreSQL, which checks its pages itself.
    pub damage: Vec<String>,
    /// The size in bytes, of SQLite's file or of all that PostgreSQL keeps of the database.
    pub size: u64,
    /// Whether a server has it open.
    pub in_use: bool,
}

/// Looks at the database of a data directory.
///
/// # Errors
/// When there is none, it cannot be opened, or it is of a newer version.
pub async fn inspect(directory: &Path) -> StoreResult<Inspection> {
    let path = directory.join(DATABASE);
    let size = std::fs::metadata(&path)
        .map_err(|_| StoreError::NotFound(format!("The database {}", path.display())))?
        .len();
    let db = connect_readers(directory, 1).await?;
    let backend = db.get_database_backend();
    let applied = Migrator::get_applied_migrations(&db).await?.len();
    let pending = Migrator::get_pending_migrations(&db)
        .await?
        .iter()
        .map(|migration| migration.name().to_owned())
        .collect();
    let rows = db
        .query_all_raw(Statement::from_string(backend, "PRAGMA quick_check(20)"))
        .await?;
    let lines = rows
        .iter()
        .map(|row| row.try_get_by_index::<String>(0))
        .collect::<Result<Vec<_>, DbErr>>()?;
    db.close().await?;
    Ok(Inspection {
        applied,
        pending,
        damage: lines.into_iter().filter(|line| line != "ok").collect(),
        size,
        in_use: is_in_use(directory),
    })
}

/// Looks at a PostgreSQL database as a server does that is about to serve it.
///
/// # Errors
/// When it cannot be reached, or a server would refuse to serve it; the sentence says what to do.
pub async fn inspect_postgres(url: &str) -> StoreResult<Inspection> {
    let db = postgres::connect_writer(url, 1).await?;
    let found = look(&db).await;
    db.close().await?;
    found
}

async fn look(db: &DatabaseConnection) -> StoreResult<Inspection> {
    postgres::check(db).await?;
    let sql = "SELECT pg_database_size(current_database()) AS size, \
         (SELECT count(*) FROM seaql_migrations) AS applied, \
         EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() \
         AND application_name = 'vestry' AND pid <> pg_backend_pid()) AS in_use";
    let row = db
        .query_one_raw(Statement::from_string(DbBackend::Postgres, sql))
        .await?
        .ok_or_else(|| StoreError::Internal("PostgreSQL says nothing of itself".to_owned()))?;
    let number = |column: &str| row.try_get::<i64>("", column);
    Ok(Inspection {
        applied: usize::try_from(number("applied")?).unwrap_or_default(),
        pending: Vec::new(),
        damage: Vec::new(),
        size: u64::try_from(number("size")?).unwrap_or_default(),
        in_use: row.try_get("", "in_use")?,
    })
}

/// Whether somebody holds the lock of the directory; it is taken for a moment to find out.
fn is_in_use(directory: &Path) -> bool {
    std::fs::File::open(directory.join(LOCK)).is_ok_and(|file| file.try_lock().is_err())
}
