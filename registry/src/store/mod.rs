//! What Vestry keeps, and the only place that knows sea-orm.
//!
//! Writes go through [`Store::act`] (or [`Store::authorize`]), reads through [`Store::view`]; both ask
//! [`vestry_policies::decide`] with facts from rows. Bodies come only out of an offer ([`Store::load`]) or out of a
//! granted read. Nothing here names an HTTP type.
//!
//! The rows themselves cannot be named outside. This compiles:
//!
//! ```
//! use vestry::store::Store;
//! fn kept(_: &Store) {}
//! ```
//!
//! This does not, because the entities are private:
//!
//! ```compile_fail,E0603
//! use vestry::store::entity;
//! fn kept(_: &entity::skill::Model) {}
//! ```

pub mod actions;
mod audit;
mod authorize;
mod backup;
mod batch;
mod beside;
mod blobs;
mod body;
mod callers;
pub mod catalog;
mod copy;
mod database;
mod dialect;
pub mod directory;
mod entity;
mod error;
pub mod events;
mod facts;
mod first_start;
mod freshness;
mod housekeeping;
mod idempotency;
pub mod impact;
mod inspect;
mod journal;
mod live;
pub mod login;
mod minting;
mod open;
pub mod openings;
mod operator;
mod partial;
mod pool;
mod postgres;
mod prompts;
mod proposals;
mod public;
pub mod queries;
mod reader;
mod restore;
mod retry;
mod rows;
mod scanning;
mod seal;
pub mod settings;
mod slots;
mod sources;
mod staleness;
pub mod templates;
mod tenant_set;
mod turn;
mod turns;
mod upstream;
mod verify;
mod version;
mod view;
mod work;
mod writing;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sea_orm::DbBackend;
use tokio::sync::Semaphore;

use crate::checkpoint::{CheckpointKey, Place, VerifierKey};
use crate::clock::Clock;
use crate::content::scan::Scanner;
use crate::entropy::Entropy;
use crate::identity::{Caller, Identity};

pub use audit::{AuditRecord, ChainReport, ChainWalk, KnownHead};
pub use authorize::{Authorized, Governed, Granted, RequestFacts};
pub use backup::{BackedUp, backup};
pub use beside::Note;
pub use blobs::{BundledFile, GrantedFile, Reservation, UPLOAD_SECONDS};
pub use body::{Body, ReadyBody};
pub use callers::Authenticated;
pub use copy::{CopiedDatabase, copy_to_postgres, sqlite_file};
pub use database::Database;
pub use error::{StoreError, StoreResult};
pub use idempotency::IdempotentRequest;
pub use inspect::{Inspection, inspect, inspect_postgres};
pub use openings::OpeningPart;
pub use operator::{NewAdmin, create_admin, verify_audit, verify_audit_against, write_checkpoint};
pub use postgres::migrate as migrate_postgres;
pub use prompts::{PromptRequest, PromptSelected, PromptTemplate};
pub use proposals::{Located, ProposalBase, ProposalChange, ProposalId};
pub use public::{PublicFile, PublicSkill, PublicSkills};
pub use restore::{Restored, restore};
pub use scanning::{Scannable, Scanned};
pub use sources::{SOURCE_POLL, SourceOrder, SourceSpec};
pub use staleness::Freshness;
pub use verify::{Part, Verification, verify_directory, verify_file, verify_postgres};
pub use version::{Version, noting};
pub use view::{Bodies, Query, Seen};

/// How long somebody who asks whether the server is ready waits for PostgreSQL.
const PROBE_PATIENCE: Duration = Duration::from_secs(5);

/// How much of that one answer may take: who waited for it in vain has the connections replaced.
const PROBE_TRIP: Duration = Duration::from_secs(4);

/// How many comparisons of texts are done at once.
const COMPARISONS: usize = 2;

/// How many skills are scanned at once.
const SCANS: usize = 2;

/// What the operator sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Skills that may be sealed at one scope.
    pub sealed_per_scope: u64,
    /// How long an offer lives, in seconds; at most 3,600.
    pub offer_ttl_seconds: i64,
    /// Bytes that a tenant may have uploaded and not published; a quarter of it for one uploader.
    pub waiting_upload_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sealed_per_scope: settings::SEALED_PER_SCOPE,
            offer_ttl_seconds: crate::identity::DEFAULT_OFFER_TTL_SECONDS,
            waiting_upload_bytes: settings::WAITING_UPLOAD_BYTES,
        }
    }
}

/// A place in the store's work where a test may hold it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// A scope's rows were read for the cache, and are not in it yet.
    ScopeRead,
    /// What is to be written was checked and scanned, and the writer is not taken yet.
    Scanned,
    /// Live templates were checked under another schema, and the writer is not taken yet.
    Rechecked,
}

/// Tests wait at [`Point`]s; the server never has one.
pub trait Probe: Send + Sync + 'static {
    /// Called at a point; the store goes on when the future is done.
    fn reached(&self, point: Point) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Called with the text of each statement on the writing connection, but for those that begin and end transactions.
    fn statement(&self, sql: &str) {
        let _ = sql;
    }
}

