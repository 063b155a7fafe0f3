//! A typed client of what an agent does in a turn: take a catalog, load what was offered, write its own skills, propose
//! others, ask for the prompt template of a workflow's role.
//!
//! An [`Offer`] is asked for again when it ends, as long as its turn was named: the same turn keeps its pins. Whoever keeps
//! the offer in a journal goes on with it after a restart.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use vestry::client::agent::{Agent, Conversation, Load, Terms, Turn};
//!
//! let agent = Agent::new("http://127.0.0.1:7700", "the agent's token")?;
//! let terms = Terms { turn: Some("run-7".to_owned()), ..Terms::default() };
//! let mut turn = Turn::take(&agent, terms).await?;
//! // What is in the conversation outlives the turn: keep it, and use it for the next turns of the same conversation.
//! let mut conversation = Conversation::default();
//! let skill = conversation.load(&agent, &mut turn.offer, Load::of("refunds")).await?;
//! let _prompt = (turn.catalog.block, skill.typed.block);
//! # Ok(())
//! # }
//! ```

mod catalog;
mod conversation;
mod error;
mod load;
mod offer;
mod prompts;
mod token;
mod turn;
mod write;

use std::future::Future;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use catalog::{Blocked, Catalog, Entry, Report, Terms};
pub use conversation::Conversation;
pub use error::{AgentError, Useless};
pub use load::{BundledFile, ContextNode, ListedFile, Load, Loaded};
pub use offer::Offer;
pub use prompts::{
    BundledPrompt, PromptFile, PromptTemplate, PromptTerms, SelectedPrompt, prompt_template,
};
pub use token::Agent;
pub use turn::Turn;
pub use write::{Evidence, Proposal, Proposed, Published, propose, write_own_skill};

pub(crate) use write::precondition;

use super::{Answer, Call};
use crate::clock::Micros;

/// Whoever sends requests as one caller: an agent with its token, or a session that refreshes its own.
pub trait Caller: Sync {
    /// Why there is no answer.
    type Error: Send;

    /// Sends a request, and again while the server is busy. Refusals are answers.
    ///
    /// # Errors
    /// When there is no answer.
    fn answer(&self, call: &Call) -> impl Future<Output = Result<Answer, Self::Error>> + Send;

    /// The present instant, to tell whether an offer is about to end.
    fn now(&self) -> Micros;
}

/// An answer as it was read, and as it came.
#[derive(Debug, Clone)]
pub struct Answered<T> {
    /// What it says.
    pub typed: T,
    /// All that the server sent, also what this client does not know.
    pub json: Value,
}

/// Sends a request that has to succeed.
async fn ask<C: Caller>(caller: &C, call: &Call) -> Result<Answer, AgentError<C::Error>> {
    accept(caller.answer(call).await.map_err(AgentError::Unanswered)?)
}

/// An answer that is no refusal.
fn accept<E>(answer: Answer) -> Result<Answer, AgentError<E>> {
    if answer.status.is_success() {
        Ok(answer)
    } else {
        Err(AgentError::Refused(Box::new(answer)))
    }
}

/// Reads what an answer says.
fn read<T: DeserializeOwned, E>(answer: Answer) -> Result<Answered<T>, AgentError<E>> {
    let json = answer.body;
    let typed = T::deserialize(&json).map_err(|error| Useless::Foreign(error.to_string()))?;
    Ok(Answered { typed, json })
}
