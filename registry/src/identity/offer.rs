//! Offers: what one turn of one caller may load, signed (design §5). [`super::prepared`] writes what this reads.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use vestry_policies::{Digest, Scope, SkillName};

use super::caller::Caller;
use super::jti::Jti;
use super::jwt::{self, TokenError};
use super::keys::{KeyRings, Ring};
use super::turn::TurnName;
use crate::clock::Micros;

/// The most entries of an offer: the largest cap and the sealed ones.
pub const MAX_OFFER_ENTRIES: usize = 256;

/// One offered revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedEntry {
    /// The skill's name.
    pub name: SkillName,
    /// Where the name is.
    pub places: Places,
    /// Its revision's number.
    pub revision: u32,
    /// Its revision's digest.
    pub digest: Digest,
}

/// Which of a caller's scopes have a name: one bit each, the narrowest first. The lowest bit is the scope of the entry,
/// the others are those that it overrides, which are always wider. One digit in an offer for callers of three scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places(u8);

impl Places {
    /// The entry's own rank and the ranks of the scopes that it overrides; none when one is not below 8, or none of the
    /// others is wider.
    #[must_use]
    pub fn new(rank: usize, shadows: impl IntoIterator<Item = usize>) -> Option<Self> {
        let bit = |rank: usize| {
            u32::try_from(rank)
                .ok()
                .and_then(|rank| 1_u8.checked_shl(rank))
        };
        let mut bits = bit(rank)?;
        for shadow in shadows {
            if shadow <= rank {
                return None;
            }
            bits |= bit(shadow)?;
        }
        Some(Self(bits))
    }

    /// The bits, when there are any.
    pub(super) fn of_bits(bits: u8) -> Option<Self> {
        (bits != 0).then_some(Self(bits))
    }

    pub(super) fn bits(self) -> u8 {
        self.0
    }

    /// The scope of the entry, of the caller's.
    #[must_use]
    pub fn scope(self, scopes: &[Scope]) -> Option<&Scope> {
        scopes.get(usize::try_from(self.0.trailing_zeros()).ok()?)
    }

    /// The scopes that the entry overrides, narrow to wide.
    #[must_use]
    pub fn shadows(self, scopes: &[Scope]) -> Vec<Scope> {
        scopes
            .iter()
            .enumerate()
            .filter(|(rank, _)| *rank > self.0.trailing_zeros() as usize && *rank < 8)
            .filter(|(rank, _)| self.0 >> rank & 1 == 1)
            .map(|(_, scope)| scope.clone())
            .collect()
    }
}

/// Why an offer is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OfferError {
    /// Forged, damaged, or made for another caller; which of these is not told.
    #[error("the offer is not one that was made for you; ask for a catalog")]
    Invalid,
    /// Yours, and over.
    #[error("the offer has expired; ask for the catalog of the turn again")]
    Expired,
}

/// The claims of an offer; `sub` holds the bind digest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    e: Vec<(SkillName, u8, u32, String)>,
    #[serde(rename = "iss")]
    _iss: String,
    #[serde(rename = "aud")]
    _aud: String,
    sub: String,
    turn: String,
    #[serde(default)]
    aep: Option<u32>,
    #[serde(default)]
    sep: Option<u32>,
    iat: i64,
    #[serde(rename = "nbf")]
    _nbf: i64,
    exp: i64,
    jti: String,
}

/// A verified offer: the load boundary of one turn. Nothing else makes one:
///
/// ```
/// use vestry::identity::{Caller, Identity, Offer};
/// fn offer(identity: &Identity, caller: &Caller, token: &str) -> Option<Offer> {
///     identity.verify_offer(token, caller).ok()
/// }
/// ```
/// ```compile_fail,E0451
/// use vestry::identity::{Caller, Identity, Offer};
/// fn offer(identity: &Identity, caller: &Caller, token: &str) -> Option<Offer> {
///     Some(Offer { entries: vec![], ..identity.verify_offer(token, caller).ok()? })
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Offer {
    entries: Vec<PinnedEntry>,
    turn: TurnName,
    jti: Jti,
    actor_epoch: Option<u32>,
    service_epoch: Option<u32>,
    issued_at: Micros,
    expires_at: Micros,
}

/// Verifies an offer that `caller` shows.
///
/// # Errors
/// [`OfferError`].
pub fn verify_offer(
    token: &str,
    rings: &KeyRings,
    issuer: &str,
    now: Micros,
    caller: &Caller,
) -> Result<Offer, OfferError> {
    let opened = jwt::open::<Claims>(token, rings, &[Ring::Offer], issuer, now)
        .map_err(|_| OfferError::Invalid)?;
    let claims = opened.claims;
    // Whose it is comes before whether it is over: of another's offer nothing is told.
    if !caller.bind().equals_text(&claims.sub) || claims.e.len() > MAX_OFFER_ENTRIES {
        return Err(OfferError::Invalid);
    }
    opened.in_time.map_err(|error| match error {
        TokenError::Expired => OfferError::Expired,
        _ => OfferError::Invalid,
    })?;
    let entries = claims
        .e
        .into_iter()
        .map(|(name, places, revision, digest)| {
            let digest = URL_SAFE_NO_PAD.decode(digest).ok()?.try_into().ok()?;
            Some(PinnedEntry {
                name,
                places: Places::of_bits(places)?,
                revision,
                digest: Digest(digest),
            })
        })
        .collect::<Option<Vec<_>>>()
        .ok_or(OfferError::Invalid)?;
    Ok(Offer {
        entries,
        turn: TurnName::parse(&claims.turn).map_err(|_| OfferError::Invalid)?,
        jti: Jti::parse(&claims.jti).ok_or(OfferError::Invalid)?,
        actor_epoch: claims.aep,
        service_epoch: claims.sep,
        issued_at: Micros(0).plus_seconds(claims.iat),
        expires_at: Micros(0).plus_seconds(claims.exp),
    })
}

impl Offer {
    /// The entry of that name, if it was offered.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&PinnedEntry> {
        self.entries
            .iter()
            .find(|entry| entry.name.as_str() == name)
    }

    /// What was offered, in catalog order.
    #[must_use]
    pub fn entries(&self) -> &[PinnedEntry] {
        &self.entries
    }

    /// The names that were offered, in catalog order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &SkillName> {
        self.entries.iter().map(|entry| &entry.name)
    }

    /// The turn that it was made for.
    #[must_use]
    pub fn turn(&self) -> &TurnName {
        &self.turn
    }

    /// Its id.
    #[must_use]
    pub fn jti(&self) -> Jti {
        self.jti
    }

    /// The actor's epoch when it was made, to compare with the live one.
    #[must_use]
    pub fn actor_epoch(&self) -> Option<u32> {
        self.actor_epoch
    }

    /// The service's epoch when it was made, to compare with the live one; none when it was made for a human.
    #[must_use]
    pub fn service_epoch(&self) -> Option<u32> {
        self.service_epoch
    }

    /// When it was made, to the second.
    #[must_use]
    pub fn issued_at(&self) -> Micros {
        self.issued_at
    }

    /// When it ends, to the second.
    #[must_use]
    pub fn expires_at(&self) -> Micros {
        self.expires_at
    }
}
