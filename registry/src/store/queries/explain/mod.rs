//! What somebody may do, and why.

mod principal;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use vestry_policies::explain::{Explanation, explain};
use vestry_policies::{
    Action, ActorId, Credential, Elevation, Facts, ItemName, PrincipalKind, Rule, Scope, Settings,
    Standing, Target, TenantId, Username, Verdict, decide,
};

use crate::identity::Caller;
use crate::store::actions::{find, room, status};
use crate::store::entity::{actor_epoch, member, service, user};
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::{self, Known};
use crate::store::rows::{role_of, tenant_key};
use crate::store::view::{Fetch, Query, View, facts_of};
use crate::store::work::Evidence;

pub use principal::{Principal, PrincipalError};

/// What an action is asked to be done to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The installation, or the principal itself.
    Server,
    /// A scope, or the tenant of that name where the action is about a tenant; and a skill at it.
    Scope(Scope, Option<ItemName>),
}

impl Asked {
    /// The target that the action is about. What a tenant's scope is written as, a tenant is too.
    fn target(&self, action: Action, facts: &Facts) -> Target {
        match self {
            Self::Server => Target::Server,
            Self::Scope(scope, _) => {
                let target = Target::Scope(scope.clone());
                let fits = decide(action, &target, facts) != Verdict::Deny(Rule::WrongTarget);
                match scope {
                    Scope::Tenant(tenant) if !fits => Target::Tenant(tenant.clone()),
                    _ => target,
                }
            }
        }
    }
}

/// Asks what a principal of the caller's tenant may do, and why.
#[derive(Debug, Clone)]
pub struct ExplainAction {
    /// Who asks, as a principal.
    oneself: Option<Principal>,
    /// The caller's tenant.
    tenant: Option<TenantId>,
    /// About whom.
    about: Principal,
    /// What it would do.
    action: Action,
    /// To what.
    asked: Asked,
}

impl ExplainAction {
    /// Prepares it; about the caller itself when nobody else is named.
    ///
    /// # Errors
    /// Never in practice: every caller is a principal.
    pub fn new(
        caller: &Caller,
        about: Option<Principal>,
        action: Action,
        asked: Asked,
    ) -> StoreResult<Self> {
        let oneself = Principal::of(caller);
        let about = about
            .or_else(|| oneself.clone())
            .ok_or_else(|| StoreError::Internal("a caller is no principal".to_owned()))?;
        Ok(Self {
            oneself,
            tenant: caller.tenant().cloned(),
            about,
            action,
            asked,
        })
    }

    fn is_about_oneself(&self) -> bool {
        self.oneself
            .as_ref()
            .is_some_and(|oneself| oneself.is(&self.about))
    }
}

/// A verdict, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reasons {
    /// What the rules say, condition by condition.
    pub explanation: Explanation,
    /// Whether the principal may get what this was asked with.
    pub attainable: bool,
}

/// What a principal may do, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The principal.
    pub principal: String,
    /// The tenant that it is asked about in.
    pub tenant: Option<String>,
    /// Whether its credentials are taken at all.
    pub authority_stands: bool,
    /// As it is now: with the elevation that the caller shows, when it asks about itself, and with none otherwise.
    pub now: Reasons,
    /// With an elevation for exactly the target; none where nobody steps up for it.
    pub elevated: Option<Reasons>,
}

impl Query for ExplainAction {
    type Answer = Explained;
    const ACTION: Action = Action::Explain;
    fn target(&self) -> Target {
        if self.is_about_oneself() {
            return Target::Server;
        }
        match &self.tenant {
            Some(tenant) => Target::Tenant(tenant.clone()),
            None => Target::Scope(Scope::Global),
        }
    }
}

impl Fetch for ExplainAction {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Explained> {
        let about = if self.is_about_oneself() {
            oneself(view)
        } else {
            somebody(view, &self.about).await?
        };
        let Someone { mut facts, stands } = about;
        let target = self.asked.target(self.action, &facts);
        self.complete(view, &target, &mut facts).await?;
        let now = Reasons {
            explanation: explain(self.action, &target, &facts),
            attainable: true,
        };
        Ok(Explained {
            principal: self.about.to_string(),
            tenant: self.tenant.map(|tenant| tenant.to_string()),
            authority_stands: stands,
            elevated: elevated(self.action, &target, &facts),
            now,
        })
    }
}

