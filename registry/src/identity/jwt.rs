//! The one place that verifies and signs JWTs (RFC 7519, RFC 8725, RFC 9068).
//!
//! The library gives the cryptography and nothing else. Its validation is not used: by default it takes a token
//! without `aud`, one that expired 30 s ago, a future `nbf` and `iat`, any `typ` and a key of one byte, and it
//! asks the machine for the time.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, Header};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::json::check_unique;
use super::keys::{KeyRings, Ring};
use crate::clock::Micros;

/// How far clocks may differ, in seconds.
pub const LEEWAY_SECONDS: i64 = 5;

/// The most bytes of an access token.
pub const MAX_ACCESS_TOKEN_BYTES: usize = 8 * 1024;

/// The most bytes of an offer.
pub const MAX_OFFER_BYTES: usize = 64 * 1024;

/// The most bytes of a header, encoded.
const MAX_HEADER_BYTES: usize = 1024;

/// A signature of HS256 in base64url.
const SIGNATURE_CHARS: usize = 43;

/// Why a token is refused. All of these are 401 (for an offer: `offer-invalid`); none repeats the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Not three strict base64url parts, or too long.
    #[error("the token is not a compact JWS; send it as it was given out")]
    Malformed,
    /// A header that this server does not write.
    #[error("the token's header is not one that this server writes; get a new token")]
    Header,
    /// The key that it names is not (or no longer) known.
    #[error("the token was signed with a key that this server does not accept; get a new token")]
    UnknownKey,
    /// It is of a kind that does not belong here, such as an offer sent as an access token.
    #[error("the token is of another kind than is asked for here; send an access token")]
    WrongKind,
    /// The signature is wrong.
    #[error("the token's signature is wrong; get a new token")]
    Signature,
    /// A claim is missing, doubled, unknown, of a wrong type or of a wrong value.
    #[error("the token's claims are not those that this server writes; get a new token")]
    Claims,
    /// It has ended.
    #[error("the token has expired; get a new one")]
    Expired,
    /// It has not begun.
    #[error("the token is not valid yet; check the clocks")]
    NotYetValid,
}

/// What a ring's tokens must look like.
struct Profile {
    typ: &'static str,
    audience: &'static str,
    max_lifetime: i64,
}

/// Each ring has a `typ` and an audience of its own, so that even with one key shared by mistake no token could
/// stand in for another (RFC 8725 §§3.11, 3.12).
fn profile(ring: Ring) -> Option<Profile> {
    let (typ, audience, max_lifetime) = match ring {
        Ring::Human => ("at+jwt", "vestry", 15 * 60),
        Ring::Elevated => ("elevated+jwt", "vestry:elevated", 15 * 60),
        Ring::Agent => ("agent+jwt", "vestry:agent", 60 * 60),
        Ring::Offer => ("skill-offer+jwt", "vestry:offer", 60 * 60),
        Ring::Cursor => return None,
    };
    Some(Profile {
        typ,
        audience,
        max_lifetime,
    })
}

/// The audience of a ring's tokens; empty for the ring that signs no JWTs.
#[must_use]
pub fn audience(ring: Ring) -> &'static str {
    profile(ring).map_or("", |profile| profile.audience)
}

/// The longest that a ring's tokens live, in seconds; 0 for the ring that signs no JWTs.
#[must_use]
pub fn max_lifetime(ring: Ring) -> i64 {
    profile(ring).map_or(0, |profile| profile.max_lifetime)
}

/// What is read of a header. Everything else in it, `jku`, `x5u`, `jwk`, `x5c` and `x5t` among it, is ignored:
/// a token never brings its own key.
#[derive(Deserialize)]
struct ReadHeader {
    alg: String,
    typ: String,
    kid: String,
    #[serde(default, deserialize_with = "present")]
    crit: bool,
    #[serde(default, deserialize_with = "present")]
    b64: bool,
}

/// True for a field that is there, whatever it holds, also `null`.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(deserializer).map(|_| true)
}

/// The registered claims, all of them required.
#[derive(Deserialize)]
struct Registered {
    iss: String,
    aud: String,
    sub: String,
    exp: i64,
    nbf: i64,
    iat: i64,
}

/// A token that is right in every way, except that its time may be over or not have come.
pub(super) struct Opened<C> {
    pub(super) ring: Ring,
    pub(super) claims: C,
    /// [`TokenError::Expired`] or [`TokenError::NotYetValid`] when now is not its time.
    pub(super) in_time: Result<(), TokenError>,
}

/// Verifies a token of one of the `allowed` rings and reads its claims. `C` should deny unknown fields.
///
/// # Errors
/// A [`TokenError`]; [`TokenError::Expired`] only for a token that is right in every other way.
pub fn verify<C: DeserializeOwned>(
    token: &str,
    rings: &KeyRings,
    allowed: &[Ring],
    issuer: &str,
    now: Micros,
) -> Result<(Ring, C), TokenError> {
    let opened = open(token, rings, allowed, issuer, now)?;
    opened.in_time?;
    Ok((opened.ring, opened.claims))
}

