//! Looking at a database without changing it, for `vestry doctor`. Works beside a running server.

use std::path::Path;

use sea_orm::{ConnectionTrait as _, DbErr, Statement};
use vestry_migration::{Migrator, MigratorTrait};

use super::error::{StoreError, StoreResult};
use super::open::{DATABASE, LOCK, connect_readers};

/// What is known of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// How many migrations are applied.
    pub applied: usize,
    /// Those that a start would apply.
    pub pending: Vec<String>,
    /// What SQLite's quick check found; empty when all is well.
    pub damage: Vec<String>,
    /// The size of the file in bytes.
    pub size: u64,
    /// Whether a server has the directory open.
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

/// Whether somebody holds the lock of the directory; it is taken for a moment to find out.
fn is_in_use(directory: &Path) -> bool {
    std::fs::File::open(directory.join(LOCK)).is_ok_and(|file| file.try_lock().is_err())
}
