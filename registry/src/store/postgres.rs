//! Connecting to PostgreSQL, and what is asked of it before a server serves.

use std::time::Duration;

use sea_orm::sqlx::postgres::PgListener;
use sea_orm::sqlx::{self, Connection as _};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr,
    FromQueryResult, Statement,
};

use super::error::{StoreError, StoreResult};
use super::pool::Pool;
use super::writing::begin_alone;
use crate::identity::KeyFingerprint;

/// How many writes a process has in the database at once. More wait in the process, and not on connections.
pub(super) const WRITERS: usize = 8;
/// How many the journal has beside them: what is of no tenant that somebody writes in, and what is.
pub(super) const JOURNALS: usize = 1 + super::journal::LANES;
/// Connections for reading.
pub(super) const READERS: u32 = 16;
/// Connections that fill caches.
pub(super) const FILLERS: u32 = 4;
/// How long a connection is waited for.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// How long a connection that nobody uses is taken to be still there.
const TRUSTED: Duration = Duration::from_millis(500);
/// How long such a connection is asked whether it is.
const PING_PATIENCE: Duration = Duration::from_secs(2);
/// The oldest version of PostgreSQL that this is tested with, as `server_version_num` has it.
const OLDEST: i32 = 150_000;

/// What connections are set to that write. No statement takes as long as `super::pool::SILENCE`.
const WRITING: [(&str, &str); 3] = [
    // Whoever waits longer for other writes is told that the database is busy.
    ("lock_timeout", "10s"),
    ("statement_timeout", "15s"),
    // A process that stopped in the middle of a write, or that nothing reaches, does not keep the others from writing.
    ("idle_in_transaction_session_timeout", "10s"),
];

/// Connections that write, at most so many.
pub(super) async fn connect_writer(url: &str, most: u32) -> Result<DatabaseConnection, DbErr> {
    connect(url, most, &WRITING, Refused::Nothing).await
}

/// The same for a server, which waits only so long.
pub(super) async fn server_writer(url: &str) -> Result<Pool, DbErr> {
    let most = u32::try_from(WRITERS + JOURNALS).unwrap_or(u32::MAX);
    Pool::connect(options(url, most, &WRITING, Refused::Nothing)).await
}

/// What connections are set to that only read, each transaction of one snapshot, for commands that read everything.
const READING: [(&str, &str); 4] = [
    ("default_transaction_read_only", "on"),
    ("default_transaction_isolation", "repeatable read"),
    ("statement_timeout", "30s"),
    ("idle_in_transaction_session_timeout", "120s"),
];

/// Connections that only read, at most so many.
pub(super) async fn connect_readers(url: &str, most: u32) -> Result<DatabaseConnection, DbErr> {
    connect(url, most, &READING, Refused::Nothing).await
}

/// The same for a server: there, no statement takes as long as `super::pool::SILENCE`.
const SERVING: [(&str, &str); 4] = [
    ("default_transaction_read_only", "on"),
    ("default_transaction_isolation", "repeatable read"),
    ("statement_timeout", "15s"),
    ("idle_in_transaction_session_timeout", "120s"),
];

/// Connections of a server that only read, at most so many: its answers are not behind, and it waits only so long.
pub(super) async fn server_readers(url: &str, most: u32) -> Result<Pool, DbErr> {
    Pool::connect(options(url, most, &SERVING, Refused::Standbys)).await
}

/// The one connection of a copy: one transaction, that may take long.
pub(super) async fn connect_copier(url: &str) -> Result<DatabaseConnection, DbErr> {
    connect(url, 1, &[("lock_timeout", "10s")], Refused::Nothing).await
}

async fn connect(
    url: &str,
    most: u32,
    settings: &'static [(&'static str, &'static str)],
    refused: Refused,
) -> Result<DatabaseConnection, DbErr> {
    Database::connect(options(url, most, settings, refused)).await
}

