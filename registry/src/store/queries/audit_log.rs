//! The audit log of a tenant, or of the installation.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use vestry_policies::{Action, Target, TenantId};

use super::{PageOf, PageRequest};
use crate::clock::Micros;
use crate::store::audit::{self, AuditRecord};
use crate::store::entity::audit as row;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::tenant_key;
use crate::store::view::{Fetch, Query, View};

/// Reads the audit log, oldest first.
#[derive(Debug, Clone)]
pub struct AuditLog {
    /// The tenant; the installation's own log when there is none.
    pub tenant: Option<TenantId>,
    /// Only records of this action.
    pub action: Option<String>,
    /// Only records of this principal.
    pub principal: Option<String>,
    /// Only records since this time.
    pub since: Option<Micros>,
    /// Only records before this time.
    pub until: Option<Micros>,
    /// The page.
    pub page: PageRequest,
}

/// A record of the log.
#[derive(Debug, Clone)]
pub struct FoundRecord {
    /// The record.
    pub record: AuditRecord,
    /// The hash of the chain up to it.
    pub hash: String,
    /// Its bytes, which the hash covers.
    pub stored: String,
}

impl Query for AuditLog {
    type Answer = PageOf<FoundRecord>;
    const ACTION: Action = Action::ReadAudit;
    fn target(&self) -> Target {
        self.tenant.clone().map_or(Target::Server, Target::Tenant)
    }
}

impl Fetch for AuditLog {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<FoundRecord>> {
        let after: i64 = match self.page.after_text().as_str() {
            "" => 0,
            seq => seq
                .parse()
                .map_err(|_| StoreError::Internal("a cursor has the wrong position".to_owned()))?,
        };
        let mut find = row::Entity::find()
            .filter(row::Column::Tenant.eq(tenant_key(self.tenant.as_ref())))
            .filter(row::Column::Seq.gt(after));
        if let Some(action) = self.action {
            find = find.filter(row::Column::Action.eq(action));
        }
        if let Some(principal) = self.principal {
            find = find.filter(row::Column::Principal.eq(principal));
        }
        if let Some(since) = self.since {
            find = find.filter(row::Column::At.gte(since.0));
        }
        if let Some(until) = self.until {
            find = find.filter(row::Column::At.lt(until.0));
        }
        let rows = find
            .order_by_asc(row::Column::Seq)
            .limit(self.page.fetch())
            .all(view.db)
            .await?;
        let records: Vec<FoundRecord> = rows
            .into_iter()
            .map(|row| {
                Ok(FoundRecord {
                    record: audit::read(&row)?,
                    hash: row.hash,
                    stored: String::from_utf8(row.record).map_err(|_| {
                        StoreError::Internal("an audit record is no text".to_owned())
                    })?,
                })
            })
            .collect::<StoreResult<_>>()?;
        Ok(PageOf::of(records, &self.page, |found| {
            vec![found.record.seq.to_string()]
        }))
    }
}

/// Signs a checkpoint of the log as it is now.
#[derive(Debug, Clone)]
pub struct AuditCheckpoint {
    /// The tenant; the installation's own log when there is none.
    pub tenant: Option<TenantId>,
}

impl Query for AuditCheckpoint {
    /// The signed note.
    type Answer = String;
    const ACTION: Action = Action::ReadAudit;
    fn target(&self) -> Target {
        self.tenant.clone().map_or(Target::Server, Target::Tenant)
    }
}

impl Fetch for AuditCheckpoint {
    async fn fetch(self, view: &View<'_>) -> StoreResult<String> {
        let tenant = tenant_key(self.tenant.as_ref());
        let now = view.inner.clock.now();
        view.inner.checkpoints.of_chain(view.db, &tenant, now).await
    }
}
