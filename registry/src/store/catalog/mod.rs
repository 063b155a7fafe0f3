//! Catalogs: from the skills of a caller's scopes to an offer for one turn.
//!
//! Three layers of cache, each valid only while what it was made from is current:
//!
//! 1. [`scopes`]: the skills of one scope, in order, with the version that was read in the same snapshot;
//! 2. [`wide`]: tenant and global merged, for as long as both are those of layer 1;
//! 3. [`prepared`]: the finished catalog of one actor, with its text and its offer ready but for the turn.
//!
//! Nothing here is invalidated by hand: a layer compares what it was made from. So a fill that began before a commit
//! cannot outlive it.

mod load;
mod load_file;
mod prepared;
mod resolved;
mod scopes;
mod snapshot;
mod take;
mod wide;

use moka::sync::Cache;

pub use load::{LoadRequest, Loaded};
pub use load_file::LoadFileRequest;
pub use prepared::PreparedCatalog;
pub(super) use scopes::name_of;
pub use snapshot::{BlockedSkill, BudgetNote, Snapshot, SnapshotEntry};
pub use take::{CatalogRequest, Offered};

/// The caches of catalogs.
pub(super) struct Caches {
    scopes: scopes::ScopeCache,
    wide: wide::WideCache,
    prepared: prepared::PreparedCache,
    snapshots: prepared::SnapshotCache,
    turns: Cache<take::TurnKey, take::KnownTurn>,
    offers: Cache<std::sync::Arc<str>, std::sync::Arc<load::VerifiedOffer>>,
}

/// How many bytes of named turns, and as many again of verified offers, are held in memory.
const HELD_BYTES: u64 = 64 << 20;

impl Caches {
    pub(super) fn new() -> Self {
        Self {
            scopes: scopes::ScopeCache::new(),
            wide: wide::WideCache::new(),
            prepared: prepared::PreparedCache::new(),
            snapshots: prepared::SnapshotCache::new(),
            turns: Cache::builder()
                .max_capacity(HELD_BYTES)
                .weigher(|_, turn: &take::KnownTurn| turn.weight())
                .build(),
            offers: Cache::builder()
                .max_capacity(HELD_BYTES)
                // The token, and its entries once more as values.
                .weigher(|token: &std::sync::Arc<str>, _| {
                    u32::try_from(token.len() * 3 + 512).unwrap_or(u32::MAX)
                })
                .build(),
        }
    }
}
