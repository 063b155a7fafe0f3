//! The shared scopes of a caller merged, kept while both are current.

use std::sync::Arc;

use moka::sync::Cache;
use vestry_policies::resolve::{ScopeList, WideView};
use vestry_policies::{Scope, TenantId};

use super::scopes::CachedScope;
use crate::store::Store;
use crate::store::error::StoreResult;

/// How many bytes of merged scopes are held in memory, without the scopes themselves.
const HELD_BYTES: u64 = 256 << 20;

/// Tenant and global merged.
pub(super) struct Wide {
    tenant: Option<Arc<CachedScope>>,
    global: Arc<CachedScope>,
    pub(super) view: WideView,
}

/// Keyed by the tenant, the rank of the first shared scope, and the role.
pub(super) type WideKey = (Option<TenantId>, usize, Option<Arc<str>>);

pub(super) struct WideCache(Cache<WideKey, Arc<Wide>>);

impl WideCache {
    pub(super) fn new() -> Self {
        Self(
            Cache::builder()
                .max_capacity(HELD_BYTES)
                .weigher(|_, wide: &Arc<Wide>| {
                    u32::try_from(wide.view.bytes() + 1_024).unwrap_or(u32::MAX)
                })
                .build(),
        )
    }
}

impl Wide {
    /// The skills of an actor, without what these scopes seal in openings.
    pub(super) fn unsealed(&self, own: &CachedScope) -> Arc<ScopeList> {
        self.tenant
            .iter()
            .chain([&self.global])
            .fold(Arc::clone(&own.list), |list, wider| {
                list.without_names_sealed_in(&wider.ambient)
            })
    }
}

impl Store {
    /// The shared scopes of `tenant`'s members, as of no earlier than this call.
    pub(super) async fn wide(
        &self,
        tenant: Option<&TenantId>,
        first_rank: usize,
        role: Option<&Arc<str>>,
    ) -> StoreResult<Arc<Wide>> {
        let key = (tenant.cloned(), first_rank, role.cloned());
        let changes = self.inner.live.scope_changes();
        self.inner
            .catalogs
            .merging
            .join(&key, changes, || self.merge(&key))
            .await
    }

    async fn merge(&self, key: &WideKey) -> StoreResult<Arc<Wide>> {
        let (tenant, first_rank, role) = key;
        let tenant_scope = match tenant {
            Some(tenant) => Some(self.scope(&Scope::Tenant(tenant.clone())).await?),
            None => None,
        };
        let global = self.scope(&Scope::Global).await?;
        if let Some(wide) = self.inner.catalogs.wide.0.get(key)
            && Arc::ptr_eq(&wide.global, &global)
            && same(wide.tenant.as_ref(), tenant_scope.as_ref())
        {
            return Ok(wide);
        }
        let lists: Vec<_> = tenant_scope
            .iter()
            .map(|scope| scope.list.without_names_sealed_in(&global.ambient))
            .chain([Arc::clone(&global.list)])
            .collect();
        let none_hidden = std::collections::BTreeSet::new();
        let hidden = tenant_scope
            .as_ref()
            .map_or(&none_hidden, |scope| &scope.hidden);
        let wide = Arc::new(Wide {
            view: WideView::merge(&lists, *first_rank, hidden, role.as_deref()),
            tenant: tenant_scope,
            global,
        });
        self.inner
            .catalogs
            .wide
            .0
            .insert(key.clone(), Arc::clone(&wide));
        Ok(wide)
    }
}

fn same(a: Option<&Arc<CachedScope>>, b: Option<&Arc<CachedScope>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}
