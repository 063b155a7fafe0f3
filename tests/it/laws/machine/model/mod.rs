//! The naive model: what the design says, written as plainly as possible, without a look at how the server does it.

mod verdict;
mod views;
mod writes;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::cast::TENANTS;
use super::ops::{NAMES, Role, Verb};

/// A scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Spot {
    Global,
    Tenant(usize),
    Actor(usize, &'static str),
}

impl Spot {
    pub(super) fn text(self) -> String {
        match self {
            Self::Global => "global".to_owned(),
            Self::Tenant(tenant) => format!("tenant:{}", TENANTS[tenant]),
            Self::Actor(_, actor) => format!("actor:{actor}"),
        }
    }

    /// Whose audit chain it belongs to: a tenant's, or the global one.
    pub(super) fn chain(self) -> usize {
        match self {
            Self::Global => 2,
            Self::Tenant(tenant) | Self::Actor(tenant, _) => tenant,
        }
    }

    fn is_shared(self) -> bool {
        !matches!(self, Self::Actor(..))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recall {
    None,
    Quarantined,
    Revoked,
}

#[derive(Debug, Clone)]
pub(super) struct Revision {
    pub(super) text: u8,
    pub(super) digest: String,
    pub(super) recall: Recall,
    pub(super) author: String,
    pub(super) acts_for: Option<&'static str>,
    pub(super) rolled_back_to: Option<u32>,
}

#[derive(Debug, Clone)]
pub(super) struct Skill {
    /// Revision n is at n − 1.
    pub(super) revisions: Vec<Revision>,
    pub(super) archived: bool,
    pub(super) disabled: bool,
    pub(super) sealed: bool,
    /// What it overrode when it was written: where, which revision, which digest.
    pub(super) against: Option<Upstream>,
}

/// A skill that another one overrides.
pub(super) type Upstream = (Spot, usize, String);

impl Skill {
    fn current(&self) -> &Revision {
        self.revisions.last().unwrap()
    }

    fn status(&self) -> &'static str {
        if self.archived {
            return "archived";
        }
        match self.current().recall {
            Recall::Revoked => "revoked",
            Recall::Quarantined => "quarantined",
            Recall::None if self.disabled => "disabled",
            Recall::None => "active",
        }
    }
}

/// What a request must be answered with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expected {
    Ok(u16, Value),
    Problem(u16, &'static str),
    Refused(&'static str),
}

/// A catalog, before it is cut.
#[derive(Debug, Clone, Default)]
pub(super) struct Resolved {
    pub(super) entries: Vec<(Value, Pin)>,
    pub(super) blocked: Vec<Value>,
    pub(super) sealed: usize,
}

/// What an offer pins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pin {
    pub(super) spot: Spot,
    pub(super) name: usize,
    pub(super) number: u32,
    pub(super) shadows: Vec<Spot>,
}

/// What a token stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ground {
    pub(super) epoch: u32,
    pub(super) service: u32,
    pub(super) elevated: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Remembered {
    pub(super) payload: String,
    pub(super) answer: Value,
    pub(super) at: i64,
}

/// Tenant or none, principal, route, key.
pub(super) type IdempotencyKey = (Option<usize>, String, String, u8);

#[derive(Debug, Default)]
pub(super) struct Model {
    /// Seconds since the start.
    pub(super) now: i64,
    pub(super) skills: BTreeMap<(Spot, usize), Skill>,
    pub(super) hidden: BTreeSet<(usize, usize)>,
    pub(super) toms: [Option<Role>; 2],
    pub(super) epochs: [u32; 2],
    pub(super) services: [u32; 2],
    /// The digest of a name with a text.
    pub(super) digests: BTreeMap<(usize, u8), String>,
    pub(super) remembered: BTreeMap<IdempotencyKey, Remembered>,
    /// Principal, action, target; by chain.
    pub(super) audit: [Vec<(String, String, String)>; 3],
    /// Principal, action, target, rule; by chain of the refused one.
    pub(super) refusals: [BTreeMap<(String, String, String, String), u64>; 3],
}

pub(super) fn description(name: usize, text: u8) -> String {
    format!("Use when {} {text} comes up.", NAMES[name])
}

pub(super) fn body(name: usize, text: u8) -> String {
    format!("Do {} in way {text}.\n", NAMES[name])
}

/// The most skills that may be sealed at a scope.
pub(super) const SEALED: u64 = 2;

pub(super) fn verb_text(verb: Verb) -> &'static str {
    match verb {
        Verb::Disable => "disable",
        Verb::Enable => "enable",
        Verb::Quarantine => "quarantine",
        Verb::Release => "release",
        Verb::Revoke => "revoke",
        Verb::Seal => "seal",
        Verb::Unseal => "unseal",
    }
}
