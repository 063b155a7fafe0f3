//! Moving an installation that has grown from SQLite to PostgreSQL: every row, in one transaction, verified before it commits.
//!
//! What is copied is compared twice: each table as a whole, by a digest of its rows as the store reads them, and all of it as
//! `vestry verify` does, digests and audit chains included. Nothing is left in the new database where one of them does not hold.

mod table;

use std::path::{Path, PathBuf};

use sea_orm::{ConnectionTrait, DbBackend, Statement, TransactionTrait as _};

use super::entity;
use super::error::{StoreError, StoreResult};
use super::open::{DATABASE, DirectoryLock, FileUse, connect_file};
use super::postgres;
use super::verify::{Verification, verify_snapshot};
use super::writing::begin_alone;
use crate::store::pool::Transaction;
use table::{Copied, copy};

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedDatabase {
    /// How many rows each table has, in the order in which they were copied.
    pub rows: Vec<(&'static str, u64)>,
    /// What verifying the copy looked at.
    pub verified: Verification,
}

/// Copies an SQLite database into an empty PostgreSQL database that has this program's migrations.
///
/// # Errors
/// When the file is no database of this version, a server may be using it, the other database is not empty, or the copy does not
/// verify; then the other database is as it was.
pub async fn copy_to_postgres(database: &Path, url: &str) -> StoreResult<CopiedDatabase> {
    if !database.exists() {
        return Err(StoreError::NotFound(format!(
            "The database {}",
            database.display()
        )));
    }
    // What a server writes while it is copied would be left behind.
    let _lock = match (database.file_name(), database.parent()) {
        (Some(name), Some(directory)) if name == DATABASE => Some(DirectoryLock::take(directory)?),
        _ => None,
    };
    let source = connect_file(database, FileUse::Read).await?;
    let target = postgres::connect_copier(url).await?;
    postgres::check(&target).await?;
    let from = Transaction::patient(source.begin().await?);
    let to = begin_alone(&target).await?;
    let copied = copy_all(database, &from, &to).await;
    let _ = from.rollback().await;
    let copied = match copied {
        Ok(copied) => {
            to.commit().await?;
            Ok(copied)
        }
        Err(error) => {
            let _ = to.rollback().await;
            Err(error)
        }
    };
    let _ = source.close().await;
    let _ = target.close().await;
    copied
}

async fn copy_all(
    database: &Path,
    from: &Transaction,
    to: &Transaction,
) -> StoreResult<CopiedDatabase> {
    let pending = vestry_migration::pending(from).await?;
    if !pending.is_empty() {
        return Err(StoreError::Internal(format!(
            "{} is of an older version; start a server of this version on it once, stop that, and copy it then",
            database.display()
        )));
    }
    refuse_full(to).await?;
    let mut rows = Vec::new();
    macro_rules! tables {
        ($($entity:ident),+ $(,)?) => {
            $(rows.push(copy::<entity::$entity::Entity>(from, to).await?);)+
        };
    }
    // Triggers want revisions before what names them, and records of the audit log before nothing else. The marks and the schema
    // that a new database has are the ones of the old one.
    tables!(
        mark,
        context_schema,
        user,
        tenant,
        member,
        actor_epoch,
        service,
        user_key,
        session,
        refresh_token,
        elevation,
        content,
        blob,
        skill,
        revision,
        revision_file,
        hidden_skill,
        role_attachment,
        scope_version,
        upload,
        proposal,
        proposal_file,
        proposal_comment,
        proposal_decision,
        snapshot,
        turn,
        opening,
        standing_turn,
        journal,
        idempotency_key,
        audit,
    );
    refuse_forgotten(from, &rows).await?;
    let verified = verify_snapshot(to, Path::new("the copy")).await?;
    if let Some(fault) = verified.first_fault() {
        return Err(StoreError::Internal(format!(
            "the copy does not verify, and nothing of it is kept: {fault}; run `vestry verify` on the SQLite database"
        )));
    }
    Ok(CopiedDatabase {
        rows: rows
            .into_iter()
            .map(|Copied { table, rows }| (table, rows))
            .collect(),
        verified,
    })
}

/// Refuses a database that somebody uses already; what the migrations put into it goes.
async fn refuse_full(to: &Transaction) -> StoreResult<()> {
    for table in ["audit", "users", "skills"] {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table}) AS is_used");
        let row = to
            .query_one_raw(Statement::from_string(DbBackend::Postgres, sql))
            .await?;
        if row
            .map(|row| row.try_get::<bool>("", "is_used"))
            .transpose()?
            != Some(false)
        {
            return Err(StoreError::Internal(
                "the PostgreSQL database is in use already: copy into a new one that only `vestry migrate` has touched".to_owned(),
            ));
        }
    }
    to.execute_unprepared("DELETE FROM marks").await?;
    Ok(())
}

/// Tables that fill themselves, by triggers, or are of one database alone.
const NOT_COPIED: [&str; 4] = [
    "audit_heads",
    "scope_sizes",
    "key_fingerprints",
    "seaql_migrations",
];

/// Refuses to leave a table behind that a later version has.
async fn refuse_forgotten(from: &Transaction, copied: &[Copied]) -> StoreResult<()> {
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let tables = from
        .query_all_raw(Statement::from_string(DbBackend::Sqlite, sql))
        .await?;
    for row in tables {
        let name: String = row.try_get("", "name")?;
        let is_known =
            NOT_COPIED.contains(&name.as_str()) || copied.iter().any(|copied| copied.table == name);
        if !is_known {
            return Err(StoreError::Internal(format!(
                "the table `{name}` would be left behind; this is a fault of vestry, report it"
            )));
        }
    }
    Ok(())
}

/// The database file that a text names: a file, a data directory, or either as a URL `sqlite://…`.
#[must_use]
pub fn sqlite_file(text: &str) -> PathBuf {
    let path = text.strip_prefix("sqlite://").unwrap_or(text);
    let path = Path::new(path.split_once('?').map_or(path, |(path, _)| path));
    if path.is_dir() {
        path.join(DATABASE)
    } else {
        path.to_owned()
    }
}
