//! What a decision looks at. The store reads it from rows inside the transaction that acts on it.

use std::sync::Arc;

use crate::id::{ActorId, TenantId, Username};
use crate::name::SkillName;
use crate::review::{DistinctHuman, NamePattern, Proposal};
use crate::scope::Scope;
use crate::severity::Severity;
use crate::skill::Status;

/// What kind of principal calls; comes from the record of the key that signed, never from a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PrincipalKind {
    /// A person.
    Human,
    /// A program that acts for an actor.
    Agent,
    /// An agent platform that mints tokens for its agents.
    Service,
}

/// What the principal showed to be let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Credential {
    /// A token of an interactive login, elevated or not.
    Session,
    /// A long-lived API key.
    ApiKey,
    /// A token that a service minted.
    Minted,
}

/// A human's role in a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Reads, writes its own scope, proposes.
    Member,
    /// Also writes the tenant's skills and administers it, elevated.
    Publisher,
    /// Also reads the tenant's audit log.
    Auditor,
}

impl Role {
    /// The name in the API: `member`, `publisher` or `auditor`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Publisher => "publisher",
            Self::Auditor => "auditor",
        }
    }

    /// The role of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "member" => Some(Self::Member),
            "publisher" => Some(Self::Publisher),
            "auditor" => Some(Self::Auditor),
            _ => None,
        }
    }
}

/// Who calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// What kind of principal it is.
    pub kind: PrincipalKind,
    /// A human's username, an agent's id, a service's id.
    pub name: Arc<str>,
    /// What it showed.
    pub credential: Credential,
    /// Its tenant, if it has one.
    pub tenant: Option<TenantId>,
    /// The actor that it acts for, when it does not act as itself: always set for agents. Set on a human, it takes the human's authority away.
    pub acts_for: Option<ActorId>,
    /// Its scopes, narrowest first.
    pub scopes: Vec<Scope>,
}

/// What a human is in the target's tenant and in the installation, read live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// Whether it administers the installation.
    pub global_admin: bool,
    /// Its role in the tenant that the target belongs to.
    pub role: Option<Role>,
}

/// A human's step up for one scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elevation {
    /// The one scope that it holds for.
    pub scope: Scope,
    /// When it ends, in microseconds since the Unix epoch; at that instant it has ended.
    pub expires_at: i64,
}

/// What a tenant lets its agents do in their own scope. Each step only tightens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum AgentOwnScope {
    /// Write it.
    #[default]
    Allow,
    /// Propose for it; the actor decides as a human.
    Review,
    /// Nothing.
    Deny,
}

impl AgentOwnScope {
    /// The name in the API: `allow`, `review` or `deny`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Review => "review",
            Self::Deny => "deny",
        }
    }

    /// The setting of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "allow" => Some(Self::Allow),
            "review" => Some(Self::Review),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }
}

/// The tenant's settings that decisions look at. Each only tightens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What agents may do in their own scope.
    pub agent_own_scope: AgentOwnScope,
    /// How many approvals a proposal at a shared scope needs, 1 to
    /// [`MAX_REQUIRED_APPROVALS`](crate::review::MAX_REQUIRED_APPROVALS).
    pub required_approvals: u8,
    /// Who may approve, of those who have the role; everyone who has it when there are none.
    pub approvers: Arc<[Username]>,
    /// Whether the human whom a proposing agent acted for may approve.
    pub distinct_human: DistinctHuman,
    /// The names whose publications at the tenant are reviewed whoever publishes.
    pub review_names: Arc<[NamePattern]>,
    /// Publications at the tenant in which something at least this severe was found are reviewed whoever publishes.
    pub review_severity: Option<Severity>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            agent_own_scope: AgentOwnScope::default(),
            required_approvals: 1,
            approvers: Arc::default(),
            distinct_human: DistinctHuman::default(),
            review_names: Arc::default(),
            review_severity: None,
        }
    }
}

/// How full a quota is that the action would add to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// How much is used.
    pub used: u64,
    /// How much may be used.
    pub limit: u64,
}

/// Everything that a decision looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Who calls.
    pub principal: Principal,
    /// What it is in the target's tenant.
    pub standing: Standing,
    /// Its elevation, if it shows one that has not been revoked.
    pub elevation: Option<Elevation>,
    /// The time of the decision, in microseconds since the Unix epoch.
    pub now: i64,
    /// The settings of the target's tenant.
    pub settings: Settings,
    /// The state of the skill or revision that the action is about, when there is one.
    pub status: Option<Status>,
    /// The name of the skill that the action publishes, when it does.
    pub name: Option<SkillName>,
    /// The most severe thing that was found in the content that the action publishes, when it does.
    pub worst_finding: Option<Severity>,
    /// The proposal that the action is about, when there is one.
    pub proposal: Option<Proposal>,
    /// The quota that the action would fill: of skills, of revisions, or of open proposals.
    pub room: Option<Room>,
}
