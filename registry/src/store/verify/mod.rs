//! Verifying a database whole: that its pages are in order, that everything which has a digest still has it, that what
//! names something names what is there, and that the audit log holds. Only reads, in one snapshot.
//!
//! One file a kind of thing. Each goes through its rows in the order of their keys, a page at a time, so that memory does not
//! grow with the database. The statements are those of every database that Vestry speaks to, but for [`pages`].

mod contents;
mod pages;
mod part;
mod proposals;
mod revisions;
mod schema;
mod skills;
mod turns;

use std::path::{Path, PathBuf};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, TransactionTrait as _};

use self::schema::Schema;
use super::audit::{self, KnownHead};
use super::error::{StoreError, StoreResult};
use super::open::{DATABASE, FileUse, connect_file};
use super::reader::Reader;
use super::seal::{self, Seal};
use super::tenant_set::TenantSet;
use crate::store::pool::{Pool, Transaction};

pub use part::Part;

/// What verification looked at, and found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// What was looked at, one kind of thing each.
    pub parts: Vec<Part>,
    /// Migrations that this program has and the database has not: a start applies them.
    pub pending: Vec<String>,
    /// What could not be checked, a sentence each.
    pub notes: Vec<String>,
}

impl Verification {
    /// How much is wrong.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.parts.iter().map(Part::found).sum()
    }

    /// The first thing that is wrong, in words that can follow a colon, with how many others there are.
    #[must_use]
    pub fn first_fault(&self) -> Option<String> {
        let part = self.parts.iter().find(|part| part.found() > 0)?;
        let first = part.faults().first()?;
        let more = self.faults().saturating_sub(1);
        Some(match more {
            0 => format!("{}: {first}", part.name()),
            1 => format!("{}: {first}, and one more finding", part.name()),
            _ => format!("{}: {first}, and {more} more findings", part.name()),
        })
    }
}

/// Verifies the database of a data directory, against what checkpoints say too. Works beside a running server.
///
/// # Errors
/// When there is no database that this program knows. What is wrong with one is in what is given.
pub async fn verify_directory(directory: &Path, known: &[KnownHead]) -> StoreResult<Verification> {
    let database = directory.join(DATABASE);
    if !database.exists() {
        return Err(StoreError::NotFound(format!(
            "The database {}",
            database.display()
        )));
    }
    let db = open(&database, &database).await?;
    verify(db, &database, known).await
}

/// Verifies a PostgreSQL database, beside servers that use it. Its pages are PostgreSQL's own to check, by its data checksums.
///
/// # Errors
/// As [`verify_directory`].
pub async fn verify_postgres(url: &str, known: &[KnownHead]) -> StoreResult<Verification> {
    // The URL may hold a password, so that it is not what the database is called.
    let called = Path::new("the PostgreSQL database");
    let reader = Reader::new(Pool::patient(
        super::postgres::connect_readers(url, 1).await?,
    ));
    let tx = reader.begin(&TenantSet::Every).await?;
    let verified = verify_in(&tx, called, known).await;
    let _ = tx.rollback().await;
    reader.close().await;
    verified
}

/// Verifies what a transaction sees.
pub(super) async fn verify_snapshot(db: &Transaction, called: &Path) -> StoreResult<Verification> {
    verify_in(db, called, &[]).await
}

/// Verifies a backup, or another file that is a database: its seal first, where it has one.
///
/// # Errors
/// As [`verify_directory`].
pub async fn verify_file(file: &Path, known: &[KnownHead]) -> StoreResult<Verification> {
    let path = file.to_owned();
    let found = tokio::task::spawn_blocking(move || seal::check(&path))
        .await
        .map_err(|error| StoreError::Internal(error.to_string()))?
        .map_err(|error| {
            StoreError::Internal(format!(
                "cannot read {}: {error}; check the path",
                file.display()
            ))
        })?;
    // The database of a server has no seal, and changes while it is read.
    let (mut part, mut notes) = (Part::new("seal"), Vec::new());
    match found {
        Seal::NoDatabase => return Err(no_database(file)),
        Seal::Whole => part.checked(1),
        Seal::Missing => notes.push(
            "it has no seal, so that what has no digest of its own, such as settings, could have been changed unseen"
                .to_owned(),
        ),
        Seal::Broken => {
            part.checked(1);
            part.fault(
                "the bytes are not those that were sealed when the backup was made: it was changed or cut off".to_owned(),
            );
        }
    }
    let is_broken = part.found() > 0;
    let opened = open(file, file).await;
    let checked = match opened {
        Ok(db) => verify(db, file, known).await,
        Err(error) => Err(error),
    };
    let mut verification = match checked {
        Ok(verification) => verification,
        // What broke the seal also keeps it from being read.
        Err(error) if is_broken => {
            notes.push(format!("nothing else could be checked: {error}"));
            Verification {
                parts: Vec::new(),
                pending: Vec::new(),
                notes: Vec::new(),
            }
        }
        Err(error) => return Err(error),
    };
    verification.parts.insert(0, part);
    verification.notes.splice(0..0, notes);
    Ok(verification)
}

