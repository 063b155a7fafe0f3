//! Review: what a proposal is to a decision, whose approval counts, and what a decision makes of it (design §2.6).
//!
//! *Who* may do something to a proposal is [`decide`](crate::decide()); *what becomes of it* is here: [`state_now`],
//! [`counted`] and [`step`].

mod pattern;
mod people;
mod step;

pub use pattern::{NamePattern, PatternError};
pub use people::{Author, Proposal, counted, objection};
pub use step::{Ballot, Decision, Obstacle, ProposalState, Reviewed, Step, state_now, step};

/// The most approvals that a tenant may ask for.
pub const MAX_REQUIRED_APPROVALS: u8 = 5;

/// When the human whom a proposing agent acted for may approve. Each step only tightens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum DistinctHuman {
    /// As long as nobody else could.
    #[default]
    Auto,
    /// Never.
    Always,
}

impl DistinctHuman {
    /// The name in the API: `auto` or `always`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
        }
    }

    /// The setting of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            _ => None,
        }
    }
}
