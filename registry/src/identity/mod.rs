//! Who calls, and how that is known: passwords, keys, tokens and offers (design §5).
//!
//! A principal's kind comes from the key ring that signed, never from a claim. [`jwt::verify`] is the only
//! place that verifies a JWT; [`Caller`] and [`Offer`] are made here and nowhere else. Nothing here touches the
//! database: epochs, revocation and API keys are looked up by the store.

mod api_key;
mod bind;
mod caller;
mod cursor;
mod json;
mod jti;
pub mod jwt;
mod key_error;
mod key_file;
mod keys;
mod mint;
mod offer;
mod password;
mod prepared;
mod refresh;
#[cfg(test)]
mod tests;
mod token;
mod turn;

use std::fmt;
use std::sync::Arc;

pub use api_key::{ApiKey, ApiKeyError, KeyKind, VerifiedKey};
pub use bind::Bind;
pub use caller::{Caller, ElevationClaim};
pub use cursor::{MAX_CURSOR_BYTES, keyed_digest, open_cursor, seal_cursor};
pub use jti::Jti;
pub use jwt::{SignError, TokenError};
pub use key_error::KeyError;
pub use key_file::{rotate_begin, rotate_promote, rotate_retire};
pub use keys::{KeyFingerprint, KeyRings, KeyState, MAX_KID_LEN, MIN_KEY_BYTES, Ring};
pub use mint::{
    AgentGrant, DEFAULT_AGENT_TTL_SECONDS, ElevatedGrant, HUMAN_TTL_SECONDS, HumanGrant,
    MAX_AGENT_TTL_SECONDS, MAX_ELEVATION_SECONDS, MintError, Minted,
};
pub use offer::{MAX_OFFER_ENTRIES, Offer, OfferError, PinnedEntry, Places, verify_offer};
pub use password::{
    MAX_PASSWORD_BYTES, MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, PasswordError, PasswordParams,
    PasswordRule, Passwords,
};
pub use prepared::{
    DEFAULT_OFFER_TTL_SECONDS, MAX_ISSUER_LEN, MAX_OFFER_TTL_SECONDS, OfferFacts, OfferSigner,
    PreparedOffer,
};
pub use refresh::{RefreshToken, RefreshTokenError};
pub use token::MAX_WORD_LEN;
pub use turn::{MAX_TURN_LEN, TurnName, TurnNameError};

use crate::clock::{Clock, Micros};
use crate::entropy::Entropy;

/// Why identity cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The issuer is no good.
    #[error(
        "the issuer is 1 to {MAX_ISSUER_LEN} printable ASCII characters without spaces, quotes and backslashes, such as `https://vestry.example.org`"
    )]
    Issuer,
    /// The rings cannot sign.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// Passwords cannot be hashed.
    #[error(transparent)]
    Password(#[from] PasswordError),
}

/// Everything that identity needs, in one place.
pub struct Identity {
    rings: Arc<KeyRings>,
    issuer: Arc<str>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    passwords: Passwords,
    offers: OfferSigner,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("issuer", &self.issuer)
            .field("rings", &self.rings)
            .finish_non_exhaustive()
    }
}

impl Identity {
    /// Sets identity up. `issuer` is the `iss` of every token.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub fn new(
        rings: Arc<KeyRings>,
        issuer: &str,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        params: PasswordParams,
    ) -> Result<Self, IdentityError> {
        let issuer_is_valid = (1..=MAX_ISSUER_LEN).contains(&issuer.len())
            && issuer
                .bytes()
                .all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\');
        if !issuer_is_valid {
            return Err(IdentityError::Issuer);
        }
        Ok(Self {
            offers: OfferSigner::new(&rings, issuer)?,
            passwords: Passwords::new(params, Arc::clone(&entropy))?,
            rings,
            issuer: Arc::from(issuer),
            clock,
            entropy,
        })
    }

    /// The keys.
    #[must_use]
    pub fn rings(&self) -> &Arc<KeyRings> {
        &self.rings
    }

    /// The `iss` of every token.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The clock that tokens are measured by.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Where ids and secrets come from.
    #[must_use]
    pub fn entropy(&self) -> &Arc<dyn Entropy> {
        &self.entropy
    }

    /// The password hasher.
    #[must_use]
    pub fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// Verifies an access token (a JWT; API keys need the store). The answer may be kept, by the
    /// token itself, until [`jwt::has_ended`]; epochs and revocation are checked live by the store.
    ///
    /// # Errors
    /// [`TokenError`], always a 401.
    pub fn verify_access(&self, bearer: &str) -> Result<Caller, TokenError> {
        token::read(bearer, &self.rings, &self.issuer, self.clock.now())
    }

    /// Mints a human's access token, for [`HUMAN_TTL_SECONDS`].
    ///
    /// # Errors
    /// [`MintError`].
    pub fn mint_human(&self, grant: &HumanGrant<'_>) -> Result<Minted, MintError> {
        self.mint(self.clock.now()).human(grant)
    }

    /// Mints a human's elevated token.
    ///
    /// # Errors
    /// [`MintError`].
    pub fn mint_elevated(&self, grant: &ElevatedGrant<'_>) -> Result<Minted, MintError> {
        self.mint(self.clock.now()).elevated(grant)
    }

    /// Mints an agent's token.
    ///
    /// # Errors
    /// [`MintError`].
    pub fn mint_agent(&self, grant: &AgentGrant<'_>) -> Result<Minted, MintError> {
        self.mint(self.clock.now()).agent(grant)
    }

    fn mint(&self, now: Micros) -> mint::Mint<'_> {
        mint::Mint {
            rings: &self.rings,
            issuer: &self.issuer,
            now,
            entropy: &*self.entropy,
        }
    }

    /// Prepares offers of one catalog.
    #[must_use]
    pub fn prepare_offer(&self, entries: &[PinnedEntry]) -> PreparedOffer {
        PreparedOffer::new(&self.offers, entries)
    }

    /// Verifies an offer that `caller` shows.
    ///
    /// # Errors
    /// [`OfferError`].
    pub fn verify_offer(&self, token: &str, caller: &Caller) -> Result<Offer, OfferError> {
        offer::verify_offer(token, &self.rings, &self.issuer, self.clock.now(), caller)
    }

    /// A new id for a token, an offer or a turn.
    ///
    /// # Errors
    /// When there are no random bytes.
    pub fn new_jti(&self) -> Result<Jti, crate::entropy::EntropyError> {
        Jti::generate(&*self.entropy)
    }
}
