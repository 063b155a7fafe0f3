//! What a decision makes of a proposal: the state machine.

use crate::skill::Digest;

/// The state of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProposalState {
    /// It waits for decisions.
    Open,
    /// What it was compared with is not the current revision any more; a rebase opens it again.
    Stale,
    /// It was approved, and published.
    Published,
    /// It was rejected.
    Rejected,
    /// Its proposer took it back.
    Withdrawn,
    /// Nobody decided in time.
    Expired,
}

impl ProposalState {
    /// Every state.
    pub const ALL: [Self; 6] = [
        Self::Open,
        Self::Stale,
        Self::Published,
        Self::Rejected,
        Self::Withdrawn,
        Self::Expired,
    ];

    /// The name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stale => "stale",
            Self::Published => "published",
            Self::Rejected => "rejected",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Whether nothing can become of it any more.
    #[must_use]
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Open | Self::Stale)
    }

    /// Whether it can be commented and withdrawn.
    ///
    /// # Errors
    /// [`Obstacle::Over`] when it is over.
    pub fn check_pending(self) -> Result<(), Obstacle> {
        if self.is_over() {
            Err(Obstacle::Over(self))
        } else {
            Ok(())
        }
    }

    /// Whether its content can be edited.
    ///
    /// # Errors
    /// [`Obstacle::Over`] when it is over, [`Obstacle::Stale`] while it is stale.
    pub fn check_open(self) -> Result<(), Obstacle> {
        self.check_pending()?;
        if self == Self::Stale {
            Err(Obstacle::Stale)
        } else {
            Ok(())
        }
    }
}

/// What the moment makes of a recorded state: a proposal that is not over expires by the clock, and is stale while its base
/// is not the current revision.
#[must_use]
pub fn state_now(
    recorded: ProposalState,
    base_is_current: bool,
    now: i64,
    expires_at: i64,
) -> ProposalState {
    match recorded {
        over if over.is_over() => over,
        _ if now >= expires_at => ProposalState::Expired,
        _ if base_is_current => ProposalState::Open,
        _ => ProposalState::Stale,
    }
}

/// What a human decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Decision {
    /// Publish it.
    Approve,
    /// End it.
    Reject,
}

/// A decision as it is made: about what was read, compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ballot {
    /// The decision.
    pub decision: Decision,
    /// The digest of what was reviewed.
    pub digest: Digest,
    /// The digest of what it was compared with; none when there was nothing.
    pub base: Option<Digest>,
}

/// A proposal as a decision finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reviewed {
    /// Its state now: see [`state_now`].
    pub state: ProposalState,
    /// The digest of its content.
    pub digest: Digest,
    /// The digest of its base.
    pub base: Option<Digest>,
    /// How many approvals it needs.
    pub required: usize,
    /// How many it has if this human approves: see [`counted`](super::counted()).
    pub counted: usize,
    /// What this human decided of this very content and base before.
    pub before: Option<Decision>,
}

/// What a decision makes of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Nothing: it was decided so before.
    Unchanged,
    /// An approval more, and others are missing.
    Counts,
    /// The last approval: it is published.
    Publishes,
    /// It is rejected.
    Rejects,
}

/// Why a proposal cannot be changed so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Obstacle {
    /// It is over, in this state.
    Over(ProposalState),
    /// Its base has moved.
    Stale,
    /// Its content is not what was reviewed.
    OtherDigest,
    /// It is not compared with what it was compared with in the review.
    OtherBase,
}

/// What a decision makes of a proposal, by a human of whom [`decide`](crate::decide()) said that it may decide it.
///
/// # Errors
/// An [`Obstacle`]: the decision does not fit the proposal as it is now.
pub fn step(proposal: &Reviewed, ballot: &Ballot) -> Result<Step, Obstacle> {
    let again = proposal.before == Some(ballot.decision) && proposal.digest == ballot.digest;
    match (proposal.state, ballot.decision) {
        (ProposalState::Published, Decision::Approve)
        | (ProposalState::Rejected, Decision::Reject)
            if again =>
        {
            return Ok(Step::Unchanged);
        }
        (ProposalState::Stale, Decision::Approve) => return Err(Obstacle::Stale),
        (state, _) => state.check_pending()?,
    }
    if proposal.digest != ballot.digest {
        return Err(Obstacle::OtherDigest);
    }
    match ballot.decision {
        Decision::Reject => Ok(Step::Rejects),
        Decision::Approve if proposal.base != ballot.base => Err(Obstacle::OtherBase),
        Decision::Approve if proposal.counted >= proposal.required.max(1) => Ok(Step::Publishes),
        Decision::Approve if again => Ok(Step::Unchanged),
        Decision::Approve => Ok(Step::Counts),
    }
}
