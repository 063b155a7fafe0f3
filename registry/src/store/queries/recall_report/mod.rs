//! What became of a revision: which turns were offered it, and which loaded it.
//!
//! It is read from what turns left: their own rows, the snapshots of what they were offered, and the journal. There is no
//! index for it, so that turns pay nothing for a report that is asked for once a recall; a page therefore looks at so much
//! and no more, and may be short, or empty, with more to come.

mod counts;
mod event;
mod scan;
mod wanted;

use vestry_policies::{Action, Scope, Target, TenantId};

use super::{PageOf, PageRequest};
use crate::identity::Caller;
use crate::store::error::StoreResult;
use crate::store::rows::tenant_key;
use crate::store::view::{Fetch, Query, View};
use scan::{Budget, Place, Scan};

pub use counts::{RecallCounts, TenantCounts};
pub use event::{Happened, Reported, ReportedSkill};
pub use wanted::Wanted;

/// Asks which turns of the caller's own tenant were offered content of a scope, and which loaded it.
#[derive(Debug, Clone)]
pub struct RecallReport {
    tenant: Option<TenantId>,
    scope: Scope,
    wanted: Wanted,
    page: PageRequest,
}

impl RecallReport {
    /// The question of this caller about content of a scope.
    #[must_use]
    pub fn new(caller: &Caller, scope: Scope, wanted: Wanted, page: PageRequest) -> Self {
        Self {
            tenant: caller.tenant().cloned(),
            scope,
            wanted,
            page,
        }
    }
}

impl Query for RecallReport {
    type Answer = PageOf<Reported>;
    const ACTION: Action = Action::ReadRecallReport;
    fn target(&self) -> Target {
        match (&self.scope, &self.tenant) {
            (Scope::Global, Some(tenant)) => Target::Tenant(tenant.clone()),
            (Scope::Global, None) => Target::Server,
            (scope, _) => Target::Scope(scope.clone()),
        }
    }
}

impl Fetch for RecallReport {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<Reported>> {
        let tenant = tenant_key(self.tenant.as_ref());
        let content = self.wanted.find(view, &self.scope).await?;
        let begin = match &self.page.after {
            None => Place::BEGINNING,
            Some(position) => Place::read(position)?,
        };
        let mut items = Vec::new();
        let mut scan = Scan::new(view.db, &tenant, &content);
        let next = scan
            .run(begin, &mut Budget::default(), &mut |event| {
                items.push(event);
                items.len() < self.page.limit
            })
            .await?;
        Ok(PageOf {
            items,
            next: next.map(|place| place.write()),
        })
    }
}