impl ExplainAction {
    /// Adds what the target's rows say, where the caller may read them.
    async fn complete(
        &self,
        view: &View<'_>,
        target: &Target,
        facts: &mut Facts,
    ) -> StoreResult<()> {
        let of_target = match target {
            Target::Server => None,
            Target::Tenant(tenant) => Some(tenant),
            Target::Scope(scope) => scope.tenant(),
        };
        // Another tenant's rows are not looked at: what is outside the principal's scopes is refused without them.
        if of_target.is_some() && of_target != view.caller.tenant() {
            facts.standing.role = None;
            return Ok(());
        }
        if of_target.is_none() {
            facts.standing.role = None;
        }
        let known = facts::read(view.db, view.caller, target).await?;
        facts.settings.clone_from(&known.settings);
        if self.is_about_oneself() {
            facts.standing = known.standing;
            facts.elevation.clone_from(&known.elevation);
        }
        let Asked::Scope(scope, Some(name)) = &self.asked else {
            return Ok(());
        };
        let publishes = matches!(self.action, Action::PublishSkill | Action::RollbackSkill);
        facts.name = publishes.then(|| name.name().clone());
        if may_read(view, &known, scope) {
            let row = find(view.db, scope, name).await?;
            facts.status = row.as_ref().map(status);
            if publishes {
                facts.room = room(view.db, scope, row.as_ref(), &known).await?;
            }
        }
        Ok(())
    }
}

fn may_read(view: &View<'_>, known: &Known, scope: &Scope) -> bool {
    let facts = facts_of(view.caller, known, view.now, Evidence::default());
    decide(Action::ReadSkill, &Target::Scope(scope.clone()), &facts).is_allowed()
}

/// A principal as the rules see it.
struct Someone {
    facts: Facts,
    stands: bool,
}

fn oneself(view: &View<'_>) -> Someone {
    Someone {
        facts: facts_of(view.caller, view.known, view.now, Evidence::default()),
        stands: true,
    }
}

/// Somebody of the caller's tenant, or of none when the caller has none, as it would call by its usual credential.
async fn somebody(view: &View<'_>, about: &Principal) -> StoreResult<Someone> {
    let tenant = view.caller.tenant();
    let unknown = || StoreError::NotFound(about.to_string());
    let mut standing = Standing::default();
    let mut stands = true;
    let (kind, name, credential, actor, acts_for) = match about {
        Principal::Human(username) => {
            let row = user::Entity::find_by_id(username.folded())
                .one(view.db)
                .await?
                .ok_or_else(unknown)?;
            standing.global_admin = row.global_admin;
            let username = Username::parse(&row.username).map_err(|_| unknown())?;
            if let Some(tenant) = tenant {
                let row = member::Entity::find_by_id((tenant.to_string(), username.to_string()))
                    .one(view.db)
                    .await?
                    .ok_or_else(unknown)?;
                standing.role = Some(role_of(row.role)?);
            }
            let actor = tenant.map(|_| ActorId::from(&username));
            (
                PrincipalKind::Human,
                username.to_string(),
                Credential::Session,
                actor,
                None,
            )
        }
        Principal::Agent(agent, actor) => {
            let tenant = tenant.ok_or_else(unknown)?;
            let row = actor_epoch::Entity::find_by_id((tenant.to_string(), actor.to_string()))
                .one(view.db)
                .await?;
            stands = !row.is_some_and(|row| row.ended);
            (
                PrincipalKind::Agent,
                agent.to_string(),
                Credential::Minted,
                Some(actor.clone()),
                Some(actor.clone()),
            )
        }
        Principal::Service(id) => {
            let row = service::Entity::find()
                .filter(service::Column::Tenant.eq(tenant_key(tenant)))
                .filter(service::Column::Id.eq(id))
                .one(view.db)
                .await?
                .ok_or_else(unknown)?;
            stands = row.revoked_at.is_none();
            (
                PrincipalKind::Service,
                id.clone(),
                Credential::ApiKey,
                None,
                None,
            )
        }
    };
    Ok(Someone {
        facts: Facts {
            principal: vestry_policies::Principal {
                kind,
                name: name.into(),
                credential,
                tenant: tenant.cloned(),
                acts_for,
                scopes: Scope::of_caller(actor.as_ref(), tenant),
            },
            standing,
            elevation: None,
            now: view.now.0,
            settings: Settings::default(),
            status: None,
            name: None,
            worst_finding: None,
            proposal: None,
            room: None,
        },
        stands,
    })
}

/// What an elevation for exactly the target would give a human.
fn elevated(action: Action, target: &Target, facts: &Facts) -> Option<Reasons> {
    let scope = match target {
        Target::Server => Scope::Global,
        Target::Tenant(tenant) => Scope::Tenant(tenant.clone()),
        Target::Scope(scope) => scope.clone(),
    };
    if facts.principal.kind != PrincipalKind::Human || !scope.is_shared() {
        return None;
    }
    let mut with = facts.clone();
    with.principal.credential = Credential::Session;
    with.elevation = None;
    let attainable = decide(Action::Elevate, &Target::Scope(scope.clone()), &with).is_allowed();
    with.elevation = Some(Elevation {
        scope,
        expires_at: with.now.saturating_add(1),
    });
    Some(Reasons {
        explanation: explain(action, target, &with),
        attainable,
    })
}
