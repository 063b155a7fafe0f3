//! The skills of one scope, read lazily and kept with the version that they were read at.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use moka::sync::Cache;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
    TransactionTrait,
};
use vestry_policies::resolve::ScopeList;
use vestry_policies::{Digest, Mode, Scope, SkillName, Status, Summary};

use crate::store::entity::{hidden_skill, scope_version, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{KIND_SKILL, MODE_TRIGGERED, RECALL_NONE, ScopeKey, unsigned};
use crate::store::{Point, Store};

/// How many bytes of summaries are held in memory, by their texts and a hundred bytes each.
const HELD_BYTES: u64 = 512 << 20;
/// How often a fill that was overtaken by writes is tried again.
const ATTEMPTS: usize = 16;

/// The roles of a skill that is for all of them: one for all of those.
static NO_ROLES: LazyLock<Arc<[Arc<str>]>> = LazyLock::new(|| Arc::from([]));

/// One scope at one version.
#[derive(Debug)]
pub(super) struct CachedScope {
    version: i64,
    /// How often the sources of the scope had changed before they were read.
    sources: u64,
    pub(super) list: Arc<ScopeList>,
    /// The global skills that the tenant hides; empty for other scopes.
    pub(super) hidden: BTreeSet<SkillName>,
    weight: u32,
}

pub(super) struct ScopeCache(Cache<ScopeKey, Arc<CachedScope>>);

impl ScopeCache {
    pub(super) fn new() -> Self {
        Self(
            Cache::builder()
                .max_capacity(HELD_BYTES)
                .weigher(|_, scope: &Arc<CachedScope>| scope.weight)
                .build(),
        )
    }
}

impl Store {
    /// The skills of a scope, as of no earlier than this call.
    pub(super) async fn scope(&self, scope: &Scope) -> StoreResult<Arc<CachedScope>> {
        let key = ScopeKey::of(scope);
        if let Some(cached) = self.inner.catalogs.scopes.0.get(&key)
            && self.is_current(&key, &cached)
        {
            return Ok(cached);
        }
        // In a box: hardly any catalog comes this way, and its future shall not be larger for it.
        Box::pin(self.fill(scope, key)).await
    }

    async fn fill(&self, scope: &Scope, key: ScopeKey) -> StoreResult<Arc<CachedScope>> {
        for _ in 0..ATTEMPTS {
            // A scope that nothing was written to since the start is at a version that any reading sees.
            let needed = self.inner.live.scope_version(&key).unwrap_or(0);
            let read = self
                .inner
                .catalogs
                .filling
                .join(&key, needed.unsigned_abs(), || {
                    self.read_and_keep(scope, &key)
                })
                .await?;
            if self.is_current(&key, &read) {
                return Ok(read);
            }
        }
        Err(StoreError::Busy)
    }

    async fn read_and_keep(&self, scope: &Scope, key: &ScopeKey) -> StoreResult<Arc<CachedScope>> {
        let read = Arc::new(self.read_scope(scope, key).await?);
        if let Some(probe) = &self.inner.probe {
            probe.reached(Point::ScopeRead).await;
        }
        // INVARIANT: an entry is handed out only if no commit with a higher version was acknowledged before it is compared.
        // A fill that a write overtook is in the cache for a moment at most, and never handed out.
        self.inner
            .catalogs
            .scopes
            .0
            .insert(key.clone(), Arc::clone(&read));
        Ok(read)
    }

    fn is_current(&self, key: &ScopeKey, cached: &CachedScope) -> bool {
        let is_current = self
            .inner
            .live
            .scope_version(key)
            .is_none_or(|version| cached.version >= version);
        is_current && cached.sources == self.inner.sources.generation(key)
    }

    async fn read_scope(&self, scope: &Scope, key: &ScopeKey) -> StoreResult<CachedScope> {
        self.inner
            .counters
            .scope_fills
            .fetch_add(1, Ordering::Relaxed);
        // Before they are read: a change from now on makes this reading a stale one.
        let generation = self.inner.sources.generation(key);
        // One transaction: version and rows are of one snapshot.
        let db = self.inner.filler.begin().await?;
        let version =
            scope_version::Entity::find_by_id((key.tenant.clone(), key.kind, key.id.clone()))
                .one(&db)
                .await?
                .map_or(0, |row| row.version);
        let place = self.inner.sources.database();
        let mut summaries = read_summaries(&db, scope, key, place).await?;
        let withheld = match self.inner.sources.has_after(scope) {
            true => read_withheld(&db, key).await?,
            false => BTreeSet::new(),
        };
        summaries.extend(
            self.inner
                .sources
                .summaries(scope)
                .into_iter()
                .filter(|summary| summary.source < place || !withheld.contains(&summary.name)),
        );
        let mut hidden = BTreeSet::new();
        if let Scope::Tenant(tenant) = scope {
            let rows = hidden_skill::Entity::find()
                .filter(hidden_skill::Column::Tenant.eq(tenant.as_str()))
                .all(&db)
                .await?;
            for row in rows {
                hidden.insert(name_of(&row.name)?);
            }
        }
        db.rollback().await?;
        let texts: usize = summaries
            .iter()
            .map(|summary| summary.description.len() + summary.name.as_str().len() + 100)
            .sum();
        Ok(CachedScope {
            version,
            sources: generation,
            list: Arc::new(ScopeList::new(scope.clone(), summaries)),
            hidden,
            weight: u32::try_from(texts + 256).unwrap_or(u32::MAX),
        })
    }
}

/// The skills of a scope that take part in catalogs.
async fn read_summaries<C: ConnectionTrait>(
    db: &C,
    scope: &Scope,
    key: &ScopeKey,
    source: u16,
) -> StoreResult<Vec<Arc<Summary>>> {
    // Only the columns that differ from row to row: a scope may have very many, and decoding is most of the work.
    let rows: Vec<(String, String, i64, String, bool, bool)> = skill::Entity::find()
        .select_only()
        .columns([
            skill::Column::Name,
            skill::Column::Description,
            skill::Column::Revision,
            skill::Column::Digest,
            skill::Column::Sealed,
            skill::Column::Templated,
        ])
        .filter(skill::Column::Tenant.eq(key.tenant.as_str()))
        .filter(skill::Column::ScopeKind.eq(key.kind))
        .filter(skill::Column::ScopeId.eq(key.id.as_str()))
        .filter(skill::Column::Kind.eq(KIND_SKILL))
        .filter(skill::Column::Mode.eq(MODE_TRIGGERED))
        .filter(skill::Column::Archived.eq(false))
        .filter(skill::Column::Disabled.eq(false))
        .filter(skill::Column::Recall.eq(RECALL_NONE))
        .into_tuple()
        .all(db)
        .await?;
    rows.into_iter()
        .map(|(name, description, revision, digest, sealed, templated)| {
            Ok(Arc::new(Summary {
                name: name_of(&name)?,
                scope: scope.clone(),
                description: Arc::from(description),
                revision: unsigned(revision, "revision")?,
                digest: digest_of(&digest)?,
                sealed,
                templated,
                mode: Mode::Triggered,
                status: Status::Active,
                roles: Arc::clone(&NO_ROLES),
                source,
            }))
        })
        .collect()
}

/// The names that the database has and keeps out of catalogs: a source after it must not bring back what was withdrawn here.
async fn read_withheld<C: ConnectionTrait>(
    db: &C,
    key: &ScopeKey,
) -> StoreResult<BTreeSet<SkillName>> {
    let names: Vec<String> = skill::Entity::find()
        .select_only()
        .column(skill::Column::Name)
        .filter(skill::Column::Tenant.eq(key.tenant.as_str()))
        .filter(skill::Column::ScopeKind.eq(key.kind))
        .filter(skill::Column::ScopeId.eq(key.id.as_str()))
        .filter(skill::Column::Kind.eq(KIND_SKILL))
        .filter(skill::Column::Archived.eq(false))
        .filter(
            Condition::any()
                .add(skill::Column::Disabled.eq(true))
                .add(skill::Column::Recall.ne(RECALL_NONE)),
        )
        .into_tuple()
        .all(db)
        .await?;
    names.iter().map(|name| name_of(name)).collect()
}

fn digest_of(column: &str) -> StoreResult<Digest> {
    Digest::parse(column)
        .ok_or_else(|| StoreError::Internal("a stored row has an unreadable `digest`".to_owned()))
}

pub(in crate::store) fn name_of(column: &str) -> StoreResult<SkillName> {
    SkillName::parse(column).map_err(|error| {
        StoreError::Internal(format!("a stored row has an unreadable `name`: {error}"))
    })
}
