//! Opening the database: locking the data directory, connecting, migrating.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::Connection;
use sea_orm::{ConnectOptions, DatabaseConnection, DbBackend, DbErr};
use tokio::sync::Semaphore;
use vestry_migration::{Migrator, MigratorTrait};

use super::database::Database;
use super::error::{StoreError, StoreResult};
use super::events::watch_chains;
use super::live::Live;
use super::pool::Pool;
use super::reader::Reader;
use super::retry::Retry;
use super::sources::{SourceSpec, Sources, watch};
use super::staleness::{Staleness, listen};
use super::turn::Turns;
use super::{
    Counters, Inner, Options, Store, audit, blobs, body, callers, catalog, first_start, journal,
    postgres,
};
use crate::identity::Identity;

/// The database's file in the data directory.
pub(super) const DATABASE: &str = "vestry.db";
pub(super) const LOCK: &str = "vestry.lock";
const READERS: u32 = 4;
const FILLERS: u32 = 2;
/// How long SQLite waits for another process's write lock, such as `vestry admin`'s.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Keeps a data directory locked.
pub(super) struct DirectoryLock(
    #[expect(dead_code, reason = "the lock lives as long as the file is open")] File,
);

impl DirectoryLock {
    pub(super) fn take(directory: &Path) -> StoreResult<Self> {
        let path = directory.join(LOCK);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| {
                StoreError::Internal(format!("cannot open {}: {error}", path.display()))
            })?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::Internal(format!(
                "{} is in use by another vestry server; stop it, or choose another --data",
                directory.display()
            ))),
            Err(TryLockError::Error(error)) => Err(StoreError::Internal(format!(
                "cannot lock {}: {error}",
                path.display()
            ))),
        }
    }
}

impl Store {
    /// Opens the store, creating and migrating the database as needed.
    ///
    /// # Errors
    /// When the directory is in use, or the database cannot be opened or migrated.
    pub async fn open(options: Options) -> StoreResult<Self> {
        let Options {
            directory,
            database,
            identity,
            clock,
            entropy,
            limits,
            built_in_skills,
            public_skills,
            sources,
            source_poll,
            checkpoint_key,
            checkpoint_place,
            checkpoint_interval,
            scanner,
            max_staleness,
            probe,
        } = options;
        let sources = read_sources(sources).await?;
        let Opened {
            lock,
            writer,
            writers,
            reader,
            filler,
        } = match &database {
            Database::Sqlite => open_sqlite(&directory).await?,
            Database::Postgres(url) => open_postgres(url, &identity).await?,
        };
        let starting = writer.connections();
        first_start::keep_schema(&starting, clock.now()).await?;
        first_start::create(&starting, clock.now(), built_in_skills).await?;
        drop(starting);
        let backend = reader.backend();
        let staleness = match backend {
            DbBackend::Postgres => Some(Staleness::new(max_staleness, Arc::clone(&clock))),
            // There, nothing is older than the database.
            _ => None,
        };
        let writer_turns = Arc::new(Turns::new(writers));
        let journal_turns = match backend {
            DbBackend::Postgres => Arc::new(Turns::new(postgres::JOURNALS)),
            _ => Arc::clone(&writer_turns),
        };
        let retry = match backend {
            DbBackend::Postgres => Retry::with(Arc::clone(&entropy)),
            _ => Retry::never(),
        };
        let reader = reader.retrying(retry.clone());
        let filler = filler.retrying(retry.clone());
        if let Some(probe) = probe.clone() {
            writer.observe(move |sql| probe.statement(sql));
        }
        let live = match backend {
            DbBackend::Postgres => Live::load_shared(&reader.unsaid()).await?,
            _ => Live::load(&reader.unsaid()).await?,
        };
        let templates = super::templates::Templates::new();
        let journal = journal::Journal::new(Arc::clone(&clock));
        let checkpoints = Arc::new(audit::Checkpoints::new(checkpoint_key, checkpoint_place));
        let store = Self {
            inner: Arc::new(Inner {
                backend,
                retry,
                writer,
                reader,
                filler,
                staleness,
                journal_turns,
                writer_turns,
                identity,
                clock,
                entropy,
                limits,
                live,
                journal,
                callers: callers::CallerCache::new(),
                catalogs: catalog::Caches::new(),
                bodies: body::BodyCache::new(),
                sources,
                uploads: blobs::Transfers::new(),
                downloads: blobs::Transfers::new(),
                collecting: blobs::Collecting::default(),
                comparing: Arc::new(Semaphore::new(super::COMPARISONS)),
                checkpoints: Arc::clone(&checkpoints),
                scanner,
                scanning: super::slots::Slots::new(super::SCANS),
                templates,
                public: public_skills.then(super::public::Public::new),
                counters: Counters::default(),
                last_kept: super::housekeeping::LastKept::default(),
                wakes: super::events::Wakes::default(),
                changes: super::events::Changes::default(),
                probe,
                _lock: lock,
            }),
        };
        journal::spawn(store.clone());
        tokio::spawn(audit::keep_checkpoints(
            Arc::downgrade(&store.inner),
            checkpoints,
            store.inner.reader.clone(),
            Arc::clone(&store.inner.clock),
            checkpoint_interval,
        ));
        if store.inner.is_shared() {
            tokio::spawn(watch_chains(Arc::downgrade(&store.inner)));
        }
        if let Database::Postgres(url) = database
            && !max_staleness.is_zero()
        {
            tokio::spawn(listen(Arc::downgrade(&store.inner), url));
        }
        if !store.inner.sources.is_empty() {
            tokio::spawn(watch(Arc::downgrade(&store.inner), source_poll));
        }
        Ok(store)
    }
}

