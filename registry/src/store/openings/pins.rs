//! What an opening is made of, as the scopes of the caller resolve at this moment.

use std::collections::BTreeSet;
use std::sync::Arc;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use vestry_policies::resolve::{Cap, Entry, ScopeList, WideView, overlay};
use vestry_policies::{Digest, ItemName, Mode, Scope, SkillName, Status, Summary};

use crate::identity::Caller;
use crate::store::Store;
use crate::store::entity::skill;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{KIND_ROLE_INSTRUCTION, RECALL_NONE, ScopeKey, unsigned};
use crate::store::tenant_set::TenantSet;

/// The most ambient skills of one opening, but for sealed ones, which are never left out.
const MAX_AMBIENT: usize = 100;

/// The parts of an opening.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pins {
    /// In the order in which they are rendered.
    pub(super) parts: Vec<Pin>,
    /// The names of ambient skills that are left out.
    pub(super) omitted: Vec<String>,
    /// What templates see as the skills of the run, name and description; none when no part reads them.
    pub(super) skills: Option<Vec<(String, String)>>,
}

/// A revision that is part of an opening.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pin {
    pub(super) item: ItemName,
    /// As written; whose actor's scope it is, is known from the turn.
    pub(super) scope: String,
    pub(super) revision: u32,
    pub(super) digest: String,
    pub(super) shadows: Vec<String>,
    /// The position of its scope among the caller's, narrowest first.
    pub(super) rank: usize,
    pub(super) sealed: bool,
    /// The digest of what it wrote; none when that was white space, or it was left out.
    pub(super) rendered: Option<String>,
}

impl Pins {
    /// Keeps so much: what is sealed in any case, and then the widest, so that nobody crowds out what was meant for more than
    /// itself. The rest is left out, by name.
    pub(super) fn keep(&mut self, most: usize, weight: impl Fn(&Pin) -> usize) {
        let mut order: Vec<usize> = (0..self.parts.len()).collect();
        order.sort_by_key(|&at| {
            let pin = self.parts.get(at);
            (
                pin.is_some_and(|pin| !pin.sealed),
                std::cmp::Reverse(pin.map_or(0, |pin| pin.rank)),
                at,
            )
        });
        let (mut left, mut kept) = (most, BTreeSet::new());
        for at in order {
            let Some(pin) = self.parts.get(at) else {
                continue;
            };
            let weight = weight(pin);
            if pin.sealed || weight <= left {
                left = left.saturating_sub(weight);
                kept.insert(at);
            }
        }
        let mut at = 0;
        let omitted = &mut self.omitted;
        self.parts.retain(|pin| {
            let keep = kept.contains(&at);
            at += 1;
            if !keep {
                omitted.push(pin.item.to_string());
            }
            keep
        });
    }
}

impl Pin {
    fn of(item: ItemName, entry: &Entry) -> Self {
        Self {
            item,
            scope: entry.summary.scope.to_string(),
            revision: entry.summary.revision,
            digest: entry.summary.digest.to_string(),
            shadows: entry.shadows.iter().map(ToString::to_string).collect(),
            rank: entry.rank,
            sealed: entry.is_sealed(),
            rendered: None,
        }
    }

    /// Where it lives.
    pub(super) fn scope(&self, caller: &Caller) -> StoreResult<Scope> {
        Scope::parse(&self.scope, caller.tenant()).map_err(|_| unreadable())
    }

    /// Its digest.
    pub(super) fn digest(&self) -> StoreResult<Digest> {
        Digest::parse(&self.digest).ok_or_else(unreadable)
    }
}

fn unreadable() -> StoreError {
    StoreError::Internal("a stored opening is unreadable".to_owned())
}

