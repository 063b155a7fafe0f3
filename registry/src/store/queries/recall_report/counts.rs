//! How many turns of each tenant a global revision reached: numbers, and nothing of who they were.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use vestry_migration::GLOBAL_TENANT;
use vestry_policies::{Action, Scope, Target, TenantId};

use super::event::Happened;
use super::scan::{Budget, Place, Scan};
use super::wanted::Wanted;
use crate::store::entity::tenant;
use crate::store::error::StoreResult;
use crate::store::queries::{PageOf, PageRequest};
use crate::store::rows::tenant_of;
use crate::store::view::{Fetch, Query, View};

/// How many tenants a page looks at.
const TENANTS: u64 = 500;
/// What a position says when its tenant is done with.
const DONE: &str = "done";

/// Asks how many turns of each tenant were offered content of the global scope, and how often it was loaded.
#[derive(Debug, Clone)]
pub struct RecallCounts {
    /// Which content.
    pub wanted: Wanted,
    /// The page.
    pub page: PageRequest,
}

/// What a page counted in one tenant. The next page may go on with the same tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantCounts {
    /// The tenant; none for those who have none.
    pub tenant: Option<TenantId>,
    /// Named turns that were offered it.
    pub turns: u64,
    /// Offers that it was in.
    pub offers: u64,
    /// Loads of its body or of a file.
    pub loads: u64,
    /// Runs that were opened with it.
    pub openings: u64,
}

impl Query for RecallCounts {
    type Answer = PageOf<TenantCounts>;
    const ACTION: Action = Action::ReadRecallReport;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for RecallCounts {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<TenantCounts>> {
        let Self { wanted, page } = self;
        let content = wanted.find(view, &Scope::Global).await?;
        let (mut tenants, mut begin) = match page.after.as_deref() {
            None => (tenants_after(view, "").await?, Place::BEGINNING),
            Some([tenant, done]) if done == DONE => {
                (tenants_after(view, tenant).await?, Place::BEGINNING)
            }
            Some([tenant, place @ ..]) => {
                let mut tenants = vec![tenant.clone()];
                tenants.extend(tenants_after(view, tenant).await?);
                (tenants, Place::read(place)?)
            }
            Some([]) => (Vec::new(), Place::BEGINNING),
        };
        let is_whole = tenants.last().is_none_or(|tenant| tenant == GLOBAL_TENANT);
        let mut budget = Budget::default();
        let mut items = Vec::new();
        let mut next = None;
        let mut last = None;
        for tenant in tenants.drain(..) {
            let mut counts = TenantCounts {
                tenant: tenant_of(&tenant)?,
                turns: 0,
                offers: 0,
                loads: 0,
                openings: 0,
            };
            let from = std::mem::replace(&mut begin, Place::BEGINNING);
            let stopped = Scan::new(view.db, &tenant, &content)
                .run(from, &mut budget, &mut |event| {
                    match event.happened {
                        Happened::Taken => counts.turns += 1,
                        Happened::Offered => counts.offers += 1,
                        Happened::Opened => counts.openings += 1,
                        Happened::Loaded { .. } | Happened::LoadedFile { .. } => counts.loads += 1,
                    }
                    true
                })
                .await?;
            if counts.turns + counts.offers + counts.loads + counts.openings > 0 {
                items.push(counts);
            }
            if let Some(place) = stopped {
                let mut position = vec![tenant];
                position.extend(place.write());
                next = Some(position);
                break;
            }
            if items.len() >= page.limit && tenant != GLOBAL_TENANT {
                next = Some(vec![tenant, DONE.to_owned()]);
                break;
            }
            last = Some(tenant);
        }
        if next.is_none() && !is_whole {
            next = last.map(|tenant| vec![tenant, DONE.to_owned()]);
        }
        Ok(PageOf { items, next })
    }
}

/// The next tenants, in the order of their ids; those who have none come last.
async fn tenants_after(view: &View<'_>, after: &str) -> StoreResult<Vec<String>> {
    if after == GLOBAL_TENANT {
        return Ok(Vec::new());
    }
    let mut tenants: Vec<String> = tenant::Entity::find()
        .select_only()
        .column(tenant::Column::Tenant)
        .filter(tenant::Column::Tenant.gt(after))
        .order_by_asc(tenant::Column::Tenant)
        .limit(TENANTS)
        .into_tuple()
        .all(view.db)
        .await?;
    if (tenants.len() as u64) < TENANTS {
        tenants.push(GLOBAL_TENANT.to_owned());
    }
    Ok(tenants)
}
