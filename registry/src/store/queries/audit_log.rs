//! The audit log of a tenant, or of the installation.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use vestry_policies::{Action, Target, TenantId};

use super::{PageOf, PageRequest};
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
    /// The page.
    pub page: PageRequest,
}

impl Query for AuditLog {
    type Answer = PageOf<(AuditRecord, String)>;
    const ACTION: Action = Action::ReadAudit;
    fn target(&self) -> Target {
        self.tenant.clone().map_or(Target::Server, Target::Tenant)
    }
}

impl Fetch for AuditLog {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<(AuditRecord, String)>> {
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
        let rows = find
            .order_by_asc(row::Column::Seq)
            .limit(self.page.fetch())
            .all(view.db)
            .await?;
        let records: Vec<(AuditRecord, String)> = rows
            .into_iter()
            .map(|row| Ok((audit::read(&row)?, row.hash)))
            .collect::<StoreResult<_>>()?;
        Ok(PageOf::of(records, &self.page, |(record, _)| {
            vec![record.seq.to_string()]
        }))
    }
}
