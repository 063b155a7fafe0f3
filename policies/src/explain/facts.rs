//! Facts that differ in one thing.

use crate::action::Target;
use crate::facts::{AgentOwnScope, Credential, Elevation, Facts, PrincipalKind, Role, Room};
use crate::id::{ActorId, TenantId, Username};
use crate::review::{Author, NamePattern};
use crate::scope::Scope;
use crate::severity::Severity;
use crate::skill::Status;
use crate::verdict::Rule;

/// Whoever has nothing to do with it.
const SOMEONE: &str = "someone-who-is-not-there";

/// Gives the facts what the rule refuses for the want of. False where no facts would help.
pub(super) fn repair(rule: Rule, target: &Target, facts: &mut Facts) -> bool {
    match rule {
        Rule::NotInScope => join(target, facts),
        Rule::HumansOnly | Rule::NeedsActor => be_human(facts),
        Rule::NeedsSession => facts.principal.credential = Credential::Session,
        Rule::NeedsElevation => {
            facts.principal.credential = Credential::Session;
            facts.elevation = Some(Elevation {
                scope: elevation_for(target),
                expires_at: facts.now.saturating_add(1),
            });
        }
        Rule::NeedsRole => match tenant_of(target) {
            Some(tenant) => {
                facts.principal.tenant = Some(tenant.clone());
                facts.standing.role = Some(Role::Publisher);
            }
            None => facts.standing.global_admin = true,
        },
        Rule::ServicesOnly => {
            facts.principal.kind = PrincipalKind::Service;
            facts.principal.credential = Credential::ApiKey;
            facts.principal.acts_for = None;
            facts.principal.tenant = tenant_of(target).cloned();
        }
        Rule::Recalled => facts.status = Some(Status::Active),
        Rule::AgentsDenied | Rule::AgentsReviewed => {
            facts.settings.agent_own_scope = AgentOwnScope::Allow;
        }
        Rule::NameReviewed => facts.settings.review_names = [].into(),
        Rule::FindingsReviewed => facts.settings.review_severity = None,
        Rule::NotAnApprover => facts.settings.approvers = [].into(),
        // Somebody else with the same role.
        Rule::NeedsOtherHuman => facts.principal.name = SOMEONE.into(),
        Rule::NotYourProposal | Rule::NotTheProposer => {
            let author = Author::of(&facts.principal);
            if let Some(proposal) = &mut facts.proposal {
                proposal.authors = vec![author];
            }
        }
        Rule::QuotaExceeded => facts.room = None,
        // A load is another action, and a target is what it is.
        Rule::NeedsOffer | Rule::SharedScopesOnly | Rule::WrongTarget => return false,
        Rule::OwnSelf
        | Rule::OwnScope
        | Rule::ElevatedHuman
        | Rule::InScope
        | Rule::OwnTurn
        | Rule::OwnService
        | Rule::HasRole
        | Rule::ElevatedAdministrator
        | Rule::OwnProposal => return false,
    }
    true
}

/// The scope that one steps up for to do something to this target.
pub(super) fn elevation_for(target: &Target) -> Scope {
    match target {
        Target::Server => Scope::Global,
        Target::Tenant(tenant) => Scope::Tenant(tenant.clone()),
        Target::Scope(scope) => scope.clone(),
    }
}

