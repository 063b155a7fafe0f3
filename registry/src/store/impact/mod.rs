//! What a change of a skill would do, before it happens: how many actors gain it, lose it, see something newly shadowed or
//! blocked, or fall past the default cap.
//!
//! Asking has two steps, so that no connection is held while a processor is waited for: [`ask`] gathers, inside a read,
//! which actors there are and what they have; [`Store::weigh`] resolves for each of them before and after. Gathering
//! goes by indexes and is bounded by [`ACTORS`] and [`ROWS`]; what is beyond makes the counts a lower bound.
//!
//! An actor is one that its tenant knows: a member, one with skills of its own, or one that took a named turn which is
//! kept still (30 days). One that has been removed is none. One that only ever took unnamed turns, and has no skills, is
//! not known: those turns leave no row.

mod actors;
mod composed;
mod reach;
mod weigh;

use std::collections::BTreeSet;
use std::sync::Arc;

use sea_orm::ConnectionTrait;
use vestry_policies::resolve::{Cap, ScopeList, Tally};
use vestry_policies::{
    Action, ActorId, ItemName, Mode, Scope, SkillName, Summary, Target, TenantId,
};

use super::entity::skill;
use super::error::StoreResult;
use super::rows::{RECALL_NONE, mode_code, tenant_key};
use super::view::View;
use super::{Inner, Store};

use reach::{Reach, reach};

pub(super) use composed::{Shape, composed};

/// The most actors that are looked at. Up to as many affected ones counts are exact.
pub const ACTORS: usize = 10_000;
/// The most skills of actors' own scopes that are read for one question.
pub const ROWS: usize = 500_000;

/// Whose catalogs were looked at: those that the caller may know of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// The caller's own actor.
    Actor(ActorId),
    /// All actors of a tenant, for whoever may read its audit log.
    Tenant(TenantId),
    /// All actors of all tenants, counted and not named, for global admins.
    Installation,
}

/// What a change would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impact {
    /// Whose catalogs were looked at.
    pub over: Over,
    /// Whether it is catalogs or openings.
    pub of: Where,
    /// The role of the agents whose they are: the first that the skill is attached to. None when it is attached to none.
    pub role: Option<Arc<str>>,
    /// How many actors they are of.
    pub actors: u64,
    /// Whether there are more, so that every count is a lower bound.
    pub at_least: bool,
    /// What happens to them.
    pub tally: Tally,
}

/// What a skill is in, so that a change of it shows there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// Catalogs: it is triggered.
    Catalogs,
    /// Openings: it is ambient.
    Openings,
}

/// What is about to happen to a skill.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) scope: Scope,
    pub(super) name: SkillName,
    pub(super) what: What,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    /// This takes part under the name afterwards, or nothing does.
    Becomes(Option<Summary>),
    /// The tenant hides the global skill afterwards, or shows it.
    Hidden(TenantId, bool),
}

/// Everything that weighing an impact takes.
#[derive(Debug, Clone)]
pub struct ImpactQuestion {
    over: Over,
    of: Where,
    role: Option<Arc<str>>,
    name: SkillName,
    scope: Scope,
    has_other_content: bool,
    tenants: Vec<OfTenant>,
    /// Whether something was left out for being too much.
    at_least: bool,
}

/// The actors of a tenant, and what their catalogs are made of before and after.
#[derive(Debug, Clone)]
struct OfTenant {
    cap: Cap,
    before: Wide,
    after: Wide,
    /// Those that have skills, with their names before and after.
    with_own: Vec<(ActorId, Own)>,
    /// Those that have none: for all of them the same happens.
    without: Vec<ActorId>,
}

/// The shared scopes of a tenant's actors.
#[derive(Debug, Clone)]
struct Wide {
    lists: Vec<Arc<ScopeList>>,
    hidden: BTreeSet<SkillName>,
}

/// The names of an actor's own skills that take part.
#[derive(Debug, Clone)]
struct Own {
    before: Vec<String>,
    /// Others only for a change in this very scope.
    after: Option<Vec<String>>,
}

/// Gathers what the impact of a change is, over the actors that the caller may know of; nothing where it knows of none.
pub(super) async fn ask(view: &View<'_>, change: Change) -> StoreResult<Option<ImpactQuestion>> {
    let Some(over) = over(view, &change).await? else {
        return Ok(None);
    };
    let Reach { change, of, role } = reach(view, change).await?;
    let global = Lists::of(view.store, &Scope::Global, &change, of).await?;
    let mut budget = actors::Budget::default();
    let mut tenants = Vec::new();
    match &over {
        Over::Actor(actor) => {
            if let Some(tenant) = view.caller.tenant() {
                let scope = Scope::Actor {
                    tenant: Some(tenant.clone()),
                    actor: actor.clone(),
                };
                let own = Lists::of(view.store, &scope, &change, of).await?;
                let names = |list: &ScopeList| list.names().map(ToOwned::to_owned).collect();
                let own = Own {
                    before: names(&own.before),
                    after: Some(names(&own.after)),
                };
                let mut found = of_tenant(view.store, tenant, &global, &change, of).await?;
                found.with_own.push((actor.clone(), own));
                tenants.push(found);
            }
        }
        Over::Tenant(tenant) => {
            let mut found = of_tenant(view.store, tenant, &global, &change, of).await?;
            fill(view.db, tenant, of, &mut found, &mut budget).await?;
            tenants.push(found);
        }
        Over::Installation => {
            for tenant in actors::tenants(view.db, &mut budget).await? {
                if budget.is_spent() {
                    break;
                }
                let mut found = of_tenant(view.store, &tenant, &global, &change, of).await?;
                fill(view.db, &tenant, of, &mut found, &mut budget).await?;
                tenants.push(found);
            }
        }
    }
    let has_other_content = match &change.what {
        What::Becomes(Some(after)) => {
            let list = Lists::of(view.store, &change.scope, &change, of).await?;
            list.before
                .find(change.name.as_str())
                .is_some_and(|before| before.digest != after.digest)
        }
        What::Becomes(None) | What::Hidden(..) => false,
    };
    Ok(Some(ImpactQuestion {
        over,
        of,
        role,
        name: change.name,
        scope: change.scope,
        has_other_content,
        tenants,
        at_least: budget.is_exceeded(),
    }))
}

