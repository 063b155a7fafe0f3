//! A catalog that is finished but for its turn: the JSON, the block and the offer, each made once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use bytes::Bytes as SharedBytes;
use quick_cache::sync::Cache;
use sea_orm::EntityTrait;
use vestry_policies::resolve::{Cap, Entry, ScopeList, fit_budget, overlay};
use vestry_policies::{Scope, TenantId, block};

use super::scopes::CachedScope;
use super::snapshot::Snapshot;
use super::wide::Wide;
use super::{Bytes, Weigh, cache};
use crate::content::sha256_text;
use crate::identity::{Caller, Identity, PinnedEntry, Places, PreparedOffer};
use crate::store::Store;
use crate::store::entity::snapshot;
use crate::store::error::{StoreError, StoreResult};
use crate::store::journal;
use crate::store::rows::tenant_key;
use crate::store::tenant_set::TenantSet;

/// How many bytes of prepared catalogs are held in memory, and as many again of those of stored snapshots.
const HELD_BYTES: u64 = 128 << 20;

/// A finished catalog.
#[derive(Debug)]
pub struct PreparedCatalog {
    /// The digest of the snapshot; also its `etag`.
    digest: String,
    content: Arc<[u8]>,
    /// Everything of the answer that does not depend on the turn, as the members of a JSON object.
    members: SharedBytes,
    /// The scopes, as one member of a JSON object.
    scopes_member: SharedBytes,
    /// The `etag`, and that it still holds, as more members.
    etag_and_unchanged: String,
    pub(super) offer: PreparedOffer,
    /// Whether the journal has its snapshot.
    pub(super) kept: journal::Kept,
}

impl Weigh for PreparedCatalog {
    /// Its texts, and the offer's, which is shorter than they are.
    fn weight(&self) -> u64 {
        (self.members.len() * 2 + self.content.len() + 1_024) as u64
    }
}

impl PreparedCatalog {
    /// The `etag`.
    #[must_use]
    pub fn etag(&self) -> &str {
        &self.digest
    }

    /// `scopes`, `entries`, `omitted`, `omitted_names`, `blocked`, `report`, `block` and `etag`, as the members of a JSON
    /// object without its braces.
    #[must_use]
    pub fn members(&self) -> &SharedBytes {
        &self.members
    }

    /// The member `scopes` alone.
    #[must_use]
    pub fn scopes_member(&self) -> &SharedBytes {
        &self.scopes_member
    }

    /// The members `etag` and `unchanged`, with a comma before them.
    #[must_use]
    pub fn etag_and_unchanged(&self) -> &str {
        &self.etag_and_unchanged
    }

    /// What it offers.
    ///
    /// # Errors
    /// [`StoreError::Internal`] when what is kept of it is damaged.
    pub fn snapshot(&self) -> StoreResult<Snapshot> {
        Ok(serde_json::from_slice(&self.content)?)
    }

    /// The text for the model; empty when nothing is offered.
    ///
    /// # Errors
    /// As [`Self::snapshot`].
    pub fn block(&self) -> StoreResult<String> {
        #[derive(serde::Deserialize)]
        struct Block {
            block: String,
        }
        let document = [b"{", &*self.members, b"}"].concat();
        Ok(serde_json::from_slice::<Block>(&document)?.block)
    }

    pub(in crate::store) fn content(&self) -> &Arc<[u8]> {
        &self.content
    }

    fn new(
        identity: &Identity,
        scopes: &[Scope],
        snapshot: &Snapshot,
        entries: &[Entry],
    ) -> StoreResult<Self> {
        let content = serde_json::to_vec(snapshot)?;
        let digest = sha256_text(&content);
        let text = std::str::from_utf8(&content)
            .map_err(|error| StoreError::Internal(format!("a snapshot is not UTF-8: {error}")))?;
        // The snapshot is an object, so what is between its braces are members.
        let inside = text
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
            .unwrap_or_default();
        let block = serde_json::to_string(&block::render(entries))?;
        let pins: Vec<PinnedEntry> = entries
            .iter()
            .map(|entry| {
                Ok(PinnedEntry {
                    name: entry.summary.name.clone(),
                    places: places(entry, scopes).ok_or_else(|| {
                        StoreError::Internal("a caller has too many scopes".to_owned())
                    })?,
                    revision: entry.summary.revision,
                    digest: entry.summary.digest,
                })
            })
            .collect::<StoreResult<_>>()?;
        Ok(Self {
            members: SharedBytes::from(format!("{inside},\"block\":{block},\"etag\":\"{digest}\"")),
            scopes_member: SharedBytes::from(format!(
                "\"scopes\":{}",
                serde_json::to_string(&snapshot.scopes)?
            )),
            etag_and_unchanged: format!(",\"etag\":\"{digest}\",\"unchanged\":true"),
            offer: identity.prepare_offer(&pins),
            digest,
            content: Arc::from(content),
            kept: journal::Kept::default(),
        })
    }
}

/// What a prepared catalog depends on beside the skills.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PreparedKey {
    pub(super) scopes: Arc<[Scope]>,
    pub(super) cap: Cap,
    pub(super) role: Option<Arc<str>>,
    pub(super) token_budget: Option<usize>,
}

/// A prepared catalog, and what it was made from. That is only compared, never used, and must not be kept in memory by
/// this: hence weak.
struct Kept {
    own: Option<Weak<CachedScope>>,
    wide: Weak<Wide>,
    prepared: Arc<PreparedCatalog>,
    /// The count of changes at which it was last found current.
    current_at: AtomicU64,
}

