//! An offer, and how it stays in force for as long as its turn may go on.

use serde::{Deserialize, Serialize};

use super::catalog::Terms;
use super::load::{BundledFile, Load, Loaded};
use super::{AgentError, Answered, Caller, Useless, accept, ask, read};
use crate::client::{Answer, BYTES, Call};
use crate::clock::Micros;

/// How long before its end an offer is not used any more: a request takes time, and clocks differ.
const MARGIN_SECONDS: i64 = 10;

/// The offer of a turn, as it can be kept: it is no secret, because a load needs the agent's token as well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// What the turn asked for; none where that is not known, and then the offer ends for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) terms: Option<Terms>,
    /// Names the catalog that it is for.
    #[serde(default)]
    pub(super) etag: String,
    /// The signed offer.
    #[serde(rename = "offer")]
    pub(super) signed: String,
    /// When it ends, RFC 3339.
    #[serde(default)]
    pub(super) expires_at: String,
}

/// What of a catalog's answer an offer is made of.
#[derive(Deserialize)]
pub(super) struct Fresh {
    pub(super) etag: String,
    pub(super) offer: String,
    pub(super) expires_at: String,
}

impl Offer {
    /// A signed offer that somebody else took: it cannot be asked for again.
    #[must_use]
    pub fn signed_elsewhere(signed: String) -> Self {
        Self {
            terms: None,
            etag: String::new(),
            signed,
            expires_at: String::new(),
        }
    }

    /// The signed offer.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.signed
    }

    /// When it ends, RFC 3339; empty when that is not known.
    #[must_use]
    pub fn expires_at(&self) -> &str {
        &self.expires_at
    }

    /// Loads an offered skill.
    ///
    /// # Errors
    /// As the server refuses: `skill-not-offered`, `skill-recalled` and the like; when there is no answer.
    pub async fn load<C: Caller>(
        &mut self,
        caller: &C,
        load: &Load,
    ) -> Result<Answered<Loaded>, AgentError<C::Error>> {
        read(self.under(caller, |offer| load.call(offer)).await?)
    }

    /// Loads a file of an offered skill, as text or as base64.
    ///
    /// # Errors
    /// As [`Offer::load`]; `file-not-found`.
    pub async fn load_file<C: Caller>(
        &mut self,
        caller: &C,
        name: &str,
        path: &str,
    ) -> Result<Answered<BundledFile>, AgentError<C::Error>> {
        let call = |offer: &str| super::load::file_call(offer, name, path);
        read(self.under(caller, call).await?)
    }

    /// Loads the bytes of a file of an offered skill.
    ///
    /// # Errors
    /// As [`Offer::load_file`].
    pub async fn load_bytes<C: Caller>(
        &mut self,
        caller: &C,
        name: &str,
        path: &str,
    ) -> Result<axum::body::Bytes, AgentError<C::Error>> {
        let call = |offer: &str| super::load::file_call(offer, name, path).accept(BYTES);
        Ok(self.under(caller, call).await?.bytes)
    }

    /// Sends a request under this offer; under a fresh one of the same turn, once, when it has ended or is about to.
    async fn under<C: Caller>(
        &mut self,
        caller: &C,
        call: impl Fn(&str) -> Call,
    ) -> Result<Answer, AgentError<C::Error>> {
        let was_renewed = self.is_ending(caller.now()) && self.renew(caller).await?;
        let first = call(&self.signed);
        let answer = caller.answer(&first).await;
        let answer = answer.map_err(AgentError::Unanswered)?;
        let has_ended = answer.text("code") == "offer-expired";
        if was_renewed || !has_ended || !self.renew(caller).await? {
            return accept(answer);
        }
        ask(caller, &call(&self.signed)).await
    }

    /// Asks the same turn again, and says whether it could be asked. The pins stay; the offer is signed anew.
    async fn renew<C: Caller>(&mut self, caller: &C) -> Result<bool, AgentError<C::Error>> {
        let Some(terms) = self.terms.as_ref().filter(|terms| terms.turn.is_some()) else {
            return Ok(false);
        };
        let answer = ask(caller, &terms.call(Some(&self.etag))).await?;
        let fresh: Answered<Fresh> = read(answer)?;
        if fresh.typed.etag != self.etag {
            let turn = terms.turn.clone().unwrap_or_default();
            return Err(Useless::Forgotten(turn).into());
        }
        self.signed = fresh.typed.offer;
        self.expires_at = fresh.typed.expires_at;
        Ok(true)
    }

    fn is_ending(&self, now: Micros) -> bool {
        // A time that cannot be read has not come: the server decides.
        Micros::from_rfc3339(&self.expires_at)
            .is_some_and(|end| end <= now.plus_seconds(MARGIN_SECONDS))
    }
}