/// The connections of a store.
struct Opened {
    lock: Option<DirectoryLock>,
    writer: Pool,
    /// How many may write at once.
    writers: usize,
    reader: Reader,
    filler: Reader,
}

async fn open_sqlite(directory: &Path) -> StoreResult<Opened> {
    prepare_directory(directory)?;
    let lock = DirectoryLock::take(directory)?;
    let writer = connect_writer(directory).await?;
    migrate(&writer, directory).await?;
    Ok(Opened {
        lock: Some(lock),
        writer: Pool::patient(writer),
        writers: 1,
        reader: Reader::new(Pool::patient(connect_readers(directory, READERS).await?)),
        filler: Reader::new(Pool::patient(connect_readers(directory, FILLERS).await?)),
    })
}

async fn open_postgres(url: &str, identity: &Identity) -> StoreResult<Opened> {
    let writer = postgres::server_writer(url).await?;
    let starting = writer.connections();
    postgres::check(&starting).await?;
    postgres::agree_on_keys(&starting, &identity.rings().fingerprints()).await?;
    Ok(Opened {
        lock: None,
        writer,
        writers: postgres::WRITERS,
        reader: Reader::new(postgres::server_readers(url, postgres::READERS).await?),
        filler: Reader::new(postgres::server_readers(url, postgres::FILLERS).await?),
    })
}

/// Reads the sources for the first time: a folder that is not there is a mistake of whoever starts the server.
async fn read_sources(specs: Vec<SourceSpec>) -> StoreResult<Sources> {
    let read = tokio::task::spawn_blocking(move || {
        let sources = Sources::new(specs);
        sources.refresh(true).map(|_| sources)
    });
    read.await
        .map_err(|error| StoreError::Internal(error.to_string()))?
        .map_err(|error| StoreError::Internal(format!("a source cannot be read: {error}")))
}

/// Creates the data directory and the database's file, for nobody but the server's user: they hold password hashes.
/// SQLite gives the files beside the database the same permissions.
pub(super) fn prepare_directory(directory: &Path) -> StoreResult<()> {
    let failed = |path: &Path, error: &std::io::Error| {
        StoreError::Internal(format!("cannot create {}: {error}", path.display()))
    };
    super::directory::create(directory).map_err(|error| failed(directory, &error))?;
    let path = directory.join(DATABASE);
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&path).map_err(|error| failed(&path, &error))?;
    Ok(())
}