/// What a store is opened with.
#[derive(Clone)]
pub struct Options {
    /// The directory of the database, where that is a file.
    pub directory: PathBuf,
    /// Which database.
    pub database: Database,
    /// Keys, tokens, offers, passwords.
    pub identity: Arc<Identity>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// What the operator sets.
    pub limits: Limits,
    /// Whether a new database gets the skills that come with the program.
    pub built_in_skills: bool,
    /// Whether anybody may read the global skills that are public, without a credential.
    pub public_skills: bool,
    /// Folders of skills that are composed with the database.
    pub sources: Vec<SourceSpec>,
    /// How often these are looked at.
    pub source_poll: Duration,
    /// What signs checkpoints of the audit log.
    pub checkpoint_key: Arc<CheckpointKey>,
    /// Where they are written.
    pub checkpoint_place: Place,
    /// How often.
    pub checkpoint_interval: Duration,
    /// The rules that skills are scanned by.
    pub scanner: Arc<Scanner>,
    /// How old a catalog may be where other servers write too; nothing for catalogs that are exact.
    pub max_staleness: Duration,
    /// For tests only.
    pub probe: Option<Arc<dyn Probe>>,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("directory", &self.directory)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

struct Inner {
    backend: DbBackend,
    retry: retry::Retry,
    writer: pool::Pool,
    reader: reader::Reader,
    /// Reads for the caches. Connections of their own: a listing waits for a cache while it holds one of the readers, and
    /// as many listings as there are readers would wait for each other.
    filler: reader::Reader,
    /// None where nobody else writes.
    staleness: Option<staleness::Staleness>,
    /// One is held from the beginning of a write until its effects are in the live state; SQLite has one.
    writer_turns: Arc<turn::Turns>,
    /// The same for the journal, whose turns are its own where there are several, so that it does not stand behind requests.
    journal_turns: Arc<turn::Turns>,
    identity: Arc<Identity>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    limits: Limits,
    live: live::Live,
    journal: journal::Journal,
    callers: callers::CallerCache,
    catalogs: catalog::Caches,
    bodies: body::BodyCache,
    sources: sources::Sources,
    /// What comes in, and what goes out: neither waits for the other.
    uploads: blobs::Transfers,
    downloads: blobs::Transfers,
    collecting: blobs::Collecting,
    /// Turns at comparing texts.
    comparing: Arc<Semaphore>,
    checkpoints: Arc<audit::Checkpoints>,
    scanner: Arc<Scanner>,
    /// Turns at scanning.
    scanning: slots::Slots,
    templates: templates::Templates,
    /// None where nothing is public.
    public: Option<public::Public>,
    counters: Counters,
    last_kept: housekeeping::LastKept,
    wakes: events::Wakes,
    changes: events::Changes,
    probe: Option<Arc<dyn Probe>>,
    /// Keeps the data directory locked for as long as the store lives, where the database is in it.
    _lock: Option<open::DirectoryLock>,
}

#[derive(Debug, Default)]
struct Counters {
    content_queries: AtomicU64,
    scope_fills: AtomicU64,
}

/// What the store has counted since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreCounts {
    /// Queries for the content of skills.
    pub content_queries: u64,
    /// Times that a scope was read into the cache.
    pub scope_fills: u64,
}

impl Inner {
    /// Whether other processes write to the database too.
    fn is_shared(&self) -> bool {
        self.backend == DbBackend::Postgres
    }

    /// Takes in what a write of this process has committed. Where others write too, what is in memory is brought up to the
    /// database by each request instead, in the order in which the database has it.
    fn apply(&self, effects: Vec<live::Effect>) {
        if !self.is_shared() {
            self.live.apply(effects);
        }
    }

    /// Lets a test hold this up.
    async fn reached(&self, point: Point) {
        if let Some(probe) = &self.probe {
            probe.reached(point).await;
        }
    }
}

impl Store {
    /// What the store has counted since it was opened.
    #[must_use]
    pub fn counts(&self) -> StoreCounts {
        StoreCounts {
            content_queries: self.inner.counters.content_queries.load(Ordering::Relaxed),
            scope_fills: self.inner.counters.scope_fills.load(Ordering::Relaxed),
        }
    }

    /// Waits until there is room in memory for so many bytes that the caller is about to send.
    ///
    /// # Errors
    /// None at present.
    pub async fn reserve_upload(&self, caller: &Caller, bytes: u64) -> StoreResult<Reservation> {
        let tenant = rows::tenant_key(caller.tenant());
        let who = blobs::uploader(caller);
        self.inner.uploads.reserve(&tenant, Some(&who), bytes).await
    }

    /// Waits until everything that has happened is in the database: offers, loads and refusals wait in the journal for up
    /// to a second otherwise.
    pub async fn settle(&self) {
        self.inner.journal.flush().await;
    }

    /// The key that verifies checkpoints of the audit log.
    #[must_use]
    pub fn verifier_key(&self) -> VerifierKey {
        self.inner.checkpoints.verifier()
    }

    /// Whether the database answers and takes writes.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> StoreResult<()> {
        if self.inner.is_shared() {
            return tokio::time::timeout(PROBE_PATIENCE, self.takes_writes())
                .await
                .map_err(|_| StoreError::Unavailable)?;
        }
        self.inner.reader.ping_within(PROBE_PATIENCE).await
    }

    /// Whether PostgreSQL takes writes, on a connection that works.
    async fn takes_writes(&self) -> StoreResult<()> {
        if self.inner.writer_turns.are_taken() {
            // All of them are in the database: it takes writes, and who asks would wait behind them.
            return self.inner.reader.ping_within(PROBE_TRIP).await;
        }
        let mut tries = self.inner.retry.tries();
        loop {
            match postgres::takes_writes(&self.inner.writer, PROBE_TRIP).await {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(StoreError::Unavailable),
                Err(error) => tries.after(error).await?,
            }
        }
    }

    /// Writes out what the journal still holds, and a last checkpoint, and closes the database.
    pub async fn close(&self) {
        self.inner.journal.close().await;
        let inner = &self.inner;
        inner
            .checkpoints
            .close(&inner.reader, inner.clock.now())
            .await;
        self.inner.filler.close().await;
        self.inner.reader.close().await;
        self.inner.writer.close().await;
    }
}
