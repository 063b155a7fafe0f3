//! Access tokens: their claims, and making [`Caller`]s of them. `mint` writes what this reads.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use vestry_policies::{ActorId, AgentId, Scope, TenantId, Username};

use super::caller::{AgentFacts, Caller, ElevationClaim, HumanFacts};
use super::jti::Jti;
use super::jwt::{self, TokenError};
use super::keys::{KeyRings, Ring};
use crate::clock::Micros;

/// The most characters of a session, service or elevation id.
pub const MAX_WORD_LEN: usize = 64;

/// The claims of a human's token; `elv` in the elevated ring only.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HumanClaims {
    pub(super) iss: String,
    pub(super) aud: String,
    pub(super) sub: Username,
    pub(super) iat: i64,
    pub(super) nbf: i64,
    pub(super) exp: i64,
    pub(super) jti: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tenant: Option<TenantId>,
    pub(super) sid: String,
    pub(super) aep: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) elv: Option<ElvClaim>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ElvClaim {
    pub(super) id: String,
    pub(super) scope: String,
}

/// The claims of an agent's token (RFC 8693 §4.1 for `act`; it is required, and it does not nest).
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentClaims {
    pub(super) iss: String,
    pub(super) aud: String,
    pub(super) sub: ActorId,
    pub(super) act: ActClaim,
    pub(super) iat: i64,
    pub(super) nbf: i64,
    pub(super) exp: i64,
    pub(super) jti: String,
    pub(super) tenant: TenantId,
    pub(super) svc: String,
    pub(super) sep: u32,
    pub(super) aep: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActClaim {
    pub(super) sub: AgentId,
}

/// Verifies an access token of any kind.
pub(super) fn read(
    token: &str,
    rings: &KeyRings,
    issuer: &str,
    now: Micros,
) -> Result<Caller, TokenError> {
    /// Which claims a token has is decided by its ring, so reading waits until the ring is known.
    type Raw = Box<serde_json::value::Value>;
    let allowed = [Ring::Human, Ring::Elevated, Ring::Agent];
    let (ring, raw): (Ring, Raw) = jwt::verify(token, rings, &allowed, issuer, now)?;
    match ring {
        Ring::Human | Ring::Elevated => human(ring, parse(*raw)?),
        Ring::Agent => agent(parse(*raw)?),
        Ring::Offer | Ring::Cursor => Err(TokenError::WrongKind),
    }
}

fn parse<C: serde::de::DeserializeOwned>(raw: serde_json::Value) -> Result<C, TokenError> {
    serde_json::from_value(raw).map_err(|_| TokenError::Claims)
}

fn human(ring: Ring, claims: HumanClaims) -> Result<Caller, TokenError> {
    let expires_at = Micros(0).plus_seconds(claims.exp);
    let elevation = match (ring, claims.elv) {
        (Ring::Human, None) => None,
        (Ring::Elevated, Some(elv)) => {
            let scope = Scope::parse(&elv.scope, claims.tenant.as_ref())
                .ok()
                .filter(Scope::is_shared)
                .ok_or(TokenError::Claims)?;
            Some(ElevationClaim {
                id: claimed_word(&elv.id)?,
                scope,
                expires_at,
            })
        }
        _ => return Err(TokenError::Claims),
    };
    Ok(Caller::from_human(HumanFacts {
        username: claims.sub,
        tenant: claims.tenant,
        session_id: claimed_word(&claims.sid)?,
        actor_epoch: claims.aep,
        elevation,
        jti: Jti::parse(&claims.jti).ok_or(TokenError::Claims)?,
        expires_at,
    }))
}

fn agent(claims: AgentClaims) -> Result<Caller, TokenError> {
    Ok(Caller::from_agent(AgentFacts {
        tenant: claims.tenant,
        actor: claims.sub,
        agent: claims.act.sub,
        service_id: claimed_word(&claims.svc)?,
        service_epoch: claims.sep,
        actor_epoch: claims.aep,
        jti: Jti::parse(&claims.jti).ok_or(TokenError::Claims)?,
        expires_at: Micros(0).plus_seconds(claims.exp),
    }))
}

pub(super) fn is_word(text: &str) -> bool {
    (1..=MAX_WORD_LEN).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._:@+-".contains(&b))
}

fn claimed_word(text: &str) -> Result<Arc<str>, TokenError> {
    is_word(text)
        .then(|| Arc::from(text))
        .ok_or(TokenError::Claims)
}
