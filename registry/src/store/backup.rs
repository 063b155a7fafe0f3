//! Backing a database up, beside a running server.
//!
//! `VACUUM INTO` writes one snapshot of the database into a new file, from a connection that is only used for that: the writer goes on,
//! and what it writes meanwhile stays in the write-ahead log, which cannot be emptied until the copy is done. SQLite's other
//! way, the online backup API, begins anew whenever another process writes, so that a busy server could keep it from ever
//! ending; and the driver has no safe call for it.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use sea_orm::{ConnectionTrait as _, DatabaseConnection, Statement};
use vestry_policies::Digest;

use super::error::{StoreError, StoreResult};
use super::open::{DATABASE, FileUse, connect_file};
use super::partial::Partial;
use super::seal::{self, Sealed};

/// How often what was copied is sent to the disk. All of it at once, at the end, would keep a server's own `fsync` waiting for
/// seconds where the disk is the same.
const SYNC_EVERY: Duration = Duration::from_millis(50);

/// A backup that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackedUp {
    /// The size of the file.
    pub bytes: u64,
    /// The SHA-256 of the file.
    pub digest: Digest,
}

/// Writes a backup of the database of a data directory into a new file that only its owner may read. The file appears whole
/// and durable, or not at all; until then its bytes are in a directory beside it, which a killed process leaves behind.
///
/// # Errors
/// When there is no database, the file is there already, or cannot be written.
pub async fn backup(directory: &Path, file: &Path) -> StoreResult<BackedUp> {
    if std::fs::symlink_metadata(file).is_ok() {
        return Err(taken(file));
    }
    let database = directory.join(DATABASE);
    if !database.exists() {
        return Err(StoreError::NotFound(format!(
            "The database {}",
            database.display()
        )));
    }
    let cannot = |error: &dyn std::fmt::Display| {
        StoreError::Internal(format!(
            "cannot write the backup {}: {error}; check the path and how much is free there",
            file.display()
        ))
    };
    let Some(name) = file.file_name() else {
        return Err(cannot(&"it is no name of a file"));
    };
    let parent = file.parent().unwrap_or(Path::new(""));
    // Absolute, so that SQLite reads it as no URI.
    let parent =
        std::path::absolute(Path::new(".").join(parent)).map_err(|error| cannot(&error))?;
    let (partial, writing) =
        Partial::new(&parent, &name.display().to_string()).map_err(|error| cannot(&error))?;
    let target = partial
        .path()
        .to_str()
        .ok_or_else(|| cannot(&"the path is no UTF-8"))?
        .to_owned();

    let db = connect_file(&database, FileUse::Copy).await?;
    copy(&db, target, &writing)
        .await
        .map_err(|error| cannot(&error))?;
    db.close().await?;

    let written = tokio::task::spawn_blocking(move || {
        let Sealed { bytes, digest } = seal::seal(partial.path())?;
        Ok::<_, std::io::Error>((partial, BackedUp { bytes, digest }))
    });
    let (partial, made) = written
        .await
        .map_err(|error| StoreError::Internal(error.to_string()))?
        .map_err(|error| cannot(&error))?;
    // Nothing is written over, also where the file appeared meanwhile.
    partial.place(file).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            taken(file)
        } else {
            cannot(&error)
        }
    })?;
    Ok(made)
}

fn taken(file: &Path) -> StoreError {
    StoreError::Internal(format!(
        "{} exists already, and nothing is written over: give another name, or remove it first",
        file.display()
    ))
}

/// Has the database copy itself into a file, and sends that to the disk in steps.
async fn copy(db: &DatabaseConnection, target: String, writing: &File) -> StoreResult<()> {
    let statement = Statement::from_sql_and_values(
        db.get_database_backend(),
        "VACUUM INTO $1",
        [target.into()],
    );
    let copying = db.execute_raw(statement);
    tokio::pin!(copying);
    loop {
        tokio::select! {
            copied = &mut copying => {
                copied.map_err(|error| StoreError::Internal(error.to_string()))?;
                return Ok(());
            }
            () = tokio::time::sleep(SYNC_EVERY) => sync(writing)
                .await
                .map_err(|error| StoreError::Internal(error.to_string()))?,
        }
    }
}

/// Sends what was written so far to the disk.
async fn sync(file: &File) -> std::io::Result<()> {
    let file = file.try_clone()?;
    tokio::task::spawn_blocking(move || file.sync_data())
        .await
        .map_err(std::io::Error::other)?
}
