//! Minting access tokens.

use std::fmt;

use serde::Serialize;
use vestry_policies::{ActorId, AgentId, Scope, TenantId, Username};

use super::jti::Jti;
use super::jwt::{self, SignError};
use super::keys::{KeyRings, Ring};
use super::token::{ActClaim, AgentClaims, ElvClaim, HumanClaims, MAX_WORD_LEN, is_word};
use crate::clock::Micros;
use crate::entropy::{Entropy, EntropyError};

/// How long a human's access token lives, in seconds.
pub const HUMAN_TTL_SECONDS: i64 = 15 * 60;

/// The longest that an elevation lasts, in seconds.
pub const MAX_ELEVATION_SECONDS: i64 = 15 * 60;

/// How long an agent's token lives when nothing else is asked for, in seconds.
pub const DEFAULT_AGENT_TTL_SECONDS: i64 = 15 * 60;

/// The longest that an agent's token lives, in seconds.
pub const MAX_AGENT_TTL_SECONDS: i64 = 60 * 60;

/// Why a token is not minted.
#[derive(Debug, thiserror::Error)]
pub enum MintError {
    /// The asked lifetime is out of bounds.
    #[error("`ttl_seconds` is 1 to {max}")]
    Ttl {
        /// The longest lifetime, in seconds.
        max: i64,
    },
    /// Elevation is for a shared scope only.
    #[error("an elevation is for `tenant:<id>` or `global`; the own scope needs none")]
    ElevationScope,
    /// A session, service or elevation id is not 1 to 64 of the characters of an id.
    #[error(
        "a session, service or elevation id is 1 to {MAX_WORD_LEN} letters, digits and `. _ : @ + -`"
    )]
    Word,
    /// No key.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// No random bytes.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}

/// A new access token. Its `Debug` hides it.
#[derive(Clone)]
pub struct Minted {
    /// The token.
    pub token: String,
    /// When it ends.
    pub expires_at: Micros,
    /// Its id.
    pub jti: Jti,
}

impl fmt::Debug for Minted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minted")
            .field("jti", &self.jti)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// Whom a human token is for.
#[derive(Debug, Clone)]
pub struct HumanGrant<'a> {
    /// The human.
    pub username: &'a Username,
    /// The tenant that it logged in to, if any.
    pub tenant: Option<&'a TenantId>,
    /// The login.
    pub session_id: &'a str,
    /// The live epoch of the human as an actor of the tenant.
    pub actor_epoch: u32,
}

/// What an elevated token is for.
#[derive(Debug, Clone)]
pub struct ElevatedGrant<'a> {
    /// The human.
    pub human: HumanGrant<'a>,
    /// The elevation's id in the store.
    pub elevation_id: &'a str,
    /// The one scope, a tenant or global.
    pub scope: &'a Scope,
    /// 1 to [`MAX_ELEVATION_SECONDS`].
    pub ttl_seconds: i64,
}

/// Whom an agent token is for.
#[derive(Debug, Clone)]
pub struct AgentGrant<'a> {
    /// The service's tenant.
    pub tenant: &'a TenantId,
    /// The actor that the agent acts for.
    pub actor: &'a ActorId,
    /// The agent.
    pub agent: &'a AgentId,
    /// The service that mints.
    pub service_id: &'a str,
    /// The live epoch of the service's key.
    pub service_epoch: u32,
    /// The live epoch of the actor.
    pub actor_epoch: u32,
    /// 1 to [`MAX_AGENT_TTL_SECONDS`].
    pub ttl_seconds: i64,
}

/// What every mint needs.
pub(super) struct Mint<'a> {
    pub(super) rings: &'a KeyRings,
    pub(super) issuer: &'a str,
    pub(super) now: Micros,
    pub(super) entropy: &'a dyn Entropy,
}

impl Mint<'_> {
    pub(super) fn human(&self, grant: &HumanGrant<'_>) -> Result<Minted, MintError> {
        self.any_human(Ring::Human, grant, None, HUMAN_TTL_SECONDS)
    }

    pub(super) fn elevated(&self, grant: &ElevatedGrant<'_>) -> Result<Minted, MintError> {
        if !grant.scope.is_shared() {
            return Err(MintError::ElevationScope);
        }
        check_ttl(grant.ttl_seconds, MAX_ELEVATION_SECONDS)?;
        let elv = ElvClaim {
            id: word(grant.elevation_id)?,
            scope: grant.scope.to_string(),
        };
        self.any_human(Ring::Elevated, &grant.human, Some(elv), grant.ttl_seconds)
    }

    fn any_human(
        &self,
        ring: Ring,
        grant: &HumanGrant<'_>,
        elv: Option<ElvClaim>,
        ttl_seconds: i64,
    ) -> Result<Minted, MintError> {
        let jti = Jti::generate(self.entropy)?;
        let iat = self.now.seconds();
        let claims = HumanClaims {
            iss: self.issuer.to_owned(),
            aud: jwt::audience(ring).to_owned(),
            sub: grant.username.clone(),
            iat,
            nbf: iat,
            exp: iat.saturating_add(ttl_seconds),
            jti: jti.to_string(),
            tenant: grant.tenant.cloned(),
            sid: word(grant.session_id)?,
            aep: grant.actor_epoch,
            elv,
        };
        self.signed(ring, &claims, claims.exp, jti)
    }

    pub(super) fn agent(&self, grant: &AgentGrant<'_>) -> Result<Minted, MintError> {
        check_ttl(grant.ttl_seconds, MAX_AGENT_TTL_SECONDS)?;
        let jti = Jti::generate(self.entropy)?;
        let iat = self.now.seconds();
        let claims = AgentClaims {
            iss: self.issuer.to_owned(),
            aud: jwt::audience(Ring::Agent).to_owned(),
            sub: grant.actor.clone(),
            act: ActClaim {
                sub: grant.agent.clone(),
            },
            iat,
            nbf: iat,
            exp: iat.saturating_add(grant.ttl_seconds),
            jti: jti.to_string(),
            tenant: grant.tenant.clone(),
            svc: word(grant.service_id)?,
            sep: grant.service_epoch,
            aep: grant.actor_epoch,
        };
        self.signed(Ring::Agent, &claims, claims.exp, jti)
    }

    fn signed<C: Serialize>(
        &self,
        ring: Ring,
        claims: &C,
        exp: i64,
        jti: Jti,
    ) -> Result<Minted, MintError> {
        Ok(Minted {
            token: jwt::sign(self.rings, ring, claims)?,
            expires_at: Micros(0).plus_seconds(exp),
            jti,
        })
    }
}

fn check_ttl(seconds: i64, max: i64) -> Result<(), MintError> {
    if (1..=max).contains(&seconds) {
        Ok(())
    } else {
        Err(MintError::Ttl { max })
    }
}

fn word(text: &str) -> Result<String, MintError> {
    is_word(text)
        .then(|| text.to_owned())
        .ok_or(MintError::Word)
}
