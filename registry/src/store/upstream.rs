//! What a skill overrides: the skill of its name at the next wider scope that has one. Which one that was is kept with
//! the skill when it is written, so that its owner sees when it has changed since.

use std::sync::Arc;

use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use vestry_policies::{ItemName, Scope, SkillName, Status};

use super::catalog::CachedScope;
use super::entity::{hidden_skill, skill};
use super::error::StoreResult;
use super::facts::Wider;
use super::impact::{Shape, composed};
use super::rows::{KIND_SKILL, MODE_TRIGGERED, ScopeKey, unsigned};
use super::{Inner, Store};
use crate::store::pool::Transaction;

/// A skill that another one overrides, as it was or is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Upstream {
    /// The scope that it lives at, as rows write its kind.
    pub(super) scope: i16,
    /// Its revision; 0 where a read-only source has it.
    pub(super) revision: u32,
    pub(super) digest: String,
}

/// A skill that changed after one that overrides it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// Where it lives.
    pub scope: String,
    /// Its revision now; 0 where a read-only source has it.
    pub revision: u32,
    /// Its digest now.
    pub digest: String,
    /// The revision that it had when the narrower skill was written; none when it was not there, or when another scope's
    /// was in its place.
    pub written_against: Option<u32>,
}

/// What [`Wider`] has of a row: flags, recall, revision and digest, as one text.
pub(super) const STATE: &str = "(CASE WHEN archived THEN 1 ELSE 0 END) || ' ' || (CASE WHEN disabled THEN 1 ELSE 0 END) \
 || ' ' || (CASE WHEN sealed THEN 1 ELSE 0 END) || ' ' || recall || ' ' || revision || ' ' || digest";

fn shape(state: &str) -> Option<Shape> {
    let mut parts = state.split(' ');
    let mut flag = || parts.next().map(|part| part == "1");
    Some(Shape {
        archived: flag()?,
        disabled: flag()?,
        sealed: flag()?,
        recall: parts.next()?.parse().ok()?,
        revision: parts.next()?.parse().ok()?,
        digest: parts.next()?.to_owned(),
        // How it reaches a model makes no difference to what overrides it.
        mode: MODE_TRIGGERED,
    })
}

/// What a skill at this scope overrides, of what the database has and what the sources list.
pub(super) fn of_rows(
    inner: &Inner,
    scope: &Scope,
    name: &ItemName,
    wider: &Wider,
) -> StoreResult<Option<Upstream>> {
    for (at, state) in wider_scopes(scope).into_iter().map(|at| match at {
        Scope::Global => (at, &wider.global),
        Scope::Tenant(_) | Scope::Actor { .. } => (at, &wider.tenant),
    }) {
        let stored = state.as_deref().and_then(shape);
        let Some(found) = composed(inner, &at, name, stored.as_ref())? else {
            continue;
        };
        if at == Scope::Global && wider.hides && name.skill().is_some() && !found.sealed {
            continue;
        }
        return Ok(Some(Upstream {
            scope: ScopeKey::of(&at).kind,
            revision: found.revision,
            digest: found.digest.to_string(),
        }));
    }
    Ok(None)
}

/// The same, read for it alone.
pub(super) async fn read(
    inner: &Inner,
    tx: &Transaction,
    scope: &Scope,
    name: &ItemName,
) -> StoreResult<Option<Upstream>> {
    let mut wider = Wider::default();
    for at in wider_scopes(scope) {
        let row = super::actions::find(tx, &at, name).await?;
        let state = row.as_ref().map(state_of);
        match at {
            Scope::Global => wider.global = state,
            Scope::Tenant(_) | Scope::Actor { .. } => wider.tenant = state,
        }
    }
    if let Some(tenant) = scope.tenant() {
        let hidden =
            hidden_skill::Entity::find_by_id((tenant.to_string(), name.name().to_string()));
        wider.hides = hidden.one(tx).await?.is_some();
    }
    of_rows(inner, scope, name, &wider)
}

/// As [`STATE`] writes it.
fn state_of(row: &skill::Model) -> String {
    let flag = |is_so: bool| if is_so { "1" } else { "0" };
    format!(
        "{} {} {} {} {} {}",
        flag(row.archived),
        flag(row.disabled),
        flag(row.sealed),
        row.recall,
        row.revision,
        row.digest
    )
}

