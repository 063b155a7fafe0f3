//! A turn: its catalog and its offer.

use serde_json::Value;

use super::catalog::{Catalog, Terms};
use super::offer::{Fresh, Offer};
use super::{AgentError, Answered, Caller, Useless, ask, read};

/// A turn that was taken.
#[derive(Debug, Clone)]
pub struct Turn {
    /// What is offered, and its text for the model.
    pub catalog: Catalog,
    /// What loads it; keep it to go on later.
    pub offer: Offer,
    /// The server's answer.
    pub json: Value,
}

impl Turn {
    /// Takes the catalog of a turn. A named turn that was taken before keeps its catalog.
    ///
    /// # Errors
    /// As the server refuses: `turn-conflict` for other terms than before; when there is no answer.
    pub async fn take<C: Caller>(caller: &C, terms: Terms) -> Result<Self, AgentError<C::Error>> {
        let answer = ask(caller, &terms.call(None)).await?;
        let Fresh {
            etag,
            offer,
            expires_at,
        } = read(answer.clone())?.typed;
        let Answered {
            typed: catalog,
            json,
        } = read(answer)?;
        Ok(Self {
            catalog,
            offer: Offer {
                terms: Some(terms),
                etag,
                signed: offer,
                expires_at,
            },
            json,
        })
    }

    /// Goes on with a turn whose offer was kept, as after a restart: with the same pins.
    ///
    /// # Errors
    /// As [`Turn::take`]; when the turn had no name, or is not kept any more.
    pub async fn resume<C: Caller>(caller: &C, kept: &Offer) -> Result<Self, AgentError<C::Error>> {
        let terms = kept.terms.clone().unwrap_or_default();
        let name = terms.turn.clone().ok_or(Useless::Nameless)?;
        let turn = Self::take(caller, terms).await?;
        if turn.offer.etag == kept.etag {
            Ok(turn)
        } else {
            Err(Useless::Forgotten(name).into())
        }
    }
}
