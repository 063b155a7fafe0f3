//! Everyone who acts, and where they are.

use super::model::Spot;
use super::ops::At;

/// The two tenants. They have actors with the same ids.
pub(super) const TENANTS: [&str; 2] = ["acme", "globex"];

/// One who acts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Actor {
    pub(super) tenant: Option<usize>,
    pub(super) actor: Option<&'static str>,
    /// The agent that acts; none for humans.
    pub(super) agent: Option<&'static str>,
    /// The human who acts; none for agents.
    pub(super) user: Option<&'static str>,
    /// Whether it steps up with every login.
    pub(super) steps_up: bool,
}

const fn human(tenant: usize, user: &'static str, steps_up: bool) -> Actor {
    Actor {
        tenant: Some(tenant),
        actor: Some(user),
        agent: None,
        user: Some(user),
        steps_up,
    }
}

const fn agent(tenant: usize, actor: &'static str, agent: &'static str) -> Actor {
    Actor {
        tenant: Some(tenant),
        actor: Some(actor),
        agent: Some(agent),
        user: None,
        steps_up: false,
    }
}

pub(super) const ROOT: usize = 0;
/// The human whose membership changes, by tenant.
pub(super) const TOM: [usize; 2] = [3, 4];

pub(super) const CAST: [Actor; super::ops::CALLERS] = [
    Actor {
        tenant: None,
        actor: None,
        agent: None,
        user: Some("root"),
        steps_up: true,
    },
    human(0, "paula", true),
    human(1, "petra", true),
    human(0, "tom", false),
    human(1, "tom", false),
    agent(0, "tom", "bot"),
    agent(0, "x1", "bot"),
    agent(0, "x1", "bot2"),
    agent(1, "tom", "bot"),
    agent(1, "x1", "bot"),
];

impl Actor {
    /// As the audit log and idempotency know it.
    pub(super) fn principal(&self) -> String {
        match (self.agent, self.user) {
            (Some(agent), _) => format!("agent:{agent}"),
            (None, user) => format!("human:{}", user.unwrap()),
        }
    }

    pub(super) fn is_tom(&self) -> bool {
        self.actor == Some("tom")
    }

    /// The scopes, narrowest first.
    pub(super) fn spots(&self) -> Vec<Spot> {
        let mut spots = Vec::new();
        if let Some(tenant) = self.tenant {
            spots.push(Spot::Actor(tenant, self.actor.unwrap()));
            spots.push(Spot::Tenant(tenant));
        }
        spots.push(Spot::Global);
        spots
    }

    /// The place that it means.
    pub(super) fn spot(&self, at: At) -> Spot {
        let Some(tenant) = self.tenant else {
            return match at {
                At::Tenant => Spot::Tenant(0),
                At::OtherTenant => Spot::Tenant(1),
                At::Own | At::Global | At::OtherActor => Spot::Global,
            };
        };
        match at {
            At::Own => Spot::Actor(tenant, self.actor.unwrap()),
            At::Tenant => Spot::Tenant(tenant),
            At::Global => Spot::Global,
            At::OtherActor => Spot::Actor(tenant, "stranger"),
            At::OtherTenant => Spot::Tenant(1 - tenant),
        }
    }
}
