//! Whom an explanation is about.

use std::fmt;

use vestry_policies::{ActorId, AgentId, PrincipalKind, Username};

use crate::identity::Caller;

/// Whom an explanation is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principal {
    /// A human: `human:maria`.
    Human(Username),
    /// An agent and the actor that it acts for: `agent:support-bot@tom`. What is before the first `@` is the agent.
    Agent(AgentId, ActorId),
    /// A service: `service:svc_1`.
    Service(String),
}

/// A text that names no principal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write `human:<username>`, `agent:<agent>@<actor>` or `service:<id>`")]
pub struct PrincipalError;

impl Principal {
    /// Reads one of the three forms.
    ///
    /// # Errors
    /// When the text has none of them.
    pub fn parse(text: &str) -> Result<Self, PrincipalError> {
        let (kind, id) = text.split_once(':').ok_or(PrincipalError)?;
        match kind {
            "human" => Username::parse(id).ok().map(Self::Human),
            "agent" => id.split_once('@').and_then(|(agent, actor)| {
                let agent = AgentId::parse(agent).ok()?;
                Some(Self::Agent(agent, ActorId::parse(actor).ok()?))
            }),
            "service" => AgentId::parse(id)
                .ok()
                .map(|id| Self::Service(id.to_string())),
            _ => None,
        }
        .ok_or(PrincipalError)
    }

    /// The caller.
    #[must_use]
    pub fn of(caller: &Caller) -> Option<Self> {
        match caller.kind() {
            PrincipalKind::Human => caller.username().cloned().map(Self::Human),
            PrincipalKind::Agent => caller
                .agent()
                .zip(caller.actor())
                .map(|(agent, actor)| Self::Agent(agent.clone(), actor.clone())),
            PrincipalKind::Service => caller.service_id().map(|id| Self::Service(id.to_owned())),
        }
    }

    /// Whether both are one. Usernames have no case.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Human(one), Self::Human(other)) => one.folded() == other.folded(),
            (one, other) => one == other,
        }
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human(username) => write!(f, "human:{username}"),
            Self::Agent(agent, actor) => write!(f, "agent:{agent}@{actor}"),
            Self::Service(id) => write!(f, "service:{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Principal;

    #[test]
    fn principals_are_read_as_they_are_written() {
        for text in [
            "human:maria",
            "agent:support-bot@tom",
            "agent:support-bot@tom@acme.example",
            "service:svc_1",
        ] {
            assert_eq!(Principal::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "maria",
            "human:",
            "human:a b",
            "agent:bot",
            "agent:@tom",
            "agent:bot@",
            "robot:x",
        ] {
            assert!(Principal::parse(text).is_err(), "{text}");
        }
    }
}
