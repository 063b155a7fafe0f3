//! Listings: the resolved one, which comes out of the same function as catalogs (invariant 9), and that of one scope.

use std::collections::BTreeMap;
use std::sync::Arc;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use vestry_policies::resolve::Entry;
use vestry_policies::{Action, Kind, Mode, Scope, SkillName, Status, Target};

use super::{PageOf, PageRequest};
use crate::store::actions::status;
use crate::store::catalog::{Attached, SnapshotEntry, name_of};
use crate::store::entity::skill;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{
    ScopeKey, content_kind_code, item_of, kind_text, mode_of, status_text, unsigned,
};
use crate::store::sources::{FROM_SOURCE, SourceOrder, SourceSkill};
use crate::store::upstream::{Drift, WiderLists, rows_of};
use crate::store::view::{Fetch, Query, View};

/// The resolved listing: what the caller's catalog would be without a cap.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The role of the agent whose catalog it would be.
    pub role: Option<String>,
    /// A case-folded part of name or description.
    pub q: Option<String>,
    /// Only skills that override one which has changed since, or only others.
    pub upstream_changed: Option<bool>,
    /// The page.
    pub page: PageRequest,
}

/// An entry of the resolved listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntry {
    /// As a catalog offers it.
    pub entry: SnapshotEntry,
    /// What it overrides, when that has changed since it was written.
    pub drift: Option<Drift>,
}

impl Query for Listing {
    type Answer = PageOf<ListedEntry>;
    const ACTION: Action = Action::ListSkills;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for Listing {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<ListedEntry>> {
        let mut entries = view
            .store
            .resolved(view.caller, self.role.as_deref())
            .await?;
        let is_search = self.q.is_some();
        if let Some(q) = &self.q {
            let q = q.to_lowercase();
            entries.retain(|entry| {
                entry.summary.name.as_str().contains(&q)
                    || entry.summary.description.to_lowercase().contains(&q)
            });
            // A search has no catalog to agree with: it is in order of rank and name alone.
            entries.sort_by(|a, b| (a.rank, &a.summary.name).cmp(&(b.rank, &b.summary.name)));
        }
        let mut drifts = match self.upstream_changed {
            None => BTreeMap::new(),
            Some(wanted) => {
                let drifts = drifts(view, &entries).await?;
                entries.retain(|entry| drifts.contains_key(&entry.summary.name) == wanted);
                drifts
            }
        };
        let after = match &self.page.after {
            None => None,
            Some(position) => Some(Place::read(position)?),
        };
        let rest: Vec<Entry> = entries
            .into_iter()
            .filter(|entry| {
                after
                    .as_ref()
                    .is_none_or(|after| Place::of(entry, is_search) > *after)
            })
            .take(self.page.limit + 1)
            .collect();
        let page = PageOf::of(rest, &self.page, |entry| {
            Place::of(entry, is_search).write()
        });
        if self.upstream_changed.is_none() {
            drifts = self::drifts(view, &page.items).await?;
        }
        let items = page.items.iter().map(|entry| ListedEntry {
            entry: SnapshotEntry::of(entry),
            drift: drifts.remove(&entry.summary.name),
        });
        Ok(PageOf {
            items: items.collect(),
            next: page.next,
        })
    }
}

/// What of these entries overrides something that has changed since, by their names.
async fn drifts(view: &View<'_>, entries: &[Entry]) -> StoreResult<BTreeMap<SkillName, Drift>> {
    let mut found = BTreeMap::new();
    for scope in view.caller.scopes() {
        let names: Vec<String> = entries
            .iter()
            .filter(|entry| entry.summary.scope == *scope && !entry.shadows.is_empty())
            .map(|entry| entry.summary.name.to_string())
            .collect();
        if names.is_empty() {
            continue;
        }
        let wider = WiderLists::of(view.store, scope).await?;
        for row in rows_of(view.db, scope, &names).await? {
            let name = name_of(&row.name)?;
            if let Some(drift) = wider.drift(&name, &row)? {
                found.insert(name, drift);
            }
        }
    }
    Ok(found)
}

/// Where an entry stands in the listing.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    is_unsealed: bool,
    rank: usize,
    name: String,
}

impl Place {
    fn of(entry: &Entry, is_search: bool) -> Self {
        Self {
            is_unsealed: is_search || !entry.is_sealed(),
            rank: entry.rank,
            name: entry.summary.name.to_string(),
        }
    }

    fn write(self) -> Vec<String> {
        vec![
            u8::from(self.is_unsealed).to_string(),
            self.rank.to_string(),
            self.name,
        ]
    }

    fn read(position: &[String]) -> StoreResult<Self> {
        let [unsealed, rank, name] = position else {
            return Err(StoreError::Internal(
                "a cursor has the wrong position".to_owned(),
            ));
        };
        Ok(Self {
            is_unsealed: unsealed == "1",
            rank: rank.parse().unwrap_or(usize::MAX),
            name: name.clone(),
        })
    }
}

/// The skills at one scope, not resolved.
#[derive(Debug, Clone)]
pub struct ScopeListing {
    /// The scope.
    pub scope: Scope,
    /// Skills, or the instructions of roles.
    pub kind: Kind,
    /// A case-folded part of name or description.
    pub q: Option<String>,
    /// Only skills of this status; all but archived ones when none is given.
    pub status: Option<Status>,
    /// Only skills that override one which has changed since, or only others.
    pub upstream_changed: Option<bool>,
    /// The page.
    pub page: PageRequest,
}