impl Weigh for Kept {
    fn weight(&self) -> u64 {
        self.prepared.weight()
    }
}

pub(super) struct PreparedCache(Cache<PreparedKey, Arc<Kept>, Bytes>);
pub(super) struct SnapshotCache(Cache<(String, String), Arc<PreparedCatalog>, Bytes>);

/// About how many bytes a prepared catalog takes.
const TYPICAL_BYTES: u64 = 32 << 10;

impl PreparedCache {
    pub(super) fn new() -> Self {
        Self(cache(HELD_BYTES, TYPICAL_BYTES))
    }
}

impl SnapshotCache {
    pub(super) fn new() -> Self {
        Self(cache(HELD_BYTES, TYPICAL_BYTES))
    }
}

impl Store {
    /// The catalog of a caller, as of no earlier than this call.
    pub(super) async fn prepare(
        &self,
        caller: &Caller,
        key: PreparedKey,
    ) -> StoreResult<Arc<PreparedCatalog>> {
        // Read first: what is found current below, is so at this count or a later one.
        let changes = self.inner.live.scope_changes();
        if let Some(kept) = self.inner.catalogs.prepared.0.get(&key)
            && kept.current_at.load(Ordering::SeqCst) == changes
        {
            return Ok(Arc::clone(&kept.prepared));
        }
        // In a box: hardly any catalog comes this way, and its future shall not be larger for it.
        Box::pin(
            self.inner
                .catalogs
                .preparing
                .join(&key, changes, || self.prepare_again(caller, &key, changes)),
        )
        .await
    }

    /// Looks whether a catalog is still what its parts give, and prepares it if not.
    async fn prepare_again(
        &self,
        caller: &Caller,
        key: &PreparedKey,
        changes: u64,
    ) -> StoreResult<Arc<PreparedCatalog>> {
        let own_scope = key.scopes.first().filter(|scope| !scope.is_shared());
        let own = match own_scope {
            Some(scope) => Some(self.scope(scope).await?),
            None => None,
        };
        let wide = self
            .wide(
                caller.tenant(),
                usize::from(own.is_some()),
                key.role.as_ref(),
            )
            .await?;
        if let Some(kept) = self.inner.catalogs.prepared.0.get(key)
            && std::ptr::eq(kept.wide.as_ptr(), Arc::as_ptr(&wide))
            && match (&kept.own, &own) {
                // A weak pointer keeps its address from being used again.
                (Some(a), Some(b)) => std::ptr::eq(a.as_ptr(), Arc::as_ptr(b)),
                (None, None) => true,
                _ => false,
            }
        {
            // Two requests may do this at once; whichever comes last, what it writes is true of this entry.
            kept.current_at.store(changes, Ordering::SeqCst);
            return Ok(Arc::clone(&kept.prepared));
        }
        let narrow: Option<Arc<ScopeList>> = own.as_ref().map(|scope| wide.unsealed(scope));
        let mut catalog = overlay(narrow.as_deref(), &wide.view, key.cap, key.role.as_deref());
        let mut report = None;
        if let Some(budget) = key.token_budget {
            let (fitted, cut) = fit_budget(catalog, budget);
            catalog = fitted;
            report = Some(cut);
        }
        let scopes = Arc::clone(&key.scopes);
        let snapshot = Snapshot::of(&scopes, &catalog, report);
        let prepared = Arc::new(PreparedCatalog::new(
            &self.inner.identity,
            &scopes,
            &snapshot,
            &catalog.entries,
        )?);
        let kept = Kept {
            own: own.as_ref().map(Arc::downgrade),
            wide: Arc::downgrade(&wide),
            prepared: Arc::clone(&prepared),
            current_at: AtomicU64::new(changes),
        };
        self.inner
            .catalogs
            .prepared
            .0
            .insert(key.clone(), Arc::new(kept));
        Ok(prepared)
    }

    /// The catalog of a stored snapshot: what a resumed turn keeps.
    pub(in crate::store) async fn stored_catalog(
        &self,
        tenant: Option<&TenantId>,
        digest: &str,
    ) -> StoreResult<Arc<PreparedCatalog>> {
        let key = (tenant_key(tenant), digest.to_owned());
        if let Some(prepared) = self.inner.catalogs.snapshots.0.get(&key) {
            return Ok(prepared);
        }
        let reading = self.inner.reader.statements(&TenantSet::of(tenant)).await?;
        let row = snapshot::Entity::find_by_id(key.clone())
            .one(&reading)
            .await?
            .ok_or_else(|| StoreError::Internal("a turn's snapshot is missing".to_owned()))?;
        if sha256_text(&row.content) != digest {
            return Err(StoreError::Internal(
                "a turn's snapshot is damaged".to_owned(),
            ));
        }
        let snapshot: Snapshot = serde_json::from_slice(&row.content)?;
        let scopes = snapshot.scopes(tenant)?;
        let entries = snapshot.entries(tenant)?;
        let prepared = Arc::new(PreparedCatalog::new(
            &self.inner.identity,
            &scopes,
            &snapshot,
            &entries,
        )?);
        self.inner
            .catalogs
            .snapshots
            .0
            .insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }
}

/// Which of the caller's scopes have the entry's name.
fn places(entry: &Entry, scopes: &[Scope]) -> Option<Places> {
    let ranks: Option<Vec<usize>> = entry
        .shadows
        .iter()
        .map(|shadow| scopes.iter().position(|scope| scope == shadow))
        .collect();
    Places::new(entry.rank, ranks?)
}