fn options(
    url: &str,
    most: u32,
    settings: &'static [(&'static str, &'static str)],
    refused: Refused,
) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .sqlx_logging(false)
        .max_connections(most)
        .min_connections(1)
        .acquire_timeout(CONNECT_PATIENCE)
        // A round trip before each use would double what a catalog costs. Only a connection that nobody used for a while is
        // asked first whether it is still there; one that broke just now is found out by who uses it (see `super::retry`).
        .test_before_acquire(false)
        .map_sqlx_postgres_before_acquire(|connection, state| {
            let was_idle = state.idle_for > TRUSTED;
            Box::pin(async move {
                if was_idle {
                    // Of one that nobody answers on, another is made in what is left of the time.
                    let pinged = tokio::time::timeout(PING_PATIENCE, connection.ping()).await;
                    pinged.map_err(|_| sqlx::Error::WorkerCrashed)??;
                }
                Ok(true)
            })
        })
        .map_sqlx_postgres_opts(move |options| {
            options
                .application_name("vestry")
                .options(settings.iter().copied())
                .statement_cache_capacity(512)
        });
    if refused == Refused::Standbys {
        // Also where the name of the primary leads to one later, after a failover.
        options.map_sqlx_postgres_pool_opts(|options| {
            options.after_connect(|connection, _| {
                Box::pin(async move {
                    let sql = "SELECT pg_is_in_recovery()";
                    let is_standby: bool = sqlx::query_scalar(sql).fetch_one(connection).await?;
                    if is_standby {
                        return Err(sqlx::Error::Protocol("it is a standby".to_owned()));
                    }
                    Ok(())
                })
            })
        });
    }
    options
}

/// What is not connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    /// Nothing: who writes finds it out, and who verifies may read a standby.
    Nothing,
    /// What a standby has may be behind.
    Standbys,
}

#[derive(Debug, FromQueryResult)]
struct Server {
    version: i32,
    is_standby: bool,
    passes_policies: bool,
    role: String,
}

/// Looks whether a server can serve this database.
///
/// # Errors
/// One sentence that says what to do: it is a standby or too old, its role passes row-level security, or migrations are pending.
pub(super) async fn check(db: &DatabaseConnection) -> StoreResult<()> {
    let sql = "SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS is_standby, \
         (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS passes_policies, \
         current_user::text AS role";
    let server = Server::find_by_statement(Statement::from_string(DbBackend::Postgres, sql))
        .one(db)
        .await?
        .ok_or_else(|| StoreError::Internal("PostgreSQL says nothing of itself".to_owned()))?;
    let refuse = |why: String| Err(StoreError::Internal(why));
    if server.version < OLDEST {
        return refuse("this PostgreSQL is too old; Vestry needs version 15 or newer".to_owned());
    }
    if server.is_standby {
        return refuse(
            "this PostgreSQL is a standby, which may be behind; give a URL that leads to the primary"
                .to_owned(),
        );
    }
    if server.passes_policies {
        return refuse(format!(
            "the role `{}` is a superuser or has BYPASSRLS, so that row-level security would not hold for it; connect as an ordinary role \
             (`vestry migrate --app-role` gives one what it needs)",
            server.role
        ));
    }
    let pending = vestry_migration::pending(db).await?;
    if let Some(first) = pending.first() {
        return refuse(format!(
            "the database lacks {} migrations, from `{first}` on; run `vestry migrate --database-url URL` as its owner first",
            pending.len()
        ));
    }
    Ok(())
}

/// Whether a connection that writes may: those of a standby, and of a primary that takes no writes, may not.
pub(super) async fn takes_writes(writer: &Pool, patience: Duration) -> Result<bool, DbErr> {
    let sql =
        "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS refuses";
    let statement = Statement::from_string(DbBackend::Postgres, sql);
    let row = writer.query_one_within(patience, &statement).await?;
    let refuses = row
        .map(|row| row.try_get::<bool>("", "refuses"))
        .transpose()?;
    Ok(refuses == Some(false))
}