/// The facts without what the rule asks for, in every way that it can be missing.
pub(super) fn breaks(rule: Rule, facts: &Facts) -> Vec<Facts> {
    let with = |change: &dyn Fn(&mut Facts)| {
        let mut facts = facts.clone();
        change(&mut facts);
        facts
    };
    match rule {
        Rule::NotInScope => vec![with(&|facts| facts.principal.scopes.clear())],
        Rule::HumansOnly | Rule::NeedsOffer => vec![with(&be_agent), with(&be_service)],
        Rule::NeedsActor => vec![with(&be_service)],
        Rule::ServicesOnly => vec![with(&be_human)],
        Rule::NeedsSession => vec![with(&|facts| {
            facts.principal.credential = Credential::ApiKey;
        })],
        Rule::NeedsElevation => vec![with(&|facts| facts.elevation = None)],
        Rule::NeedsRole => vec![
            with(&|facts| {
                facts.standing.global_admin = false;
                facts.standing.role = facts.standing.role.map(|_| Role::Member);
            }),
            with(&|facts| {
                facts.standing.global_admin = false;
                facts.standing.role = None;
            }),
        ],
        Rule::Recalled => vec![with(&|facts| facts.status = Some(Status::Quarantined))],
        Rule::AgentsDenied => vec![with(&|facts| {
            facts.settings.agent_own_scope = AgentOwnScope::Deny;
        })],
        Rule::AgentsReviewed => vec![with(&|facts| {
            facts.settings.agent_own_scope = AgentOwnScope::Review;
        })],
        Rule::NameReviewed => vec![with(&|facts| {
            facts.settings.review_names = [NamePattern::All].into();
        })],
        // Where nothing is published, nothing is scanned.
        Rule::FindingsReviewed => vec![with(&|facts| {
            facts.settings.review_severity = Some(Severity::Low);
            facts.worst_finding = facts.worst_finding.or(Some(Severity::Low));
        })],
        Rule::NotAnApprover => vec![with(&|facts| {
            facts.settings.approvers = Username::parse(SOMEONE).into_iter().collect();
        })],
        Rule::NeedsOtherHuman => vec![with(&|facts| {
            let author = Author::of(&facts.principal);
            if let Some(proposal) = &mut facts.proposal {
                proposal.authors.push(author);
            }
        })],
        Rule::NotYourProposal | Rule::NotTheProposer => vec![with(&|facts| {
            if let Some(proposal) = &mut facts.proposal {
                proposal.authors.clear();
            }
        })],
        Rule::QuotaExceeded => vec![with(&|facts| {
            facts.room = Some(Room { used: 1, limit: 1 });
        })],
        Rule::SharedScopesOnly | Rule::WrongTarget => Vec::new(),
        Rule::OwnSelf
        | Rule::OwnScope
        | Rule::ElevatedHuman
        | Rule::InScope
        | Rule::OwnTurn
        | Rule::OwnService
        | Rule::HasRole
        | Rule::ElevatedAdministrator
        | Rule::OwnProposal => Vec::new(),
    }
}

fn tenant_of(target: &Target) -> Option<&TenantId> {
    match target {
        Target::Server => None,
        Target::Tenant(tenant) => Some(tenant),
        Target::Scope(scope) => scope.tenant(),
    }
}

fn join(target: &Target, facts: &mut Facts) {
    let scope = match target {
        Target::Scope(scope) => scope.clone(),
        Target::Server | Target::Tenant(_) => Scope::Global,
    };
    if let Some(tenant) = scope.tenant() {
        facts.principal.tenant = Some(tenant.clone());
        facts.standing.role = facts.standing.role.or(Some(Role::Member));
    }
    if !facts.principal.scopes.contains(&scope) {
        facts.principal.scopes.push(scope);
    }
}

/// A human as itself, who is at least a member where the principal was of a tenant.
fn be_human(facts: &mut Facts) {
    let principal = &mut facts.principal;
    principal.kind = PrincipalKind::Human;
    principal.credential = Credential::Session;
    principal.acts_for = None;
    if principal.tenant.is_some() {
        facts.standing.role = facts.standing.role.or(Some(Role::Member));
    }
}

fn be_agent(facts: &mut Facts) {
    facts.principal.kind = PrincipalKind::Agent;
    facts.principal.credential = Credential::Minted;
    facts.principal.acts_for = ActorId::parse(SOMEONE).ok();
}

fn be_service(facts: &mut Facts) {
    facts.principal.kind = PrincipalKind::Service;
    facts.principal.credential = Credential::ApiKey;
    facts.principal.acts_for = None;
}
