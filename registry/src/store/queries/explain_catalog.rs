//! Why each skill is in an actor's catalog, or is not.

use std::collections::BTreeSet;
use std::sync::Arc;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use vestry_policies::explain::{Explained, Place, explain_catalog};
use vestry_policies::resolve::{Cap, Query as Resolution};
use vestry_policies::{
    Action, ActorId, Digest, Mode, Scope, SkillName, Status, Summary, Target, TenantId,
};

use super::{PageOf, PageRequest};
use crate::identity::Caller;
use crate::store::actions::status;
use crate::store::catalog::{Attached, name_of};
use crate::store::entity::{hidden_skill, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{KIND_SKILL, ScopeKey, mode_of, status_text, tenant_key, unsigned};
use crate::store::view::{Fetch, Query, View};

/// Asks why each skill is in the catalog of an actor of the caller's tenant, or is not.
#[derive(Debug, Clone)]
pub struct ExplainCatalog {
    is_about_oneself: bool,
    tenant: Option<TenantId>,
    /// None is the caller.
    actor: Option<ActorId>,
    /// The most entries; the default when there is none.
    cap: Option<Cap>,
    /// The role that the agent is deployed as.
    role: Option<String>,
    page: PageRequest,
}

impl ExplainCatalog {
    /// Prepares it; about the caller itself when no actor is named.
    #[must_use]
    pub fn new(
        caller: &Caller,
        actor: Option<ActorId>,
        cap: Option<Cap>,
        role: Option<String>,
        page: PageRequest,
    ) -> Self {
        Self {
            is_about_oneself: actor.is_none() || actor.as_ref() == caller.actor(),
            tenant: caller.tenant().cloned(),
            actor,
            cap,
            role,
            page,
        }
    }
}

/// A skill, and why it is in the catalog or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedSkill {
    /// The name.
    pub name: String,
    /// Where it lives.
    pub scope: String,
    /// The number of the current revision; 0 where it comes from a read-only source.
    pub revision: u32,
    /// Its digest.
    pub digest: String,
    /// Whether narrower scopes cannot override it.
    pub sealed: bool,
    /// Where it is, in a word.
    pub place: &'static str,
    /// Its position in the catalog from 1, or the one that it would have without a cap.
    pub position: Option<usize>,
    /// The scope of the skill that overrides it, or keeps it out.
    pub by: Option<String>,
}

impl Query for ExplainCatalog {
    type Answer = PageOf<ExplainedSkill>;
    const ACTION: Action = Action::Explain;
    fn target(&self) -> Target {
        match &self.tenant {
            _ if self.is_about_oneself => Target::Server,
            Some(tenant) => Target::Tenant(tenant.clone()),
            None => Target::Scope(Scope::Global),
        }
    }
}

impl Fetch for ExplainCatalog {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<ExplainedSkill>> {
        let scopes = match &self.actor {
            None => view.caller.scopes().to_vec(),
            Some(_) if self.tenant.is_none() => {
                return Err(StoreError::NotFound("An actor without a tenant".to_owned()));
            }
            Some(actor) => Scope::of_caller(Some(actor), self.tenant.as_ref()),
        };
        let mut skills = Vec::new();
        for scope in &scopes {
            skills.extend(skills_at(view, scope, self.role.as_deref()).await?);
        }
        let hidden = hidden_by(view, self.tenant.as_ref()).await?;
        let cap = self
            .cap
            .unwrap_or_else(|| Cap::default_within(view.store.max_cap(view.caller)));
        let explained = explain_both(
            skills,
            &Resolution {
                scopes: &scopes,
                cap,
                role: self.role.as_deref(),
                hidden: &hidden,
            },
        );
        let after = match self.page.after.as_deref() {
            None => None,
            Some([name, rank, source]) => Some((
                name.clone(),
                rank.parse::<usize>().unwrap_or(usize::MAX),
                source.parse::<u16>().unwrap_or(u16::MAX),
            )),
            Some(_) => {
                return Err(StoreError::Internal(
                    "a cursor has the wrong position".to_owned(),
                ));
            }
        };
        let rest: Vec<_> = explained
            .into_iter()
            .filter(|one| {
                let place = (one.summary.name.to_string(), one.rank, one.summary.source);
                after.as_ref().is_none_or(|after| place > *after)
            })
            .take(self.page.limit.saturating_add(1))
            .collect();
        let page = PageOf::of(rest, &self.page, |one| {
            vec![
                one.summary.name.to_string(),
                one.rank.to_string(),
                one.summary.source.to_string(),
            ]
        });
        Ok(PageOf {
            items: page
                .items
                .iter()
                .map(|one| shown(&one.summary, &one.place))
                .collect(),
            next: page.next,
        })
    }
}

