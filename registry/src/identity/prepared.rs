//! Signing offers.
//!
//! An offer is a JWS like any other token. Its payload begins with what is constant for a catalog, so that
//! [`PreparedOffer`] encodes and hashes that once, and each turn only the short rest.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::caller::Caller;
use super::jti::Jti;
use super::jwt::{self, SignError};
use super::keys::{KeyRings, Ring};
use super::offer::PinnedEntry;
use super::turn::TurnName;
use crate::clock::Micros;

/// How long an offer lives when nothing else is asked for, in seconds.
pub const DEFAULT_OFFER_TTL_SECONDS: i64 = 15 * 60;

/// The longest that an offer lives, in seconds.
pub const MAX_OFFER_TTL_SECONDS: i64 = 60 * 60;

/// The most characters of the issuer; it is part of every token.
pub const MAX_ISSUER_LEN: usize = 64;

/// What an offer of one turn says besides the entries and the caller.
#[derive(Debug, Clone, Copy)]
pub struct OfferFacts<'a> {
    /// The turn.
    pub turn: &'a TurnName,
    /// Now.
    pub issued_at: Micros,
    /// How long it lives; held to 1 to [`MAX_OFFER_TTL_SECONDS`].
    pub ttl_seconds: i64,
    /// Its id.
    pub jti: Jti,
}

/// What signs offers: the offer ring's key and the issuer.
#[derive(Clone)]
pub struct OfferSigner {
    header: Arc<str>,
    issuer: Arc<str>,
    mac: Hmac<Sha256>,
}

impl fmt::Debug for OfferSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfferSigner")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl OfferSigner {
    /// The signer of these rings.
    ///
    /// # Errors
    /// When the rings have no key for it, which loaded rings always have.
    pub fn new(rings: &KeyRings, issuer: &str) -> Result<Self, SignError> {
        let key = rings.signer(Ring::Offer).ok_or(SignError)?;
        Ok(Self {
            header: Arc::from(jwt::offer_header(key.kid())?),
            issuer: Arc::from(issuer),
            mac: key.mac(),
        })
    }
}

/// An offer of one catalog, ready but for the turn. Cheap to clone; may be kept as long as the signer's key signs.
#[derive(Clone)]
pub struct PreparedOffer {
    /// The encoded header, a dot, and the encoded constant part of the payload.
    text: Arc<str>,
    /// The HMAC after it.
    mac: Hmac<Sha256>,
}

impl fmt::Debug for PreparedOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedOffer")
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

impl PreparedOffer {
    /// Encodes and hashes what is constant.
    #[must_use]
    pub fn new(signer: &OfferSigner, entries: &[PinnedEntry]) -> Self {
        let mut json = String::with_capacity(96 + entries.len() * 128);
        json.push_str("{\"e\":[");
        for (index, entry) in entries.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            // Names and digests have nothing that JSON would escape.
            let _infallible = write!(
                json,
                "[\"{}\",{},{},\"{}\"]",
                entry.name,
                entry.places.bits(),
                entry.revision,
                URL_SAFE_NO_PAD.encode(entry.digest.0)
            );
        }
        let issuer = serde_json::Value::from(&*signer.issuer);
        let audience = jwt::audience(Ring::Offer);
        let _infallible = write!(json, "],\"iss\":{issuer},\"aud\":\"{audience}\",");
        // Base64 turns three bytes into four characters: at such a boundary the rest can be encoded by itself.
        while !json.len().is_multiple_of(3) {
            json.push(' ');
        }
        let text = format!("{}.{}", signer.header, URL_SAFE_NO_PAD.encode(&json));
        let mac = signer.mac.clone().chain_update(&text);
        Self {
            text: Arc::from(text),
            mac,
        }
    }

    /// The offer of one turn to one caller.
    #[must_use]
    pub fn sign(&self, caller: &Caller, facts: &OfferFacts<'_>) -> String {
        let iat = facts.issued_at.seconds();
        let exp = iat.saturating_add(facts.ttl_seconds.clamp(1, MAX_OFFER_TTL_SECONDS));
        let mut json = String::with_capacity(320);
        let _infallible = write!(
            json,
            "\"sub\":\"{}\",\"turn\":\"{}\",",
            caller.bind(),
            facts.turn
        );
        for (name, epoch) in [
            ("aep", caller.actor_epoch()),
            ("sep", caller.service_epoch()),
        ] {
            if let Some(epoch) = epoch {
                let _infallible = write!(json, "\"{name}\":{epoch},");
            }
        }
        let _infallible = write!(
            json,
            "\"iat\":{iat},\"nbf\":{iat},\"exp\":{exp},\"jti\":\"{}\"}}",
            facts.jti
        );
        let mut token = String::with_capacity(self.text.len() + json.len() * 4 / 3 + 48);
        token.push_str(&self.text);
        URL_SAFE_NO_PAD.encode_string(&json, &mut token);
        let rest = token.get(self.text.len()..).unwrap_or_default();
        let tag = self.mac.clone().chain_update(rest).finalize().into_bytes();
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(tag, &mut token);
        token
    }
}