/// The one connection that writes.
pub(super) async fn connect_writer(directory: &Path) -> Result<DatabaseConnection, DbErr> {
    let mut options = base_options(&directory.join(DATABASE), "rwc");
    options.max_connections(1).min_connections(1);
    // After some errors (a full disk, an I/O error) SQLite rolls back by itself, and the driver still counts a
    // transaction. The next one would be a savepoint inside nothing, and its commit would write nothing. Such a
    // connection is not used again: a fresh one takes its place.
    options.map_sqlx_sqlite_before_acquire(|connection, _| {
        let is_clean = !Connection::is_in_transaction(connection);
        if !is_clean {
            tracing::warn!("the writing connection was left inside a transaction; it is replaced");
        }
        Box::pin(std::future::ready(Ok(is_clean)))
    });
    options.map_sqlx_sqlite_opts(|options| {
        options
            .journal_mode(sea_orm::sqlx::sqlite::SqliteJournalMode::Wal)
            .synchronous(sea_orm::sqlx::sqlite::SqliteSynchronous::Full)
            .foreign_keys(true)
            // One text for every number of turns that are taken at once, and all the others.
            .statement_cache_capacity(256)
            .busy_timeout(BUSY_TIMEOUT)
    });
    sea_orm::Database::connect(options).await
}

/// Connections that only read, at most so many.
pub(super) async fn connect_readers(
    directory: &Path,
    most: u32,
) -> Result<DatabaseConnection, DbErr> {
    let mut options = base_options(&directory.join(DATABASE), "rw");
    options.max_connections(most).min_connections(1);
    options.map_sqlx_sqlite_opts(|options| {
        options
            .pragma("query_only", "ON")
            .pragma("mmap_size", "268435456")
            .busy_timeout(BUSY_TIMEOUT)
    });
    sea_orm::Database::connect(options).await
}

/// One connection to a database file for reading all of it. No page is mapped into memory, so that a file which cannot be read
/// is an error and no signal. It is opened as a server opens it (where it may not be written, SQLite reads it all the same),
/// because a connection that cannot write leaves the files beside a database behind.
pub(super) async fn connect_file(
    database: &Path,
    use_of: FileUse,
) -> Result<DatabaseConnection, DbErr> {
    let mut options = base_options(database, "rw");
    options.max_connections(1).min_connections(1);
    options.map_sqlx_sqlite_opts(move |options| {
        let options = options.busy_timeout(BUSY_TIMEOUT);
        match use_of {
            FileUse::Read => options.pragma("query_only", "ON"),
            FileUse::Copy => options,
        }
    });
    sea_orm::Database::connect(options).await
}

/// What a database file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileUse {
    /// Reading.
    Read,
    /// Copying it into another file, which SQLite counts as writing.
    Copy,
}

fn base_options(database: &Path, mode: &str) -> ConnectOptions {
    // The path is percent-encoded where a URL would read it otherwise.
    let path = database
        .display()
        .to_string()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let mut options = ConnectOptions::new(format!("sqlite://{path}?mode={mode}"));
    options
        .sqlx_logging(false)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None);
    options
}

/// Runs pending migrations; a database that has data is copied first. One process at a time: `vestry admin create` may
/// run while the server starts for the first time.
pub(super) async fn migrate(writer: &DatabaseConnection, directory: &Path) -> StoreResult<()> {
    let path = directory.join("migrate.lock");
    let lock = tokio::task::spawn_blocking(move || {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)?;
        file.lock().map(|()| file)
    });
    let _lock = lock
        .await
        .map_err(|error| StoreError::Internal(error.to_string()))?
        .map_err(|error| StoreError::Internal(format!("cannot lock the migrations: {error}")))?;
    let pending = Migrator::get_pending_migrations(writer).await?;
    let applied = Migrator::get_applied_migrations(writer).await?;
    if !pending.is_empty() && !applied.is_empty() {
        let copy = directory.join(format!("{DATABASE}.before-{}", pending_name(&pending)));
        if !copy.exists() {
            let target = copy.display().to_string().replace('\'', "''");
            sea_orm::ConnectionTrait::execute_unprepared(
                writer,
                &format!("VACUUM INTO '{target}'"),
            )
            .await?;
        }
    }
    Migrator::up(writer, None).await?;
    Ok(())
}

fn pending_name(pending: &[sea_orm_migration::Migration]) -> String {
    pending
        .first()
        .map(|migration| migration.name().to_owned())
        .unwrap_or_default()
}
