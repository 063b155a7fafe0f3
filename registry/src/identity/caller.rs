//! Who calls. A [`Caller`] is made from a verified token or a verified key and from nothing else, so that a
//! function which takes one needs no further proof of who it is.

use std::sync::Arc;

use vestry_policies::{
    ActorId, AgentId, Credential, Principal, PrincipalKind, Scope, TenantId, Username,
};

use super::api_key::{KeyKind, VerifiedKey};
use super::bind::Bind;
use super::jti::Jti;
use crate::clock::Micros;

/// The elevation that a token claims. Whether it was revoked is for the store to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElevationClaim {
    /// The elevation's id in the store.
    pub id: Arc<str>,
    /// The one scope that it holds for.
    pub scope: Scope,
    /// When it ends: with its token, and without leeway.
    pub expires_at: Micros,
}

/// An authenticated caller. Cheap to clone, and made by verifying only:
///
/// ```
/// use vestry::identity::{Caller, Identity};
/// fn caller(identity: &Identity, token: &str) -> Option<Caller> {
///     identity.verify_access(token).ok()
/// }
/// ```
/// ```compile_fail,E0423
/// use vestry::identity::{Caller, Identity};
/// fn caller(identity: &Identity, token: &str) -> Option<Caller> {
///     identity.verify_access(token).ok().map(|caller| Caller(caller.0))
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Caller(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    kind: PrincipalKind,
    credential: Credential,
    tenant: Option<TenantId>,
    actor: Option<ActorId>,
    username: Option<Username>,
    agent: Option<AgentId>,
    service_id: Option<Arc<str>>,
    session_id: Option<Arc<str>>,
    key_id: Option<Arc<str>>,
    elevation: Option<ElevationClaim>,
    actor_epoch: Option<u32>,
    service_epoch: Option<u32>,
    jti: Option<Jti>,
    expires_at: Option<Micros>,
    scopes: Arc<[Scope]>,
    principal_text: String,
    /// The same without the kind.
    name: Arc<str>,
    bind: Bind,
}

/// What a verified human token says.
pub(super) struct HumanFacts {
    pub(super) username: Username,
    pub(super) tenant: Option<TenantId>,
    pub(super) session_id: Arc<str>,
    pub(super) actor_epoch: u32,
    pub(super) elevation: Option<ElevationClaim>,
    pub(super) jti: Jti,
    pub(super) expires_at: Micros,
}

/// What a verified agent token says.
pub(super) struct AgentFacts {
    pub(super) tenant: TenantId,
    pub(super) actor: ActorId,
    pub(super) agent: AgentId,
    pub(super) service_id: Arc<str>,
    pub(super) service_epoch: u32,
    pub(super) actor_epoch: u32,
    pub(super) jti: Jti,
    pub(super) expires_at: Micros,
}

impl Inner {
    /// A human without anything that its credential decides.
    fn human(username: Username, tenant: Option<TenantId>, credential: Credential) -> Self {
        // A human's actor is its username in its tenant; without a tenant there is no actor to write as.
        let actor = tenant.as_ref().map(|_| ActorId::from(&username));
        Self {
            kind: PrincipalKind::Human,
            credential,
            scopes: Scope::of_caller(actor.as_ref(), tenant.as_ref()).into(),
            principal_text: format!("human:{username}"),
            name: Arc::from(username.as_str()),
            bind: Bind::of(
                "human",
                tenant.as_ref().map(TenantId::as_str),
                username.as_str(),
                None,
            ),
            tenant,
            actor,
            username: Some(username),
            agent: None,
            service_id: None,
            session_id: None,
            key_id: None,
            elevation: None,
            actor_epoch: None,
            service_epoch: None,
            jti: None,
            expires_at: None,
        }
    }
}

impl Caller {
    pub(super) fn from_human(facts: HumanFacts) -> Self {
        let human = Inner::human(facts.username, facts.tenant, Credential::Session);
        Self(Arc::new(Inner {
            session_id: Some(facts.session_id),
            elevation: facts.elevation,
            actor_epoch: Some(facts.actor_epoch),
            jti: Some(facts.jti),
            expires_at: Some(facts.expires_at),
            ..human
        }))
    }

    pub(super) fn from_agent(facts: AgentFacts) -> Self {
        Self(Arc::new(Inner {
            kind: PrincipalKind::Agent,
            credential: Credential::Minted,
            scopes: Scope::of_caller(Some(&facts.actor), Some(&facts.tenant)).into(),
            principal_text: format!("agent:{}", facts.agent),
            name: Arc::from(facts.agent.as_str()),
            bind: Bind::of(
                "agent",
                Some(facts.tenant.as_str()),
                facts.actor.as_str(),
                Some(facts.agent.as_str()),
            ),
            tenant: Some(facts.tenant),
            actor: Some(facts.actor),
            username: None,
            agent: Some(facts.agent),
            service_id: Some(facts.service_id),
            session_id: None,
            key_id: None,
            elevation: None,
            actor_epoch: Some(facts.actor_epoch),
            service_epoch: Some(facts.service_epoch),
            jti: Some(facts.jti),
            expires_at: Some(facts.expires_at),
        }))
    }

