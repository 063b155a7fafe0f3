//! Scopes: where a skill lives and who is offered it.
//!
//! A scope is a typed value with its tenant, never a concatenated string: `actor:7` of tenant A is
//! not `actor:7` of tenant B although both are *written* `actor:7`. The written form therefore
//! parses only beside the tenant that it is meant in.

use std::fmt;

use crate::id::{ActorId, IdError, TenantId};

/// A scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// One actor of a tenant, or of no tenant at all.
    Actor {
        /// The tenant that the actor belongs to.
        tenant: Option<TenantId>,
        /// The actor.
        actor: ActorId,
    },
    /// All of a tenant.
    Tenant(TenantId),
    /// The whole installation.
    Global,
}

/// Why a text is not a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// The text has none of the three forms.
    #[error("a scope is written `actor:<id>`, `tenant:<id>` or `global`")]
    Form,
    /// The id after `actor:` or `tenant:` is not one.
    #[error("the id of this scope is not valid: {0}")]
    Id(#[from] IdError),
}

impl Scope {
    /// Reads the written form of a scope; an actor is one of `tenant`.
    ///
    /// # Errors
    /// [`ScopeError`] when the text is not a scope.
    pub fn parse(text: &str, tenant: Option<&TenantId>) -> Result<Self, ScopeError> {
        if text == "global" {
            return Ok(Self::Global);
        }
        match text.split_once(':') {
            Some(("actor", id)) => Ok(Self::Actor {
                tenant: tenant.cloned(),
                actor: ActorId::parse(id)?,
            }),
            Some(("tenant", id)) => Ok(Self::Tenant(TenantId::parse(id)?)),
            _ => Err(ScopeError::Form),
        }
    }

    /// The scopes of a caller, narrowest first: its actor, its tenant if it has one, global.
    #[must_use]
    pub fn of_caller(actor: Option<&ActorId>, tenant: Option<&TenantId>) -> Vec<Self> {
        let mut scopes = Vec::with_capacity(3);
        if let Some(actor) = actor {
            scopes.push(Self::Actor {
                tenant: tenant.cloned(),
                actor: actor.clone(),
            });
        }
        if let Some(tenant) = tenant {
            scopes.push(Self::Tenant(tenant.clone()));
        }
        scopes.push(Self::Global);
        scopes
    }

    /// The tenant whose rows hold this scope; none for global, whose rows carry the reserved tenant.
    #[must_use]
    pub fn tenant(&self) -> Option<&TenantId> {
        match self {
            Self::Actor { tenant, .. } => tenant.as_ref(),
            Self::Tenant(tenant) => Some(tenant),
            Self::Global => None,
        }
    }

    /// Whether more than one actor sees this scope.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        !matches!(self, Self::Actor { .. })
    }

    /// The word before the colon: `actor`, `tenant` or `global`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Actor { .. } => "actor",
            Self::Tenant(_) => "tenant",
            Self::Global => "global",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Actor { actor, .. } => write!(f, "actor:{actor}"),
            Self::Tenant(tenant) => write!(f, "tenant:{tenant}"),
            Self::Global => f.write_str("global"),
        }
    }
}
