//! What can happen, and how a run of it is made up.

use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::Index;

/// The names of skills; few, so that scopes collide.
pub(super) const NAMES: [&str; 5] = ["alpha", "beta", "gamma", "kappa", "omega"];
/// How many texts a skill may have; few, so that digests come again.
const TEXTS: u8 = 4;
/// Everyone who acts; see [`super::cast::CAST`].
pub(super) const CALLERS: usize = 10;

/// Where, seen from the one who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Own,
    Tenant,
    Global,
    OtherActor,
    OtherTenant,
}

/// What a write demands of what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pre {
    None,
    /// What fits what is there.
    Fit,
    Absent,
    Any,
    Current,
    Stale,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Disable,
    Enable,
    Quarantine,
    Release,
    Revoke,
    Seal,
    Unseal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Member,
    Publisher,
    Auditor,
}

/// Who writes where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) who: usize,
    pub(super) at: At,
    /// Whether someone who may write there is sent instead.
    pub(super) fit: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Op {
    Publish {
        place: Place,
        name: usize,
        text: u8,
        pre: Pre,
    },
    Rollback {
        place: Place,
        name: usize,
        to: u32,
        pre: Pre,
        key: Option<u8>,
    },
    Verb {
        place: Place,
        name: usize,
        verb: Verb,
        revision: Option<u32>,
        pre: Pre,
        key: Option<u8>,
    },
    Archive {
        place: Place,
        name: usize,
        pre: Pre,
    },
    Hide {
        who: usize,
        tenant: usize,
        name: usize,
        show: bool,
        key: Option<u8>,
    },
    Recall {
        place: Place,
        name: usize,
        text: u8,
    },
    /// What becomes of the membership of `tom`.
    Member {
        tenant: usize,
        role: Option<Role>,
    },
    /// The tenant's service is revoked, and another made.
    RevokeService {
        tenant: usize,
    },
    /// `tom` steps up.
    Elevate {
        tenant: usize,
    },
    /// Someone gets a new token although the old one is good.
    Renew {
        who: usize,
    },
    Turn {
        who: usize,
        turn: Option<u8>,
        cap: Option<u8>,
        budget: Option<u16>,
    },
    Load {
        who: usize,
        offer: Index,
        /// Whether the offer's own caller loads.
        own: bool,
        name: usize,
    },
    /// A request with an idempotency key comes again, with the same payload or with another.
    Repeat {
        which: Index,
        same: bool,
    },
    Advance {
        seconds: i64,
    },
}

fn place() -> impl Strategy<Value = Place> {
    let at = prop_oneof![
        5 => Just(At::Own),
        5 => Just(At::Tenant),
        5 => Just(At::Global),
        1 => Just(At::OtherActor),
        1 => Just(At::OtherTenant),
    ];
    (0..CALLERS, at, prop::bool::weighted(0.8)).prop_map(|(who, at, fit)| Place { who, at, fit })
}

fn name() -> std::ops::Range<usize> {
    0..NAMES.len()
}

fn pre() -> impl Strategy<Value = Pre> {
    prop_oneof![
        12 => Just(Pre::Fit),
        2 => Just(Pre::Current),
        1 => Just(Pre::Absent),
        2 => Just(Pre::Any),
        1 => Just(Pre::Stale),
        1 => Just(Pre::None),
    ]
}

fn loose() -> impl Strategy<Value = Pre> {
    prop_oneof![6 => Just(Pre::None), 2 => Just(Pre::Current), 1 => Just(Pre::Any), 1 => Just(Pre::Stale)]
}

fn key() -> impl Strategy<Value = Option<u8>> {
    weighted(0.5, 0..2_u8)
}

fn op() -> impl Strategy<Value = Op> {
    let verb = prop_oneof![
        1 => Just(Verb::Disable),
        1 => Just(Verb::Enable),
        2 => Just(Verb::Quarantine),
        1 => Just(Verb::Release),
        1 => Just(Verb::Revoke),
        2 => Just(Verb::Seal),
        1 => Just(Verb::Unseal),
    ];
    let role = prop_oneof![
        2 => Just(None),
        1 => Just(Some(Role::Member)),
        2 => Just(Some(Role::Publisher)),
        1 => Just(Some(Role::Auditor)),
    ];
    prop_oneof![
        20 => (place(), name(), 0..TEXTS, pre())
            .prop_map(|(place, name, text, pre)| Op::Publish { place, name, text, pre }),
        4 => (place(), name(), 1..4_u32, loose(), key())
            .prop_map(|(place, name, to, pre, key)| Op::Rollback { place, name, to, pre, key }),
        14 => (place(), name(), verb, weighted(0.3, 1..4_u32), loose(), key()).prop_map(
            |(place, name, verb, revision, pre, key)| Op::Verb { place, name, verb, revision, pre, key }
        ),
        4 => (place(), name(), loose())
            .prop_map(|(place, name, pre)| Op::Archive { place, name, pre }),
        4 => (0..CALLERS, 0..2_usize, name(), any::<bool>(), key())
            .prop_map(|(who, tenant, name, show, key)| Op::Hide { who, tenant, name, show, key }),
        2 => (place(), name(), 0..TEXTS).prop_map(|(place, name, text)| Op::Recall { place, name, text }),
        4 => (0..2_usize, role).prop_map(|(tenant, role)| Op::Member { tenant, role }),
        1 => (0..2_usize).prop_map(|tenant| Op::RevokeService { tenant }),
        3 => (0..2_usize).prop_map(|tenant| Op::Elevate { tenant }),
        2 => (0..CALLERS).prop_map(|who| Op::Renew { who }),
        14 => (0..CALLERS, weighted(0.7, 0..3_u8), weighted(0.5, 1..5_u8), weighted(0.2, 1..400_u16))
            .prop_map(|(who, turn, cap, budget)| Op::Turn { who, turn, cap, budget }),
        14 => (0..CALLERS, any::<Index>(), prop::bool::weighted(0.75), name())
            .prop_map(|(who, offer, own, name)| Op::Load { who, offer, own, name }),
        4 => (any::<Index>(), prop::bool::weighted(0.6))
            .prop_map(|(which, same)| Op::Repeat { which, same }),
        3 => prop_oneof![4 => Just(61), 2 => Just(407), 2 => Just(911), 1 => Just(90_000)]
            .prop_map(|seconds| Op::Advance { seconds }),
    ]
}

/// A run of so many operations.
pub(super) fn run(length: usize) -> impl Strategy<Value = Vec<Op>> {
    prop::collection::vec(op(), length / 3..=length)
}
