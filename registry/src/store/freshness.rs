//! Bringing what is in memory up to the database, where other processes write to it too.
//!
//! On SQLite this process is the only writer, and its own writes keep [`super::live`] current. On PostgreSQL every request asks,
//! in one round trip and before anything is decided, for the versions of its caller's scopes and for what its authority rests
//! on, all of one snapshot. What is in memory is then at least as new as that: a write that was acknowledged before the request
//! began, by whichever replica, is in its answer (design §6, invariant 19).

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, Statement,
};
use vestry_policies::Scope;

use super::Store;
use super::entity::{revision, role_attachment};
use super::error::{StoreError, StoreResult};
use super::live::{Details, Observed, Seen};
use super::rows::{RECALL_NONE, ScopeKey, item_of, tenant_key, unsigned};
use super::staleness::{CredentialKey, Freshness, Staleness};
use super::templates::ActiveSchema;
use super::tenant_set::TenantSet;
use super::version::Version;
use crate::identity::Caller;

/// One row of the function `vestry_current`.
#[derive(Debug, FromQueryResult)]
struct Current {
    /// Whether nothing has changed since the caller was looked at last; then there is nothing but the ends of the chains.
    unchanged: bool,
    own_version: Option<i64>,
    tenant_version: Option<i64>,
    global_version: Option<i64>,
    actor_epoch: Option<i64>,
    actor_ended: Option<bool>,
    service_epoch: Option<i64>,
    service_revoked: Option<bool>,
    session_revoked: Option<bool>,
    session_expires: Option<i64>,
    key_revoked: Option<bool>,
    max_cap: Option<i64>,
    schema_number: Option<i64>,
    tenant_head: i64,
    global_head: i64,
}

/// Columns by name: a newer version's function may have more of them, and a prepared statement must not get others.
const CURRENT: &str = "SELECT own_version, tenant_version, global_version, actor_epoch, actor_ended, service_epoch, service_revoked, \
 session_revoked, session_expires, key_revoked, max_cap, schema_number, tenant_head, global_head, unchanged \
 FROM vestry_current($1, $2, $3, $4, $5, $6, $7, $8)";

impl Store {
    /// Brings what is in memory up to the database, as far as this caller's requests look at it.
    ///
    /// # Errors
    /// When the database does not answer.
    pub(super) async fn catch_up(
        &self,
        caller: &Caller,
        credential: CredentialKey,
        freshness: Freshness,
    ) -> StoreResult<()> {
        if !self.inner.is_shared() {
            return Ok(());
        }
        let tenant = tenant_key(caller.tenant());
        let staleness = self.inner.staleness.as_ref();
        if staleness.is_some_and(|known| known.suffices(&credential, &tenant, &freshness)) {
            return Ok(());
        }
        let asked_at = staleness.map(Staleness::now);
        let actor = caller.actor().map_or("", |actor| actor.as_str());
        let service = caller.service_id().unwrap_or_default();
        let session = caller.session_id().unwrap_or_default();
        let key = caller.key_id().unwrap_or_default();
        let known = staleness.and_then(|looked| looked.heads(&credential));
        let asked = [&tenant, actor, service, session, key];
        let current = self.current(asked, caller.scopes(), known).await?;
        let heads = (current.tenant_head, current.global_head);
        let has_it = |version: Version| version.is_of(caller) && version.is_in(heads.0, heads.1);
        if !freshness.min_version.is_none_or(has_it) {
            return Err(StoreError::Conflict(
                "The database does not have the version that this request asks for; it was restored or lost writes, or the version is another tenant's. Read again without it."
                    .to_owned(),
            ));
        }
        if let (Some(staleness), Some(at), true) = (staleness, asked_at, current.unchanged) {
            staleness.note(credential, at, heads);
            return Ok(());
        }
        let mut versions = Vec::with_capacity(3);
        for scope in caller.scopes() {
            let version = match scope {
                Scope::Actor { .. } => current.own_version,
                Scope::Tenant(_) => current.tenant_version,
                Scope::Global => current.global_version,
            };
            versions.push((ScopeKey::of(scope), version.unwrap_or(0)));
        }
        let schema = current.schema_number.unwrap_or(0);
        let observed = Observed {
            head: current.tenant_head,
            actor: Seen::of(actor, current.actor_epoch, current.actor_ended),
            service: Seen::of(service, current.service_epoch, current.service_revoked),
            ended_session: current
                .session_revoked
                .unwrap_or(false)
                .then(|| (session.to_owned(), current.session_expires.unwrap_or(0))),
            revoked_key: current.key_revoked.unwrap_or(false).then(|| key.to_owned()),
            max_cap: current.max_cap,
            tenant,
            versions,
        };
        let behind = self.inner.live.observe(observed);
        for scope in behind {
            self.read_details(scope).await?;
        }
        self.catch_up_schema(schema).await?;
        if let (Some(staleness), Some(at)) = (staleness, asked_at) {
            staleness.note(credential, at, heads);
        }
        Ok(())
    }