/// A skill in the listing of its scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSkill {
    /// The name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// The scope as written.
    pub scope: String,
    /// The number of the current revision.
    pub revision: u32,
    /// Its digest.
    pub digest: String,
    /// The status.
    pub status: &'static str,
    /// Whether it is sealed.
    pub sealed: bool,
    /// Whether its body is a template.
    pub templated: bool,
    /// What it is.
    pub kind: Kind,
    /// How it reaches a model; an attachment to a role may say otherwise.
    pub mode: Mode,
    /// The roles that it is attached to, in order: only their agents are offered it. None where it is for all.
    pub roles: Vec<Arc<str>>,
    /// What kind of principal wrote the current revision; `source` where it comes from one.
    pub author_kind: &'static str,
    /// Who wrote it.
    pub author: String,
    /// When it changed last, in microseconds since the Unix epoch.
    pub updated_at: i64,
    /// What it overrides, when that has changed since it was written.
    pub drift: Option<Drift>,
}

impl Query for ScopeListing {
    type Answer = PageOf<ListedSkill>;
    const ACTION: Action = Action::ReadSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for ScopeListing {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<ListedSkill>> {
        let key = ScopeKey::of(&self.scope);
        let rows = skill::Entity::find()
            .filter(skill::Column::Tenant.eq(key.tenant))
            .filter(skill::Column::ScopeKind.eq(key.kind))
            .filter(skill::Column::ScopeId.eq(key.id))
            .filter(skill::Column::Kind.eq(content_kind_code(self.kind)))
            .filter(skill::Column::Name.gt(self.page.after_text()))
            .order_by_asc(skill::Column::Name)
            .all(view.db)
            .await?;
        let q = self.q.map(|q| q.to_lowercase());
        let attached = match self.kind {
            Kind::Skill => Attached::of_scope(view.db, &self.scope, None).await?,
            Kind::RoleInstruction | Kind::Prompt => Attached::default(),
        };
        let wider = WiderLists::of(view.store, &self.scope).await?;
        let mut composed: BTreeMap<String, ListedSkill> = BTreeMap::new();
        let after = self.page.after_text();
        let sources = &view.inner.sources;
        let of_sources = |order| {
            sources
                .listed(&self.scope, order)
                .into_iter()
                // Sources have skills only.
                .filter(|_| self.kind == Kind::Skill)
                .filter(|(skill, _)| skill.name.as_str() > after.as_str())
                .map(|(skill, label)| listed_of_source(&skill, &self.scope, label))
        };
        // The latest first, so that an earlier one takes its place.
        for skill in of_sources(SourceOrder::After) {
            composed.insert(skill.name.clone(), skill);
        }
        for row in rows {
            // What is archived leaves its name to a source.
            if !(row.archived && composed.contains_key(&row.name)) {
                composed.insert(row.name.clone(), listed(row, &self.scope, &wider)?);
            }
        }
        for skill in of_sources(SourceOrder::Before) {
            composed.insert(skill.name.clone(), skill);
        }
        let found: Vec<ListedSkill> = composed
            .into_values()
            .filter(|skill| match self.status {
                Some(wanted) => skill.status == status_text(wanted),
                None => skill.status != status_text(Status::Archived),
            })
            .filter(|skill| {
                self.upstream_changed
                    .is_none_or(|wanted| skill.drift.is_some() == wanted)
            })
            .filter(|skill| {
                q.as_ref().is_none_or(|q| {
                    skill.name.contains(q) || skill.description.to_lowercase().contains(q)
                })
            })
            .take(self.page.limit + 1)
            .map(|skill| ListedSkill {
                roles: attached.roles(&skill.name),
                ..skill
            })
            .collect();
        Ok(PageOf::of(found, &self.page, |row| vec![row.name.clone()]))
    }
}

/// A skill of a source as listings and reads show it.
pub(super) fn listed_of_source(skill: &SourceSkill, scope: &Scope, label: &str) -> ListedSkill {
    ListedSkill {
        name: skill.name.to_string(),
        description: skill.description.to_string(),
        scope: scope.to_string(),
        revision: FROM_SOURCE,
        digest: skill.digest.to_string(),
        status: status_text(Status::Active),
        sealed: false,
        templated: skill.templated,
        kind: Kind::Skill,
        mode: skill.mode,
        roles: Vec::new(),
        author_kind: "source",
        author: label.to_owned(),
        updated_at: skill.changed_at,
        drift: None,
    }
}

/// A row as listings and reads show it, without the roles that it is attached to.
pub(super) fn listed(
    row: skill::Model,
    scope: &Scope,
    wider: &WiderLists,
) -> StoreResult<ListedSkill> {
    Ok(ListedSkill {
        drift: wider.drift(&name_of(&row.name)?, &row)?,
        scope: scope.to_string(),
        revision: unsigned(row.revision, "revision")?,
        status: status_text(status(&row)),
        author_kind: kind_text(row.author_kind)?,
        kind: item_of(row.kind, &row.name)?.kind(),
        mode: mode_of(row.mode),
        roles: Vec::new(),
        name: row.name,
        description: row.description,
        digest: row.digest,
        sealed: row.sealed,
        templated: row.templated,
        author: row.author,
        updated_at: row.updated_at,
    })
}