fn wider_scopes(scope: &Scope) -> Vec<Scope> {
    match scope {
        Scope::Actor { tenant, .. } => tenant
            .iter()
            .cloned()
            .map(Scope::Tenant)
            .chain([Scope::Global])
            .collect(),
        Scope::Tenant(_) => vec![Scope::Global],
        Scope::Global => Vec::new(),
    }
}

/// What a row says that it overrode when it was written.
pub(super) fn kept(row: &skill::Model) -> StoreResult<Option<Upstream>> {
    match (
        row.upstream_scope,
        row.upstream_revision,
        &row.upstream_digest,
    ) {
        (Some(scope), Some(revision), Some(digest)) => Ok(Some(Upstream {
            scope,
            revision: unsigned(revision, "upstream_revision")?,
            digest: digest.clone(),
        })),
        _ => Ok(None),
    }
}

/// Whether two are the same content at the same scope. A rollback to what it was is no change.
pub(super) fn is_same(a: Option<&Upstream>, b: Option<&Upstream>) -> bool {
    let key = |one: &Upstream| (one.scope, one.digest.clone());
    a.map(key) == b.map(key)
}

/// Keeps what a skill overrides from now on.
pub(super) fn set(row: &mut skill::ActiveModel, upstream: Option<&Upstream>) {
    row.upstream_scope = Set(upstream.map(|one| one.scope));
    row.upstream_revision = Set(upstream.map(|one| i64::from(one.revision)));
    row.upstream_digest = Set(upstream.map(|one| one.digest.clone()));
}

/// The wider scopes of one scope, as catalogs have them.
pub(super) struct WiderLists(Vec<(Scope, Arc<CachedScope>)>, Option<Arc<CachedScope>>);

impl WiderLists {
    /// Those of a scope, as of no earlier than this call.
    pub(super) async fn of(store: &Store, scope: &Scope) -> StoreResult<Self> {
        let mut lists = Vec::new();
        for at in wider_scopes(scope) {
            let list = store.scope(&at).await?;
            lists.push((at, list));
        }
        let tenant = match scope.tenant() {
            Some(tenant) => Some(store.scope(&Scope::Tenant(tenant.clone())).await?),
            None => None,
        };
        Ok(Self(lists, tenant))
    }

    /// What a skill of this name overrides there now.
    fn find(&self, name: &SkillName) -> Option<(&Scope, Upstream)> {
        let hides = self
            .1
            .as_ref()
            .is_some_and(|tenant| tenant.hidden.contains(name));
        self.0.iter().find_map(|(at, cached)| {
            let name = name.as_str();
            let row = cached
                .list
                .find(name)
                .or_else(|| cached.ambient.find(name))?;
            if *at == Scope::Global && hides && !row.sealed {
                return None;
            }
            let upstream = Upstream {
                scope: ScopeKey::of(at).kind,
                revision: row.revision,
                digest: row.digest.to_string(),
            };
            Some((at, upstream))
        })
    }

    /// Whether what the skill overrides has changed since it was written.
    ///
    /// What is not there any more is not overridden, and no drift. One that came since is.
    pub(super) fn drift(&self, name: &SkillName, row: &skill::Model) -> StoreResult<Option<Drift>> {
        // The lists have no instructions of roles.
        if super::actions::status(row) == Status::Archived || row.kind != KIND_SKILL {
            return Ok(None);
        }
        let Some((scope, now)) = self.find(name) else {
            return Ok(None);
        };
        let then = kept(row)?;
        if is_same(then.as_ref(), Some(&now)) {
            return Ok(None);
        }
        Ok(Some(Drift {
            scope: scope.to_string(),
            revision: now.revision,
            digest: now.digest,
            written_against: then
                .filter(|then| then.scope == now.scope)
                .map(|then| then.revision),
        }))
    }
}

/// The rows of skills at a scope, of these names.
pub(super) async fn rows_of(
    db: &Transaction,
    scope: &Scope,
    names: &[String],
) -> StoreResult<Vec<skill::Model>> {
    let key = ScopeKey::of(scope);
    let mut rows = Vec::new();
    for names in names.chunks(500) {
        let found = skill::Entity::find()
            .filter(skill::Column::Tenant.eq(key.tenant.as_str()))
            .filter(skill::Column::ScopeKind.eq(key.kind))
            .filter(skill::Column::ScopeId.eq(key.id.as_str()))
            .filter(skill::Column::Kind.eq(KIND_SKILL))
            .filter(skill::Column::Name.is_in(names))
            .all(db)
            .await?;
        rows.extend(found);
    }
    Ok(rows)
}