/// Verifies a copy of `file`, whose name is the one to say.
pub(super) async fn verify_copy(copy: &Path, file: &Path) -> StoreResult<Verification> {
    verify(open(copy, file).await?, file, &[]).await
}

/// What only lies beside a database that a process has open, or had when it was killed.
pub(super) fn live_files(database: &Path) -> Option<PathBuf> {
    ["-wal", "-journal"]
        .into_iter()
        .map(|suffix| {
            let mut name = database.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        })
        .find(|beside| beside.exists())
}

async fn open(database: &Path, called: &Path) -> StoreResult<DatabaseConnection> {
    connect_file(database, FileUse::Read)
        .await
        .map_err(|error| unreadable(called, &error))
}

async fn verify(
    db: DatabaseConnection,
    called: &Path,
    known: &[KnownHead],
) -> StoreResult<Verification> {
    // One snapshot, so that a server that writes on does not show as a fault.
    let tx = db
        .begin()
        .await
        .map_err(|error| unreadable(called, &error))?;
    let tx = Transaction::patient(tx);
    let verified = verify_in(&tx, called, known).await;
    let _ = tx.rollback().await;
    let _ = db.close().await;
    verified
}

async fn verify_in(
    db: &Transaction,
    called: &Path,
    known: &[KnownHead],
) -> StoreResult<Verification> {
    let schema = Schema::read(db, called).await?;
    let mut parts = Vec::new();
    if db.get_database_backend() == DbBackend::Sqlite {
        parts.push(whole(pages::check(db).await, "pages"));
    }
    parts.extend([
        whole(contents::check(db).await, "contents"),
        whole(contents::check_blobs(db).await, "files"),
        whole(revisions::check(db).await, "revisions"),
        whole(skills::check(db).await, "skills"),
    ]);
    if schema.has("proposals") {
        parts.push(whole(proposals::check(db).await, "proposals"));
    }
    if schema.has("templates") {
        parts.push(whole(schema::check_context(db).await, "context schemas"));
    }
    parts.push(whole(turns::check(db).await, "turns"));
    if schema.has("roles") {
        parts.push(whole(turns::check_openings(db).await, "openings"));
    }
    parts.push(turns::counted(db, "snapshots").await);
    parts.push(turns::counted(db, "journal").await);
    parts.extend(chains(db, known).await);
    Ok(Verification {
        parts,
        pending: schema.pending,
        notes: Vec::new(),
    })
}

/// The audit log, with the journal and the snapshots that it speaks of.
async fn chains<C: ConnectionTrait>(db: &C, known: &[KnownHead]) -> [Part; 2] {
    let mut chains = Part::new("audit chains");
    let mut records = Part::new("audit records");
    match audit::verify_all(db, known).await {
        Ok(reports) => {
            for report in reports {
                chains.checked(1);
                records.checked(u64::try_from(report.records).unwrap_or_default());
                let name = if report.tenant == vestry_migration::GLOBAL_TENANT {
                    "global"
                } else {
                    &report.tenant
                };
                for fault in report.faults {
                    chains.fault(format!("{name}: {fault}"));
                }
            }
        }
        Err(error) => chains.fault(format!("the log cannot be read: {error}")),
    }
    [chains, records]
}

/// A part that was gone through, or one that says why not.
fn whole(checked: Result<Part, DbErr>, name: &'static str) -> Part {
    checked.unwrap_or_else(|error| {
        let mut part = Part::new(name);
        part.fault(format!("they cannot be read to their end: {error}"));
        part
    })
}

fn no_database(called: &Path) -> StoreError {
    StoreError::Internal(format!(
        "{} is not a database of vestry; give a backup, or a data directory with --data",
        called.display()
    ))
}

fn unreadable(called: &Path, error: &DbErr) -> StoreError {
    StoreError::Internal(format!(
        "{} cannot be read as a database: {error}; take another backup",
        called.display()
    ))
}
