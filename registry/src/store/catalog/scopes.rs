//! The skills of one scope, read lazily and kept with the version that they were read at.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use moka::sync::Cache;
use sea_orm::{FromQueryResult, Statement};
use serde::Deserialize;
use vestry_policies::resolve::ScopeList;
use vestry_policies::{Digest, Mode, Scope, SkillName, Status, Summary};

use super::attached::{Attached, NO_ROLES};
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{KIND_SKILL, RECALL_NONE, ScopeKey, mode_of};
use crate::store::tenant_set::TenantSet;
use crate::store::{Point, Store, dialect};

/// How many bytes of summaries are held in memory.
const HELD_BYTES: u64 = 512 << 20;
/// How often a fill that was overtaken by writes is tried again.
const ATTEMPTS: usize = 16;

/// One scope at one version.
#[derive(Debug)]
pub(in crate::store) struct CachedScope {
    version: i64,
    /// How often the sources of the scope had changed before they were read.
    sources: u64,
    /// What catalogs offer.
    pub(in crate::store) list: Arc<ScopeList>,
    /// What openings render.
    pub(in crate::store) ambient: Arc<ScopeList>,
    /// The global skills that the tenant hides; empty for other scopes.
    pub(in crate::store) hidden: BTreeSet<SkillName>,
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
    pub(in crate::store) async fn scope(&self, scope: &Scope) -> StoreResult<Arc<CachedScope>> {
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
        self.inner.reached(Point::ScopeRead).await;
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
        // One statement, so that version and rows are of one snapshot.
        let values = [
            key.tenant.as_str().into(),
            key.kind.into(),
            key.id.as_str().into(),
            KIND_SKILL.into(),
            RECALL_NONE.into(),
            self.inner.sources.has_after(scope).into(),
        ];
        let backend = self.inner.backend;
        let statement =
            Statement::from_sql_and_values(backend, dialect::json(READ, backend), values);
        let tenants = TenantSet::of_keys([key.tenant.as_str()]);
        let read = Read::find_by_statement(statement)
            .one(&self.inner.filler.statements(&tenants).await?)
            .await?
            .ok_or_else(|| StoreError::Internal("a scope gave no row".to_owned()))?;
        let hidden = match scope {
            Scope::Tenant(_) => names(&read.hidden)?,
            Scope::Actor { .. } | Scope::Global => BTreeSet::new(),
        };
        let place = self.inner.sources.database();
        let attached = Attached::read(&read.attachments)?;
        let mut found = summaries(&read.skills, scope, place)?;
        // What was withdrawn here is not brought back by a source that comes after it.
        let withheld = names(&read.withheld)?;
        found.extend(
            self.inner
                .sources
                .summaries(scope)
                .into_iter()
                .filter(|summary| summary.source < place || !withheld.contains(&summary.name)),
        );
        let ambient = reaching(&found, &attached, Mode::Ambient);
        // Most scopes attach nothing and have nothing ambient: their skills go in as they were read.
        let list = if ambient.is_empty() && attached.is_empty() {
            ScopeList::new(scope.clone(), found)
        } else {
            let triggered = reaching(&found, &attached, Mode::Triggered);
            ScopeList::new(scope.clone(), triggered)
        };
        let ambient = ScopeList::new(scope.clone(), ambient);
        let weight = list.bytes() + ambient.bytes() + 256;
        Ok(CachedScope {
            sources: generation,
            version: read.version,
            weight: u32::try_from(weight).unwrap_or(u32::MAX),
            list: Arc::new(list),
            ambient: Arc::new(ambient),
            hidden,
        })
    }
}

/// The skills of a scope that take part in catalogs, as one text of JSON, with its version and what it hides. A row of its
/// own for each skill would go from SQLite's thread to ours by itself.
const READ: &str = "SELECT \
 coalesce((SELECT version FROM scope_versions WHERE tenant = $1 AND scope_kind = $2 AND scope_id = $3), 0) AS version, \
 (SELECT json_group_array(json_array(name, description, revision, digest, sealed, templated, mode)) FROM skills \
   WHERE tenant = $1 AND scope_kind = $2 AND scope_id = $3 AND kind = $4 AND archived = FALSE \
   AND disabled = FALSE AND recall = $5) AS skills, \
 (SELECT json_group_array(json_array(skill, role, mode)) FROM role_attachments \
   WHERE tenant = $1 AND scope_kind = $2 AND scope_id = $3) AS attachments, \
 (SELECT json_group_array(name) FROM skills \
   WHERE tenant = $1 AND scope_kind = $2 AND scope_id = $3 AND kind = $4 AND archived = FALSE \
   AND (disabled = TRUE OR recall <> $5) AND $6) AS withheld, \
 (SELECT json_group_array(name) FROM hidden_skills WHERE tenant = $1) AS hidden";

#[derive(Debug, FromQueryResult)]
struct Read {
    version: i64,
    skills: String,
    attachments: String,
    /// The names that the database has and keeps out of catalogs; none where no source comes after it.
    withheld: String,
    hidden: String,
}

/// Name, description, revision, digest, whether it is sealed and templated, and its mode.
#[derive(Deserialize)]
struct ReadSkill<'a>(
    &'a str,
    #[serde(borrow)] Cow<'a, str>,
    u32,
    &'a str,
    Flag,
    Flag,
    i16,
);

/// A truth value in JSON that a database made: SQLite writes a number.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Flag {
    Truth(bool),
    Number(u8),
}

impl Flag {
    fn is_set(self) -> bool {
        match self {
            Self::Truth(truth) => truth,
            Self::Number(number) => number != 0,
        }
    }
}

fn names(json: &str) -> StoreResult<BTreeSet<SkillName>> {
    let names: Vec<&str> = serde_json::from_str(json)?;
    names.into_iter().map(name_of).collect()
}

/// What takes part, in the mode that each row itself is of.
fn summaries(json: &str, scope: &Scope, source: u16) -> StoreResult<Vec<Summary>> {
    let rows: Vec<ReadSkill<'_>> = serde_json::from_str(json)?;
    rows.into_iter()
        .map(
            |ReadSkill(name, description, revision, digest, sealed, templated, mode)| {
                Ok(Summary {
                    name: name_of(name)?,
                    scope: scope.clone(),
                    description: Arc::from(description),
                    revision,
                    digest: digest_of(digest)?,
                    sealed: sealed.is_set(),
                    templated: templated.is_set(),
                    mode: mode_of(mode),
                    status: Status::Active,
                    roles: Arc::clone(&NO_ROLES),
                    source,
                })
            },
        )
        .collect()
}

/// Those that reach anyone in this mode. They are written as triggered ones: resolution takes part in no other.
fn reaching(found: &[Summary], attached: &Attached, mode: Mode) -> Vec<Summary> {
    found
        .iter()
        .filter_map(|summary| {
            Some(Summary {
                roles: attached.reached(summary.name.as_str(), summary.mode, mode)?,
                mode: Mode::Triggered,
                ..summary.clone()
            })
        })
        .collect()
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
