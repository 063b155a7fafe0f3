//! Who stands behind a proposal, and whose approval of it counts.

use std::sync::Arc;

use super::DistinctHuman;
use crate::facts::{Principal, PrincipalKind, Settings};
use crate::id::{ActorId, TenantId, Username};
use crate::scope::Scope;
use crate::verdict::Rule;

/// Who wrote a proposal, or edited it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Author {
    /// What kind of principal it is.
    pub kind: PrincipalKind,
    /// A human's username, an agent's id.
    pub name: Arc<str>,
    /// The tenant that its credential is of.
    pub tenant: Option<TenantId>,
    /// The actor that it acted for; always set for agents.
    pub acts_for: Option<ActorId>,
}

/// What a decision looks at of a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proposal {
    /// Who wrote it: the proposer first, then those who edited it.
    pub authors: Vec<Author>,
    /// Whoever has the publishing role at its target now: publishers of the tenant, or administrators of the
    /// installation.
    pub publishers: Vec<Username>,
}

impl Author {
    /// The author that a principal is.
    #[must_use]
    pub fn of(principal: &Principal) -> Self {
        Self {
            kind: principal.kind,
            name: Arc::clone(&principal.name),
            tenant: principal.tenant.clone(),
            acts_for: principal.acts_for.clone(),
        }
    }

    /// Whether a call is this very author's.
    pub(crate) fn is(&self, principal: &Principal) -> bool {
        match (self.kind, principal.kind) {
            // A human is one, in whichever tenant its token is.
            (PrincipalKind::Human, PrincipalKind::Human) => {
                self.name.eq_ignore_ascii_case(&principal.name)
            }
            // One agent that acts for two actors is two authors.
            (PrincipalKind::Agent, PrincipalKind::Agent) => {
                self.name == principal.name && self.is_at_home(principal)
            }
            _ => false,
        }
    }

    /// Whether the actor's scope is one of the caller's.
    fn is_at_home(&self, principal: &Principal) -> bool {
        self.actor_scope()
            .is_some_and(|scope| principal.scopes.contains(&scope))
    }

    /// The scope of the actor that it is, or acted for.
    pub(crate) fn actor_scope(&self) -> Option<Scope> {
        let actor = match self.kind {
            PrincipalKind::Human => self.tenant.as_ref().and(ActorId::parse(&self.name).ok())?,
            PrincipalKind::Agent | PrincipalKind::Service => self.acts_for.clone()?,
        };
        Some(Scope::Actor {
            tenant: self.tenant.clone(),
            actor,
        })
    }

    /// Whether this human wrote it as itself.
    fn is_human(&self, human: &Username) -> bool {
        self.kind == PrincipalKind::Human && self.name.eq_ignore_ascii_case(human.as_str())
    }

    /// Whether it acted for whoever has this name. Compared by the name alone, in whichever tenant: a stranger of the same
    /// name is refused rather than the same human let through.
    fn acted_for(&self, human: &Username) -> bool {
        self.acts_for
            .as_ref()
            .is_some_and(|actor| actor.as_str().eq_ignore_ascii_case(human.as_str()))
    }
}

impl Proposal {
    /// Whether the caller is the proposer, or as a human the one that the proposer acted for.
    pub(crate) fn is_of(&self, principal: &Principal) -> bool {
        self.authors.first().is_some_and(|proposer| {
            proposer.is(principal)
                || (principal.kind == PrincipalKind::Human
                    && proposer.kind == PrincipalKind::Agent
                    && proposer.is_at_home(principal))
        })
    }

    /// Whether the proposer is, or acted for, the actor of an agent.
    pub(crate) fn is_of_actor(&self, principal: &Principal) -> bool {
        self.authors
            .first()
            .is_some_and(|proposer| proposer.is_at_home(principal))
    }

    /// Whether there is another publisher, who did not write it. Whom the tenant names as approvers has no say in this:
    /// else naming fewer would let the human approve whom the agent acted for.
    fn has_other_publisher(&self, human: &Username) -> bool {
        self.publishers.iter().any(|other| {
            !same(other, human) && !self.authors.iter().any(|author| author.is_human(other))
        })
    }
}

/// Why a human with the publishing role may not decide a proposal; none when it may.
#[must_use]
pub fn objection(human: &Username, proposal: &Proposal, settings: &Settings) -> Option<Rule> {
    if !is_approver(human, settings) {
        return Some(Rule::NotAnApprover);
    }
    let wrote = proposal.authors.iter().any(|author| author.is_human(human));
    let was_acted_for = proposal
        .authors
        .iter()
        .any(|author| author.acted_for(human));
    let stands_aside = match settings.distinct_human {
        DistinctHuman::Always => true,
        DistinctHuman::Auto => proposal.has_other_publisher(human),
    };
    (wrote || (was_acted_for && stands_aside)).then_some(Rule::NeedsOtherHuman)
}

/// How many of those who approved count now: each human once, as long as it has the publishing role and nothing speaks
/// against it.
#[must_use]
pub fn counted(approved: &[Username], proposal: &Proposal, settings: &Settings) -> usize {
    let mut counted: Vec<&Username> = Vec::new();
    for human in approved {
        let publishes = proposal
            .publishers
            .iter()
            .any(|publisher| same(publisher, human));
        if publishes
            && !counted.iter().any(|before| same(before, human))
            && objection(human, proposal, settings).is_none()
        {
            counted.push(human);
        }
    }
    counted.len()
}

fn is_approver(human: &Username, settings: &Settings) -> bool {
    settings.approvers.is_empty() || settings.approvers.iter().any(|name| same(name, human))
}

/// Usernames are unique without regard to case.
fn same(a: &Username, b: &Username) -> bool {
    a.as_str().eq_ignore_ascii_case(b.as_str())
}