/// [`verify`] for a caller that has more to check before it may tell that a token has expired.
pub(super) fn open<C: DeserializeOwned>(
    token: &str,
    rings: &KeyRings,
    allowed: &[Ring],
    issuer: &str,
    now: Micros,
) -> Result<Opened<C>, TokenError> {
    let limit = if allowed.contains(&Ring::Offer) {
        MAX_OFFER_BYTES
    } else {
        MAX_ACCESS_TOKEN_BYTES
    };
    if token.len() > limit {
        return Err(TokenError::Malformed);
    }
    let (message, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
    let (header, payload) = message.split_once('.').ok_or(TokenError::Malformed)?;
    if header.len() > MAX_HEADER_BYTES
        || signature.len() != SIGNATURE_CHARS
        || payload.contains('.')
    {
        return Err(TokenError::Malformed);
    }
    let header = read_header(header)?;
    let key = rings.by_kid(&header.kid).ok_or(TokenError::UnknownKey)?;
    let ring = key.ring();
    let profile = profile(ring)
        .filter(|_| allowed.contains(&ring))
        .ok_or(TokenError::WrongKind)?;
    if header.typ != profile.typ {
        return Err(TokenError::Header);
    }
    // The algorithm is the key's, whatever the header says; the header has been held to it above.
    match jsonwebtoken::crypto::verify(
        signature,
        message.as_bytes(),
        key.decoding(),
        Algorithm::HS256,
    ) {
        Ok(true) => {}
        Ok(false) => return Err(TokenError::Signature),
        Err(_) => return Err(TokenError::Malformed),
    }
    let payload = URL_SAFE_NO_PAD
        .decode(payload)
        .map_err(|_| TokenError::Malformed)?;
    check_unique(&payload).map_err(|_| TokenError::Claims)?;
    let registered: Registered =
        serde_json::from_slice(&payload).map_err(|_| TokenError::Claims)?;
    let claims = serde_json::from_slice(&payload).map_err(|_| TokenError::Claims)?;
    check_coherent(&registered, &profile, issuer)?;
    Ok(Opened {
        ring,
        claims,
        in_time: check_time(&registered, now),
    })
}

fn read_header(encoded: &str) -> Result<ReadHeader, TokenError> {
    let bytes = URL_SAFE_NO_PAD
        .decode(encoded)
        .map_err(|_| TokenError::Malformed)?;
    check_unique(&bytes).map_err(|_| TokenError::Header)?;
    let header: ReadHeader = serde_json::from_slice(&bytes).map_err(|_| TokenError::Header)?;
    if header.alg != "HS256" || header.crit || header.b64 {
        return Err(TokenError::Header);
    }
    Ok(header)
}

/// What does not depend on the time.
fn check_coherent(claims: &Registered, profile: &Profile, issuer: &str) -> Result<(), TokenError> {
    let lifetime = claims.exp.checked_sub(claims.iat);
    let coherent = claims.iss == issuer
        && claims.aud == profile.audience
        && !claims.sub.is_empty()
        && claims.iat >= 0
        && claims.nbf >= 0
        && claims.nbf <= claims.exp
        && lifetime.is_some_and(|seconds| (1..=profile.max_lifetime).contains(&seconds));
    if coherent {
        Ok(())
    } else {
        Err(TokenError::Claims)
    }
}

fn check_time(claims: &Registered, now: Micros) -> Result<(), TokenError> {
    let now = now.seconds();
    let latest_begin = now.saturating_add(LEEWAY_SECONDS);
    if claims.nbf > latest_begin || claims.iat > latest_begin {
        return Err(TokenError::NotYetValid);
    }
    if has_ended_by(claims.exp, now) {
        return Err(TokenError::Expired);
    }
    Ok(())
}

/// Whether a token that ends at `expires_at` is over, the leeway included: the one answer for tokens that are verified
/// now and for those that were verified before and are remembered.
#[must_use]
pub fn has_ended(expires_at: Micros, now: Micros) -> bool {
    has_ended_by(expires_at.seconds(), now.seconds())
}

fn has_ended_by(exp: i64, now: i64) -> bool {
    exp <= now.saturating_sub(LEEWAY_SECONDS)
}

/// A token cannot be signed: the rings lack a key, or the claims are not JSON. Neither happens with loaded rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the token could not be signed; check the key file")]
pub struct SignError;

/// Signs claims with the ring's signing key.
pub(super) fn sign<C: Serialize>(
    rings: &KeyRings,
    ring: Ring,
    claims: &C,
) -> Result<String, SignError> {
    let profile = profile(ring).ok_or(SignError)?;
    let key = rings.signer(ring).ok_or(SignError)?;
    let mut header = Header::new(Algorithm::HS256);
    header.typ = Some(profile.typ.to_owned());
    header.kid = Some(key.kid().to_owned());
    jsonwebtoken::encode(&header, claims, key.encoding()).map_err(|_| SignError)
}

/// The encoded header of an offer signed with `kid`: the bytes that [`sign`] would write.
pub(super) fn offer_header(kid: &str) -> Result<String, SignError> {
    let profile = profile(Ring::Offer).ok_or(SignError)?;
    let mut header = Header::new(Algorithm::HS256);
    header.typ = Some(profile.typ.to_owned());
    header.kid = Some(kid.to_owned());
    let json = serde_json::to_vec(&header).map_err(|_| SignError)?;
    Ok(URL_SAFE_NO_PAD.encode(json))
}