    /// As [`Store::catch_up`], for those who ask without a credential: what is public is global.
    pub(super) async fn catch_up_global(&self) -> StoreResult<()> {
        if !self.inner.is_shared() {
            return Ok(());
        }
        let tenant = tenant_key(None);
        let scopes = [Scope::Global];
        let asked = [tenant.as_str(), "", "", "", ""];
        let current = self.current(asked, &scopes, None).await?;
        let versions = vec![(
            ScopeKey::of(&Scope::Global),
            current.global_version.unwrap_or(0),
        )];
        let behind = self.inner.live.observe(Observed {
            head: current.tenant_head,
            tenant,
            versions,
            ..Observed::default()
        });
        for scope in behind {
            self.read_details(scope).await?;
        }
        self.catch_up_schema(current.schema_number.unwrap_or(0))
            .await
    }

    async fn current(
        &self,
        of: [&str; 5],
        scopes: &[Scope],
        known: Option<(i64, i64)>,
    ) -> StoreResult<Current> {
        let keys: Vec<String> = scopes
            .iter()
            .map(|scope| tenant_key(scope.tenant()))
            .collect();
        let setting = TenantSet::of_keys(keys.iter().map(String::as_str)).setting();
        let [tenant, actor, service, session, key] = of;
        let statement = Statement::from_sql_and_values(
            self.inner.backend,
            CURRENT,
            [
                setting.into(),
                tenant.into(),
                actor.into(),
                service.into(),
                session.into(),
                key.into(),
                known.map(|(tenant, _)| tenant).into(),
                known.map(|(_, global)| global).into(),
            ],
        );
        self.inner
            .reader
            .one::<Current>(&statement)
            .await?
            .ok_or_else(|| StoreError::Internal("`vestry_current` gave no row".to_owned()))
    }

    /// Reads which revisions of a scope are recalled and for which roles it attaches skills: both change with its version.
    async fn read_details(&self, scope: ScopeKey) -> StoreResult<()> {
        let tenants = TenantSet::of_keys([scope.tenant.as_str()]);
        let tx = self.inner.reader.begin(&tenants).await?;
        let version = scope_version(&tx, &scope).await?;
        let recalled = revision::Entity::find()
            .select_only()
            .columns([
                revision::Column::Kind,
                revision::Column::Name,
                revision::Column::Number,
                revision::Column::Recall,
            ])
            .filter(revision::Column::Tenant.eq(scope.tenant.as_str()))
            .filter(revision::Column::ScopeKind.eq(scope.kind))
            .filter(revision::Column::ScopeId.eq(scope.id.as_str()))
            // Greater, not other: an index finds those.
            .filter(revision::Column::Recall.gt(RECALL_NONE))
            .into_tuple::<(i16, String, i64, i16)>()
            .all(&tx)
            .await?;
        let roles: Vec<String> = role_attachment::Entity::find()
            .select_only()
            .column(role_attachment::Column::Role)
            .filter(role_attachment::Column::Tenant.eq(scope.tenant.as_str()))
            .filter(role_attachment::Column::ScopeKind.eq(scope.kind))
            .filter(role_attachment::Column::ScopeId.eq(scope.id.as_str()))
            .distinct()
            .into_tuple()
            .all(&tx)
            .await?;
        tx.rollback().await?;
        let mut revisions = Vec::with_capacity(recalled.len());
        for (kind, name, number, recall) in recalled {
            let number = unsigned(number, "number")?;
            revisions.push((item_of(kind, &name)?.to_string(), number, recall));
        }
        self.inner.live.take_details(Details {
            scope,
            version,
            recalled: revisions,
            roles,
        });
        Ok(())
    }

    async fn catch_up_schema(&self, number: i64) -> StoreResult<()> {
        if self.inner.live.schema_number() >= number {
            return Ok(());
        }
        let reading = self.inner.reader.statements(&TenantSet::of(None)).await?;
        let schema = ActiveSchema::load(&reading).await?;
        self.inner.live.take_schema(schema);
        Ok(())
    }
}

async fn scope_version<C: ConnectionTrait>(db: &C, scope: &ScopeKey) -> StoreResult<i64> {
    use super::entity::scope_version::{Column, Entity};
    let version: Option<i64> = Entity::find()
        .select_only()
        .column(Column::Version)
        .filter(Column::Tenant.eq(scope.tenant.as_str()))
        .filter(Column::ScopeKind.eq(scope.kind))
        .filter(Column::ScopeId.eq(scope.id.as_str()))
        .into_tuple()
        .one(db)
        .await?;
    Ok(version.unwrap_or(0))
}