/// Runs the migrations that a database lacks, and gives the role of servers what they need of it. Gives their names.
///
/// # Errors
/// When the database cannot be reached, or a migration fails; then nothing of it is left.
pub async fn migrate(url: &str, app_role: Option<&str>) -> StoreResult<Vec<String>> {
    let db = connect(url, 1, &[("lock_timeout", "60s")], Refused::Nothing).await?;
    let applied = vestry_migration::migrate(&db, app_role).await?;
    db.close().await?;
    Ok(applied)
}

/// A connection of its own for notifications.
pub(super) async fn listener(url: &str) -> Result<PgListener, sqlx::Error> {
    PgListener::connect(url).await
}

#[derive(Debug, FromQueryResult)]
struct Kept {
    ring: String,
    kid: String,
    fingerprint: String,
}

/// Keeps the fingerprint of each key, of whoever comes first, and refuses whoever has other keys: its tokens and offers would hold
/// at no other replica (design §5). Keys that are added by and by, in a rotation, are kept too; of a ring of which a replica has
/// no key that the others have, it has another file.
///
/// # Errors
/// One sentence that names the key.
pub(super) async fn agree_on_keys(
    writer: &DatabaseConnection,
    keys: &[KeyFingerprint],
) -> StoreResult<()> {
    if unknown(&kept(writer).await?, keys)?.is_empty() {
        return Ok(());
    }
    // One after the other: of two that come first together with different keys, one is the second.
    let tx = begin_alone(writer).await?;
    for key in unknown(&kept(&tx).await?, keys)? {
        tx.execute_raw(Statement::from_sql_and_values(
            DbBackend::Postgres,
            "INSERT INTO key_fingerprints (ring, kid, fingerprint) VALUES ($1, $2, $3)",
            [
                key.ring.as_str().into(),
                key.kid.as_str().into(),
                key.fingerprint.as_str().into(),
            ],
        ))
        .await?;
    }
    tx.commit().await?;
    Ok(())
}

async fn kept<C: ConnectionTrait>(db: &C) -> StoreResult<Vec<Kept>> {
    let sql = "SELECT ring, kid, fingerprint FROM key_fingerprints";
    let found = Kept::find_by_statement(Statement::from_string(DbBackend::Postgres, sql));
    Ok(found.all(db).await?)
}

/// The keys that are not kept yet, of those that may be.
fn unknown<'a>(kept: &[Kept], keys: &'a [KeyFingerprint]) -> StoreResult<Vec<&'a KeyFingerprint>> {
    let as_kept = |key: &KeyFingerprint| {
        kept.iter()
            .find(|kept| kept.ring == key.ring.as_str() && kept.kid == key.kid)
    };
    let mut unknown = Vec::new();
    for key in keys {
        let ring = key.ring.as_str();
        match as_kept(key) {
            Some(kept) if kept.fingerprint == key.fingerprint => {}
            Some(_) => {
                return Err(StoreError::Internal(format!(
                    "the key `{}` of the ring `{ring}` is another one than the other replicas have; give every replica the same key file",
                    key.kid
                )));
            }
            None => unknown.push(key),
        }
    }
    let shares_none = |key: &&&KeyFingerprint| {
        let ring = key.ring.as_str();
        kept.iter().any(|kept| kept.ring == ring)
            && !keys
                .iter()
                .any(|other| other.ring == key.ring && as_kept(other).is_some())
    };
    if let Some(key) = unknown.iter().find(shares_none) {
        return Err(StoreError::Internal(format!(
            "the key `{}` of the ring `{}` is unknown to the other replicas, and so is every other key of the ring here; give every replica the \
             same key file (after replacing all keys on purpose, empty the table `key_fingerprints` as its owner first)",
            key.kid,
            key.ring.as_str()
        )));
    }
    Ok(unknown)
}