    /// The human whose API key was presented, as its record says. Never elevated. None when the key is a service's.
    #[must_use]
    pub fn from_user_key(
        key: &VerifiedKey,
        username: Username,
        tenant: Option<TenantId>,
        key_id: &str,
        actor_epoch: u32,
    ) -> Option<Self> {
        let human = Inner::human(username, tenant, Credential::ApiKey);
        (key.kind() == KeyKind::User).then(|| {
            Self(Arc::new(Inner {
                key_id: Some(Arc::from(key_id)),
                actor_epoch: Some(actor_epoch),
                ..human
            }))
        })
    }

    /// The service whose API key was presented, as its record says. None when the key is a human's.
    #[must_use]
    pub fn from_service_key(
        key: &VerifiedKey,
        service_id: &str,
        tenant: TenantId,
        service_epoch: u32,
    ) -> Option<Self> {
        (key.kind() == KeyKind::Service).then(|| {
            Self(Arc::new(Inner {
                kind: PrincipalKind::Service,
                credential: Credential::ApiKey,
                scopes: Scope::of_caller(None, Some(&tenant)).into(),
                principal_text: format!("service:{service_id}"),
                name: Arc::from(service_id),
                bind: Bind::of("service", Some(tenant.as_str()), service_id, None),
                tenant: Some(tenant),
                actor: None,
                username: None,
                agent: None,
                service_id: Some(Arc::from(service_id)),
                session_id: None,
                key_id: None,
                elevation: None,
                actor_epoch: None,
                service_epoch: Some(service_epoch),
                jti: None,
                expires_at: None,
            }))
        })
    }

    /// What kind of principal it is; from the ring or the record of the key that signed.
    #[must_use]
    pub fn kind(&self) -> PrincipalKind {
        self.0.kind
    }

    /// What it showed.
    #[must_use]
    pub fn credential(&self) -> Credential {
        self.0.credential
    }

    /// Its tenant; none for a human without one.
    #[must_use]
    pub fn tenant(&self) -> Option<&TenantId> {
        self.0.tenant.as_ref()
    }

    /// Whose skills are its own: a human's username in its tenant, an agent's actor; none for a service and for
    /// a human without a tenant.
    #[must_use]
    pub fn actor(&self) -> Option<&ActorId> {
        self.0.actor.as_ref()
    }

    /// A human's name.
    #[must_use]
    pub fn username(&self) -> Option<&Username> {
        self.0.username.as_ref()
    }

    /// An agent's id.
    #[must_use]
    pub fn agent(&self) -> Option<&AgentId> {
        self.0.agent.as_ref()
    }

    /// The service itself, or the one that minted an agent's token.
    #[must_use]
    pub fn service_id(&self) -> Option<&str> {
        self.0.service_id.as_deref()
    }

    /// The login that a human's token comes from.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.0.session_id.as_deref()
    }

    /// The id of the API key that a human showed.
    #[must_use]
    pub fn key_id(&self) -> Option<&str> {
        self.0.key_id.as_deref()
    }

    /// A human's step up, if it shows one.
    #[must_use]
    pub fn elevation(&self) -> Option<&ElevationClaim> {
        self.0.elevation.as_ref()
    }

    /// The actor's epoch when the token was made, to compare with the live one; none for a service.
    #[must_use]
    pub fn actor_epoch(&self) -> Option<u32> {
        self.0.actor_epoch
    }

    /// The service's epoch when the token was made, to compare with the live one; none for a human.
    #[must_use]
    pub fn service_epoch(&self) -> Option<u32> {
        self.0.service_epoch
    }

    /// The token's id; none for an API key.
    #[must_use]
    pub fn jti(&self) -> Option<Jti> {
        self.0.jti
    }

    /// What names the credential that was shown: the token's id, or the id of a human's API key; none for a service's key.
    #[must_use]
    pub fn credential_id(&self) -> Option<String> {
        match (self.jti(), self.key_id()) {
            (Some(jti), _) => Some(format!("token:{jti}")),
            (None, Some(key)) => Some(format!("key:{key}")),
            (None, None) => None,
        }
    }

    /// When the token ends; none for an API key, whose end is in its record.
    #[must_use]
    pub fn expires_at(&self) -> Option<Micros> {
        self.0.expires_at
    }

    /// Its scopes, narrowest first.
    #[must_use]
    pub fn scopes(&self) -> &[Scope] {
        &self.0.scopes
    }

    /// The same, to be kept: a catalog is known by them.
    #[must_use]
    pub fn shared_scopes(&self) -> Arc<[Scope]> {
        Arc::clone(&self.0.scopes)
    }

    /// Who it is, for audit and logs: `human:alice`, `agent:support-bot`, `service:svc_1`.
    #[must_use]
    pub fn principal_text(&self) -> &str {
        &self.0.principal_text
    }

    /// The actor that it acts for, when it does not act as itself: always there for agents, never for others.
    #[must_use]
    pub fn acts_for(&self) -> Option<&ActorId> {
        self.actor().filter(|_| self.kind() == PrincipalKind::Agent)
    }

    /// What offers to it are bound to.
    #[must_use]
    pub fn bind(&self) -> Bind {
        self.0.bind
    }

    /// It as the rules see it.
    #[must_use]
    pub fn principal(&self) -> Principal {
        Principal {
            kind: self.kind(),
            name: Arc::clone(&self.0.name),
            credential: self.credential(),
            tenant: self.tenant().cloned(),
            acts_for: self.acts_for().cloned(),
            scopes: self.scopes().to_vec(),
        }
    }
}