/// Explains what is in catalogs, and what is in openings: each resolves by itself, without a cap in openings, but for the names
/// that are sealed for everyone in the other.
fn explain_both(skills: Vec<Arc<Summary>>, query: &Resolution<'_>) -> Vec<Explained> {
    let rank = |scope: &Scope| query.scopes.iter().position(|one| one == scope);
    let sealed: Vec<Arc<Summary>> = skills
        .iter()
        .filter(|one| one.sealed && one.scope.is_shared() && one.status == Status::Active)
        .filter(|one| one.roles.is_empty())
        .cloned()
        .collect();
    let keeps_out = |summary: &Summary| {
        sealed.iter().find(|one| {
            one.name == summary.name
                && one.mode != summary.mode
                && rank(&one.scope) > rank(&summary.scope)
        })
    };
    let mut explained = Vec::with_capacity(skills.len());
    let (mut triggered, mut ambient) = (Vec::new(), Vec::new());
    for summary in skills {
        let taking_part = summary.status == Status::Active;
        match (keeps_out(&summary), rank(&summary.scope), summary.mode) {
            (Some(by), Some(rank), _) if taking_part => explained.push(Explained {
                place: Place::Blocked(by.scope.clone()),
                rank,
                summary,
            }),
            (_, _, Mode::Triggered) => triggered.push(summary),
            (_, _, Mode::Ambient) => ambient.push(Arc::new(Summary {
                mode: Mode::Triggered,
                ..Summary::clone(&summary)
            })),
        }
    }
    let of_openings = Resolution {
        cap: Cap::UNLIMITED,
        ..*query
    };
    let in_openings = explain_catalog(&ambient, &of_openings)
        .into_iter()
        .map(|one| Explained {
            place: match one.place {
                Place::Offered(_) | Place::Omitted(_) => Place::Ambient,
                other => other,
            },
            ..one
        });
    explained.extend(explain_catalog(&triggered, query));
    explained.extend(in_openings);
    explained.sort_by(|a, b| {
        let place = |one: &Explained| (one.rank, one.summary.source);
        (&a.summary.name, place(a)).cmp(&(&b.summary.name, place(b)))
    });
    explained
}

fn shown(summary: &Summary, place: &Place) -> ExplainedSkill {
    let (word, position, by) = match place {
        Place::Offered(position) => ("offered", Some(*position), None),
        Place::Omitted(position) => ("omitted", Some(*position), None),
        Place::Shadowed(by) => ("shadowed", None, Some(by)),
        Place::Blocked(by) => ("blocked", None, Some(by)),
        Place::Hidden => ("hidden", None, None),
        Place::OtherRole => ("other-role", None, None),
        Place::Ambient => ("ambient", None, None),
        Place::OtherSource => ("other-source", None, None),
        Place::Inactive(status) => (status_text(*status), None, None),
    };
    ExplainedSkill {
        name: summary.name.to_string(),
        scope: summary.scope.to_string(),
        revision: summary.revision,
        digest: summary.digest.to_string(),
        sealed: summary.sealed && summary.scope.is_shared(),
        place: word,
        position,
        by: by.map(ToString::to_string),
    }
}

/// Every skill of a scope, in any state, and what its sources list; as catalogs read it, but for what takes no part.
async fn skills_at(
    view: &View<'_>,
    scope: &Scope,
    role: Option<&str>,
) -> StoreResult<Vec<Arc<Summary>>> {
    let key = ScopeKey::of(scope);
    let attached = Attached::of_scope(view.db, scope, None).await?;
    let rows = skill::Entity::find()
        .filter(skill::Column::Tenant.eq(key.tenant))
        .filter(skill::Column::ScopeKind.eq(key.kind))
        .filter(skill::Column::ScopeId.eq(key.id))
        .filter(skill::Column::Kind.eq(KIND_SKILL))
        .all(view.db)
        .await?;
    let sources = &view.inner.sources;
    let place = sources.database();
    let mut skills = Vec::with_capacity(rows.len());
    // What was withdrawn here is not brought back by a source that comes after it.
    let mut withheld: BTreeSet<SkillName> = BTreeSet::new();
    for row in rows {
        let summary = summary_of(row, scope, place)?;
        match summary.status {
            Status::Disabled | Status::Quarantined | Status::Revoked => {
                withheld.insert(summary.name.clone());
            }
            Status::Active | Status::Archived => {}
        }
        skills.push(summary);
    }
    skills.extend(
        sources
            .summaries(scope)
            .into_iter()
            .filter(|summary| summary.source < place || !withheld.contains(&summary.name)),
    );
    Ok(skills
        .into_iter()
        .map(|summary| {
            let (mode, roles) = attached.for_role(summary.name.as_str(), summary.mode, role);
            Arc::new(Summary {
                mode,
                roles,
                ..summary
            })
        })
        .collect())
}

fn summary_of(row: skill::Model, scope: &Scope, source: u16) -> StoreResult<Summary> {
    Ok(Summary {
        name: name_of(&row.name)?,
        scope: scope.clone(),
        revision: unsigned(row.revision, "revision")?,
        digest: Digest::parse(&row.digest).ok_or_else(|| {
            StoreError::Internal("a stored row has an unreadable `digest`".to_owned())
        })?,
        sealed: row.sealed,
        templated: row.templated,
        mode: mode_of(row.mode),
        status: status(&row),
        roles: Arc::from([]),
        source,
        description: Arc::from(row.description),
    })
}

async fn hidden_by(view: &View<'_>, tenant: Option<&TenantId>) -> StoreResult<BTreeSet<SkillName>> {
    if tenant.is_none() {
        return Ok(BTreeSet::new());
    }
    let rows = hidden_skill::Entity::find()
        .filter(hidden_skill::Column::Tenant.eq(tenant_key(tenant)))
        .all(view.db)
        .await?;
    rows.iter().map(|row| name_of(&row.name)).collect()
}
