//! Who and what there is: users, tenants, members, services, keys, settings.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use vestry_policies::{Action, Target, TenantId};

use super::{PageOf, PageRequest};
use crate::store::actions::{TenantSettings, settings_of_row};
use crate::store::entity::{member, service, tenant, user, user_key};
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{role_of, tenant_key};
use crate::store::view::{Fetch, Query, View};

macro_rules! query {
    ($(#[$doc:meta])* $query:ident { $($field:ident: $type:ty),* } => $answer:ty, $action:ident, $target:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        #[expect(missing_docs, reason = "the fields are the tenant and the page, as everywhere")]
        pub struct $query { $(pub $field: $type),* }

        impl Query for $query {
            type Answer = $answer;
            const ACTION: Action = Action::$action;
            fn target(&self) -> Target {
                let target: fn(&Self) -> Target = $target;
                target(self)
            }
        }
    };
}

/// A user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRow {
    /// The username.
    pub username: String,
    /// What people call them.
    pub display_name: String,
    /// Whether they administer the installation.
    pub global_admin: bool,
    /// When they were created, in microseconds since the Unix epoch.
    pub created_at: i64,
}

/// A tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantRow {
    /// The id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// When it was created, in microseconds since the Unix epoch.
    pub created_at: i64,
}

/// A member of a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRow {
    /// The username.
    pub username: String,
    /// The role.
    pub role: &'static str,
    /// When they joined, in microseconds since the Unix epoch.
    pub created_at: i64,
}

/// A service, without its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceRow {
    /// The id.
    pub id: String,
    /// The name.
    pub name: String,
    /// The beginning of its key, to tell keys apart.
    pub key_hint: String,
    /// When it was created, in microseconds since the Unix epoch.
    pub created_at: i64,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

/// An API key of the caller, without the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// The id.
    pub id: String,
    /// The name.
    pub name: String,
    /// The beginning of the key, to tell keys apart.
    pub key_hint: String,
    /// When it was created, in microseconds since the Unix epoch.
    pub created_at: i64,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

query! {
    /// Lists the users.
    Users { page: PageRequest } => PageOf<UserRow>, ListUsers, |_| Target::Server
}
query! {
    /// Lists the tenants.
    Tenants { page: PageRequest } => PageOf<TenantRow>, ListTenants, |_| Target::Server
}
query! {
    /// Lists the members of a tenant.
    Members { tenant: TenantId, page: PageRequest } => PageOf<MemberRow>, ListMembers,
    |query| Target::Tenant(query.tenant.clone())
}
query! {
    /// Lists the services of a tenant.
    Services { tenant: TenantId, page: PageRequest } => PageOf<ServiceRow>, ListServices,
    |query| Target::Tenant(query.tenant.clone())
}
query! {
    /// Lists the caller's API keys.
    Keys { page: PageRequest } => PageOf<KeyRow>, ManageOwnKeys, |_| Target::Server
}
query! {
    /// Reads the settings of a tenant.
    Settings { tenant: TenantId } => TenantSettings, ReadSettings,
    |query| Target::Tenant(query.tenant.clone())
}

impl Fetch for Users {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<UserRow>> {
        let rows = user::Entity::find()
            .filter(user::Column::UsernameKey.gt(self.page.after_text()))
            .order_by_asc(user::Column::UsernameKey)
            .limit(self.page.fetch())
            .all(view.db)
            .await?;
        let page = PageOf::of(rows, &self.page, |row| vec![row.username_key.clone()]);
        Ok(PageOf {
            items: page
                .items
                .into_iter()
                .map(|row| UserRow {
                    username: row.username,
                    display_name: row.display_name,
                    global_admin: row.global_admin,
                    created_at: row.created_at,
                })
                .collect(),
            next: page.next,
        })
    }
}

impl Fetch for Tenants {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<TenantRow>> {
        let rows = tenant::Entity::find()
            .filter(tenant::Column::TenantKey.gt(self.page.after_text()))
            .order_by_asc(tenant::Column::TenantKey)
            .limit(self.page.fetch())
            .all(view.db)
            .await?;
        let page = PageOf::of(rows, &self.page, |row| vec![row.tenant_key.clone()]);
        Ok(PageOf {
            items: page
                .items
                .into_iter()
                .map(|row| TenantRow {
                    id: row.tenant,
                    name: row.name,
                    created_at: row.created_at,
                })
                .collect(),
            next: page.next,
        })
    }
}

impl Fetch for Members {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<MemberRow>> {
        let rows = member::Entity::find()
            .filter(member::Column::Tenant.eq(self.tenant.as_str()))
            .filter(member::Column::Username.gt(self.page.after_text()))
            .order_by_asc(member::Column::Username)
            .limit(self.page.fetch())
            .all(view.db)
            .await?;
        let rows: Vec<MemberRow> = rows
            .into_iter()
            .map(|row| {
                Ok(MemberRow {
                    role: role_of(row.role)?.as_str(),
                    username: row.username,
                    created_at: row.created_at,
                })
            })
            .collect::<StoreResult<_>>()?;
        Ok(PageOf::of(rows, &self.page, |row| {
            vec![row.username.clone()]
        }))
    }
}

impl Fetch for Services {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<ServiceRow>> {
        let rows = service::Entity::find()
            .filter(service::Column::Tenant.eq(self.tenant.as_str()))
            .filter(service::Column::Id.gt(self.page.after_text()))
            .order_by_asc(service::Column::Id)
            .limit(self.page.fetch())
            .all(view.db)
            .await?;
        let rows = rows
            .into_iter()
            .map(|row| ServiceRow {
                id: row.id,
                name: row.name,
                key_hint: row.key_hint,
                created_at: row.created_at,
                revoked_at: row.revoked_at,
            })
            .collect();
        Ok(PageOf::of(rows, &self.page, |row: &ServiceRow| {
            vec![row.id.clone()]
        }))
    }
}

impl Fetch for Keys {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<KeyRow>> {
        let username = view
            .caller
            .username()
            .map(ToString::to_string)
            .unwrap_or_default();
        let rows = user_key::Entity::find()
            .filter(user_key::Column::Tenant.eq(tenant_key(view.caller.tenant())))
            .filter(user_key::Column::Username.eq(username))
            .filter(user_key::Column::Id.gt(self.page.after_text()))
            .order_by_asc(user_key::Column::Id)
            .limit(self.page.fetch())
            .all(view.db)
            .await?;
        let rows = rows
            .into_iter()
            .map(|row| KeyRow {
                id: row.id,
                name: row.name,
                key_hint: row.key_hint,
                created_at: row.created_at,
                revoked_at: row.revoked_at,
            })
            .collect();
        Ok(PageOf::of(rows, &self.page, |row: &KeyRow| {
            vec![row.id.clone()]
        }))
    }
}

impl Fetch for Settings {
    async fn fetch(self, view: &View<'_>) -> StoreResult<TenantSettings> {
        let row = tenant::Entity::find()
            .filter(tenant::Column::Tenant.eq(self.tenant.as_str()))
            .one(view.db)
            .await?
            .ok_or_else(|| StoreError::NotFound("This tenant".to_owned()))?;
        settings_of_row(&row)
    }
}
