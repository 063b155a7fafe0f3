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

mod attached;
mod changed;
mod flights;
mod load;
mod load_file;
mod pinned;
mod prepared;
mod resolved;
mod scopes;
mod skill_md;
mod snapshot;
mod standing;
mod take;
mod wide;

use std::sync::{Arc, Mutex};

use quick_cache::sync::Cache;
use quick_cache::{OptionsBuilder, Weighter};

use crate::store::rows::ScopeKey;
use crate::store::turns::TurnKey;

pub(super) use attached::{Attached, attached_at};
pub use load::{LoadRequest, Loaded};
pub use load_file::LoadFileRequest;
pub(super) use pinned::in_item;
pub use prepared::PreparedCatalog;
pub(super) use scopes::{CachedScope, name_of};
pub use skill_md::{Manifest, OfferedSkillMd, RunContext, Stated};
pub use snapshot::{BlockedSkill, BudgetNote, Snapshot, SnapshotEntry};
pub use standing::{ListedWith, StandingTerms, StandingTurn};
pub use take::{CatalogRequest, Offered};

/// The caches of catalogs. Scopes are few and may be large; what is asked on every turn is in caches that are quick to ask.
pub(super) struct Caches {
    scopes: scopes::ScopeCache,
    wide: wide::WideCache,
    prepared: prepared::PreparedCache,
    snapshots: prepared::SnapshotCache,
    turns: Cache<TurnKey, take::KnownTurn, Bytes>,
    standing: Cache<standing::StandingKey, Arc<StandingTurn>, Bytes>,
    /// How often a standing turn was written.
    standing_writes: Mutex<u64>,
    /// Whoever begins a standing turn waits behind others that begin one of the same credential.
    standing_gates: [tokio::sync::Mutex<()>; standing::GATES],
    /// By the SHA-256 of the offer.
    offers: Cache<[u8; 32], Arc<load::VerifiedOffer>, Bytes>,
    text_digests: changed::TextDigests,
    filling: flights::Flights<ScopeKey, Arc<scopes::CachedScope>>,
    merging: flights::Flights<wide::WideKey, Arc<wide::Wide>>,
    preparing: flights::Flights<prepared::PreparedKey, Arc<PreparedCatalog>>,
}

/// How many bytes of named turns, and as many again of standing ones and of verified offers, are held in memory.
const HELD_BYTES: u64 = 64 << 20;

impl Caches {
    pub(super) fn new() -> Self {
        Self {
            scopes: scopes::ScopeCache::new(),
            wide: wide::WideCache::new(),
            prepared: prepared::PreparedCache::new(),
            snapshots: prepared::SnapshotCache::new(),
            turns: cache(HELD_BYTES, 4_096),
            standing: cache(HELD_BYTES, 4_096),
            standing_writes: Mutex::default(),
            standing_gates: std::array::from_fn(|_| tokio::sync::Mutex::default()),
            offers: cache(HELD_BYTES, 4_096),
            text_digests: changed::TextDigests::new(),
            filling: flights::Flights::default(),
            merging: flights::Flights::default(),
            preparing: flights::Flights::default(),
        }
    }
}

/// Weighs what is kept by the memory that it takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes;

/// What knows about how many bytes of memory it takes.
pub(super) trait Weigh {
    fn weight(&self) -> u64;
}

impl<T: Weigh> Weigh for Arc<T> {
    fn weight(&self) -> u64 {
        (**self).weight()
    }
}

impl<K, V: Weigh> Weighter<K, V> for Bytes {
    fn weight(&self, _: &K, value: &V) -> u64 {
        value.weight()
    }
}

/// A cache of so many bytes, whose entries take about `entry` of them each.
///
/// The number of its parts is fixed, because an entry that does not fit into its part is not kept at all: a part holds
/// the largest catalog many times.
fn cache<K: Eq + std::hash::Hash, V: Clone + Weigh>(bytes: u64, entry: u64) -> Cache<K, V, Bytes> {
    let estimated = usize::try_from(bytes / entry).unwrap_or(usize::MAX);
    let options = OptionsBuilder::new()
        .estimated_items_capacity(estimated)
        .weight_capacity(bytes)
        .shards(16)
        .build();
    match options {
        Ok(options) => Cache::with_options(
            options,
            Bytes,
            quick_cache::DefaultHashBuilder::default(),
            quick_cache::sync::DefaultLifecycle::default(),
        ),
        // Both capacities are given, which is all that can be missing.
        Err(_) => Cache::with_weighter(estimated, bytes, Bytes),
    }
}