impl Store {
    /// Pins what an opening of this role is made of now: the narrowest instruction of the role, and the ambient skills in the
    /// order of a catalog.
    pub(super) async fn pin(&self, caller: &Caller, role: Option<&str>) -> StoreResult<Pins> {
        let mut pins = Pins::default();
        // A role that has no name of the grammar can have no instruction.
        if let Some(name) = role.and_then(|role| SkillName::parse(role).ok())
            && let Some(entry) = self.instruction(caller, &name).await?
        {
            pins.parts.push(Pin::of(ItemName::role(name), &entry));
        }
        let ambient = self.ambient(caller, role).await?;
        let parts = ambient
            .iter()
            .map(|entry| Pin::of(entry.summary.name.clone().into(), entry));
        pins.parts.extend(parts);
        let told = usize::from(
            pins.parts
                .first()
                .is_some_and(|pin| pin.item.skill().is_none()),
        );
        pins.keep(MAX_AMBIENT + told, |_| 1);
        Ok(pins)
    }

    /// The ambient skills that reach an agent of this role.
    async fn ambient(&self, caller: &Caller, role: Option<&str>) -> StoreResult<Vec<Entry>> {
        let mut cached = Vec::new();
        let mut hidden = BTreeSet::new();
        for scope in caller.scopes() {
            let of_scope = self.scope(scope).await?;
            if matches!(scope, Scope::Tenant(_)) {
                hidden.clone_from(&of_scope.hidden);
            }
            cached.push(of_scope);
        }
        let lists: Vec<Arc<ScopeList>> = cached
            .iter()
            .enumerate()
            .map(|(rank, scope)| {
                let wider = cached.iter().skip(rank + 1);
                wider.fold(Arc::clone(&scope.ambient), |list, wider| {
                    list.without_names_sealed_in(&wider.list)
                })
            })
            .collect();
        Ok(winners(caller, &lists, &hidden, role))
    }

    /// The instruction of a role that is in force: of several the narrowest, unless a wider one is sealed.
    async fn instruction(&self, caller: &Caller, role: &SkillName) -> StoreResult<Option<Entry>> {
        let mut lists = Vec::new();
        let tenants = TenantSet::of(caller.tenant());
        let reading = self.inner.reader.statements(&tenants).await?;
        for scope in caller.scopes() {
            let key = ScopeKey::of(scope);
            let row = skill::Entity::find()
                .filter(skill::Column::Tenant.eq(key.tenant))
                .filter(skill::Column::ScopeKind.eq(key.kind))
                .filter(skill::Column::ScopeId.eq(key.id))
                .filter(skill::Column::Kind.eq(KIND_ROLE_INSTRUCTION))
                .filter(skill::Column::Name.eq(role.as_str()))
                .filter(skill::Column::Archived.eq(false))
                .filter(skill::Column::Disabled.eq(false))
                .filter(skill::Column::Recall.eq(RECALL_NONE))
                .one(&reading)
                .await?;
            let rows: Vec<Summary> = row
                .into_iter()
                .map(|row| summary(row, scope, role))
                .collect::<StoreResult<_>>()?;
            lists.push(Arc::new(ScopeList::new(scope.clone(), rows)));
        }
        Ok(winners(caller, &lists, &BTreeSet::new(), None)
            .into_iter()
            .next())
    }
}

/// What lists of all scopes of a caller resolve to.
pub(in crate::store) fn winners(
    caller: &Caller,
    lists: &[Arc<ScopeList>],
    hidden: &BTreeSet<SkillName>,
    role: Option<&str>,
) -> Vec<Entry> {
    let own = caller
        .scopes()
        .first()
        .is_some_and(|scope| !scope.is_shared());
    let (narrow, shared) = match lists.split_first() {
        Some((first, rest)) if own => (Some(first.as_ref()), rest),
        _ => (None, lists),
    };
    let view = WideView::merge(shared, usize::from(own), hidden, role);
    overlay(narrow, &view, Cap::UNLIMITED, role).entries
}

/// A row as resolution takes it.
pub(in crate::store) fn summary(
    row: skill::Model,
    scope: &Scope,
    name: &SkillName,
) -> StoreResult<Summary> {
    Ok(Summary {
        name: name.clone(),
        scope: scope.clone(),
        revision: unsigned(row.revision, "revision")?,
        digest: Digest::parse(&row.digest).ok_or_else(unreadable)?,
        sealed: row.sealed,
        templated: row.templated,
        mode: Mode::Triggered,
        status: Status::Active,
        roles: Arc::from([]),
        source: 0,
        description: Arc::from(row.description),
    })
}
