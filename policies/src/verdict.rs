//! Verdicts and the closed list of rules that they name.

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident => $text:literal,)*) => {
        /// A rule that a verdict followed. The kebab-case names are part of the API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule { $($(#[$doc])* $variant,)* }

        impl Rule {
            /// Every rule, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The kebab-case name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The rule of a kebab-case name.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

rules! {
    /// Allowed: everyone may do this to itself.
    OwnSelf => "own-self",
    /// Allowed: the actor's own scope.
    OwnScope => "own-scope",
    /// Allowed: a human with an unexpired elevation for exactly this scope.
    ElevatedHuman => "elevated-human",
    /// Allowed: the scope is one of the reader's, or of the proposer's.
    InScope => "in-scope",
    /// Allowed: an actor takes its own turn's catalog, or loads from it.
    OwnTurn => "own-turn",
    /// Allowed: the tenant's own service mints for it.
    OwnService => "own-service",
    /// Allowed: the role that the action asks for.
    HasRole => "has-role",
    /// Allowed: an elevated administrator of the tenant or of the installation.
    ElevatedAdministrator => "elevated-administrator",
    /// Allowed: the proposer, the human whom it acted for, or another agent of the same actor.
    OwnProposal => "own-proposal",

    /// To review: the tenant has its agents' own-scope writes reviewed.
    AgentsReviewed => "agents-reviewed",
    /// To review: the tenant has publications under this name reviewed.
    NameReviewed => "name-reviewed",
    /// To review: the tenant has publications reviewed in which something as severe was found.
    FindingsReviewed => "findings-reviewed",

    /// Refused: the scope is not one of the author's or reader's.
    NotInScope => "not-in-scope",
    /// Refused: only a human acting as itself may do this.
    HumansOnly => "humans-only",
    /// Refused: an unexpired elevation for exactly this scope is missing.
    NeedsElevation => "needs-elevation",
    /// Refused: the action asks for a role that the human does not have.
    NeedsRole => "needs-role",
    /// Refused: an interactive login is needed, not a key or a minted token.
    NeedsSession => "needs-session",
    /// Refused: agents and services get wider bodies by a load or an opening only.
    NeedsOffer => "needs-offer",
    /// Refused: only agents and humans have turns; a service mints tokens for its agents.
    NeedsActor => "needs-actor",
    /// Refused: only a service may do this.
    ServicesOnly => "services-only",
    /// Refused: bodies under recall are for publishers and auditors of the scope.
    Recalled => "recalled",
    /// Refused: only tenant and global skills can be sealed, only tenants can hide.
    SharedScopesOnly => "shared-scopes-only",
    /// Refused: the tenant lets no agent write its own scope.
    AgentsDenied => "agents-denied",
    /// Refused: the proposal is for others to read.
    NotYourProposal => "not-your-proposal",
    /// Refused: only the proposer, or the human whom it acted for, may do this to a proposal.
    NotTheProposer => "not-the-proposer",
    /// Refused: the tenant names its approvers, and this human is none of them.
    NotAnApprover => "not-an-approver",
    /// Refused: whoever wrote a proposal, or had it written, does not decide it.
    NeedsOtherHuman => "needs-other-human",
    /// Refused: the quota is used up.
    QuotaExceeded => "quota-exceeded",
    /// Refused: the target is not of the kind that the action is about.
    WrongTarget => "wrong-target",
}

/// What was decided, and by which rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// The action may go on.
    Allow(Rule),
    /// The action becomes a proposal instead.
    Review(Rule),
    /// The action is refused.
    Deny(Rule),
}

impl Verdict {
    /// Whether the action may go on as it is.
    #[must_use]
    pub fn is_allowed(self) -> bool {
        matches!(self, Self::Allow(_))
    }

    /// The rule that was followed.
    #[must_use]
    pub fn rule(self) -> Rule {
        match self {
            Self::Allow(rule) | Self::Review(rule) | Self::Deny(rule) => rule,
        }
    }
}