/// Gathers what the impact of publishing content with this digest is, where `current` is the skill's row now.
pub(super) async fn of_publication(
    view: &View<'_>,
    scope: Scope,
    name: ItemName,
    current: Option<&skill::Model>,
    digest: &str,
    mode: Mode,
) -> StoreResult<Option<ImpactQuestion>> {
    let after = Shape {
        archived: false,
        // Publishing does not switch on what is switched off.
        disabled: current.is_some_and(|row| row.disabled),
        recall: RECALL_NONE,
        sealed: current.is_some_and(|row| row.sealed && !row.archived),
        digest: digest.to_owned(),
        revision: current.map_or(1, |row| row.last_revision.saturating_add(1)),
        mode: mode_code(mode),
    };
    let what = What::Becomes(composed(view.inner, &scope, &name, Some(&after))?);
    // Instructions of roles are in no catalog.
    let Some(name) = name.skill().cloned() else {
        return Ok(None);
    };
    ask(view, Change { scope, name, what }).await
}

/// Which actors the caller may know of: with a tenant's audit log, that tenant's; as a global admin, how many there are
/// in all; else its own. What an actor keeps for itself shows in what happens to it, so that nobody else may ask.
async fn over(view: &View<'_>, change: &Change) -> StoreResult<Option<Over>> {
    let own = || view.caller.actor().cloned().map(Over::Actor);
    let tenant = match (&change.what, &change.scope) {
        (What::Hidden(tenant, _), _) | (_, Scope::Tenant(tenant)) => tenant,
        (_, Scope::Actor { .. }) => return Ok(own()),
        (_, Scope::Global) => {
            let sees_all = view.may(Action::ReadAudit, &Target::Server).await?;
            return Ok(if sees_all {
                Some(Over::Installation)
            } else {
                own()
            });
        }
    };
    let target = Target::Tenant(tenant.clone());
    Ok(if view.may(Action::ReadAudit, &target).await? {
        Some(Over::Tenant(tenant.clone()))
    } else {
        own()
    })
}

/// A scope before and after the change.
struct Lists {
    before: Arc<ScopeList>,
    after: Arc<ScopeList>,
    hidden: BTreeSet<SkillName>,
}

impl Lists {
    async fn of(store: &Store, scope: &Scope, change: &Change, of: Where) -> StoreResult<Self> {
        let cached = store.scope(scope).await?;
        let before = Arc::clone(match of {
            Where::Catalogs => &cached.list,
            Where::Openings => &cached.ambient,
        });
        let after = match &change.what {
            What::Becomes(row) if change.scope == *scope => {
                Arc::new(before.with(&change.name, row.clone()))
            }
            What::Becomes(_) | What::Hidden(..) => Arc::clone(&before),
        };
        Ok(Self {
            before,
            after,
            hidden: cached.hidden.clone(),
        })
    }
}

/// The shared scopes of a tenant's actors, without the actors.
async fn of_tenant(
    store: &Store,
    tenant: &TenantId,
    global: &Lists,
    change: &Change,
    of: Where,
) -> StoreResult<OfTenant> {
    let own = Lists::of(store, &Scope::Tenant(tenant.clone()), change, of).await?;
    let mut hidden = own.hidden.clone();
    match &change.what {
        What::Hidden(of, true) if of == tenant => {
            hidden.insert(change.name.clone());
        }
        What::Hidden(of, false) if of == tenant => {
            hidden.remove(&change.name);
        }
        What::Hidden(..) | What::Becomes(_) => {}
    }
    Ok(OfTenant {
        cap: match of {
            Where::Catalogs => default_cap(&store.inner, Some(tenant)),
            Where::Openings => Cap::UNLIMITED,
        },
        before: Wide {
            lists: vec![own.before, Arc::clone(&global.before)],
            hidden: own.hidden,
        },
        after: Wide {
            lists: vec![own.after, Arc::clone(&global.after)],
            hidden,
        },
        with_own: Vec::new(),
        without: Vec::new(),
    })
}

/// Reads the actors of a tenant, and what those have that have something.
async fn fill<C: ConnectionTrait>(
    db: &C,
    tenant: &TenantId,
    of: Where,
    found: &mut OfTenant,
    budget: &mut actors::Budget,
) -> StoreResult<()> {
    let key = tenant_key(Some(tenant));
    let known = actors::known(db, &key, budget).await?;
    let mut own = actors::own_names(db, &key, of, budget).await?;
    for actor in known {
        match own.remove(actor.as_str()) {
            Some(before) => found.with_own.push((
                actor,
                Own {
                    before,
                    after: None,
                },
            )),
            None => found.without.push(actor),
        }
    }
    Ok(())
}

/// The cap of a turn that names none.
pub(super) fn default_cap(inner: &Inner, tenant: Option<&TenantId>) -> Cap {
    let settings = tenant.and_then(|tenant| inner.live.settings(tenant.as_str()));
    settings.map_or_else(Cap::default, |settings| {
        Cap::default_within(settings.max_cap)
    })
}
