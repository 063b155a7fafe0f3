//! Why something that an agent asked for did not happen.

use crate::client::Answer;

/// Why something that an agent asked for did not happen.
#[derive(Debug, thiserror::Error)]
pub enum AgentError<E> {
    /// There is no answer.
    #[error("{0}")]
    Unanswered(E),
    /// The server refused; the answer is its problem.
    #[error("{} ({})", .0.text("detail"), .0.text("code"))]
    Refused(Box<Answer>),
    /// The answer is of no use.
    #[error(transparent)]
    Useless(#[from] Useless),
}

/// Why a success is of no use.
#[derive(Debug, thiserror::Error)]
pub enum Useless {
    /// It does not say what it has to say.
    #[error("this is not a Vestry server, or an older one: in its answer, {0}; check --server")]
    Foreign(String),
    /// The turn has another catalog than the one whose offer was kept: turns are kept for 30 days.
    #[error("the turn {0} is not kept any more: take a new one under another name")]
    Forgotten(String),
    /// The turn had no name, so that the server cannot find it.
    #[error("a turn without a name cannot be resumed: name the next one")]
    Nameless,
    /// The caller acts for no actor.
    #[error("the caller has no scope of its own: write as a user of a tenant, or as an agent")]
    Scopeless,
}

impl<E> AgentError<E> {
    /// The code of the server's problem; empty when it was none.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(answer) => answer.text("code"),
            Self::Unanswered(_) | Self::Useless(_) => "",
        }
    }
}
