//! Random worlds of skills and the questions asked of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use vestry_policies::resolve::{Cap, Query};
use vestry_policies::{ActorId, Digest, Mode, Scope, SkillName, Status, Summary};

use crate::support::{actor, cap, name, tenant};

/// An owned [`Query`].
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) cap: Cap,
    pub(crate) role: Option<String>,
    pub(crate) hidden: BTreeSet<SkillName>,
}

impl Question {
    pub(crate) fn query(&self) -> Query<'_> {
        Query {
            scopes: &self.scopes,
            cap: self.cap,
            role: self.role.as_deref(),
            hidden: &self.hidden,
        }
    }
}

fn all_scopes() -> Vec<Scope> {
    vec![
        actor("u1", "acme"),
        tenant("acme"),
        Scope::Global,
        // The same words as above, and other scopes nevertheless.
        actor("u1", "rival"),
        Scope::Actor {
            tenant: None,
            actor: ActorId::parse("u1").expect("a valid actor"),
        },
        tenant("rival"),
    ]
}

/// Few names, so that they meet; or many, so that more are omitted than are named.
fn pool() -> impl Strategy<Value = Vec<SkillName>> {
    prop_oneof![
        4 => Just(["a", "a-b", "aa", "b", "10", "9", "z"].map(name).to_vec()),
        1 => Just((0..150).map(|n| name(&format!("n{n}"))).collect::<Vec<_>>()),
    ]
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![
        12 => Just(Status::Active),
        1 => select(vec![Status::Disabled, Status::Quarantined, Status::Revoked, Status::Archived]),
    ]
}

fn roles() -> impl Strategy<Value = Arc<[Arc<str>]>> {
    prop_oneof![
        6 => Just(Vec::new()),
        1 => subsequence(vec!["support", "sales"], 1..=2),
    ]
    .prop_map(|roles| roles.into_iter().map(Arc::from).collect())
}

fn row(pool: Vec<SkillName>) -> impl Strategy<Value = Arc<Summary>> {
    let place = (select(pool), select(all_scopes()));
    let version = (1_u32..3, 0_u8..3, 0_u16..3, select(vec!["one", "two"]));
    let flags = (
        prop::bool::weighted(0.15),
        any::<bool>(),
        prop::bool::weighted(0.95),
    );
    (place, version, flags, status(), roles()).prop_map(
        |(
            (name, scope),
            (revision, digest, source, text),
            (sealed, templated, triggered),
            status,
            roles,
        )| {
            Arc::new(Summary {
                name,
                scope,
                description: Arc::from(text),
                revision,
                digest: Digest([digest; 32]),
                sealed,
                templated,
                mode: if triggered {
                    Mode::Triggered
                } else {
                    Mode::Ambient
                },
                status,
                roles,
                source,
            })
        },
    )
}

fn scopes() -> impl Strategy<Value = Vec<Scope>> {
    prop_oneof![
        3 => Just(vec![actor("u1", "acme"), tenant("acme"), Scope::Global]),
        1 => Just(vec![tenant("acme"), Scope::Global]),
        // Any order, any length, repetitions included.
        2 => vec(select(all_scopes()), 0..7),
    ]
}

/// Skills in no order, and a question.
pub(crate) fn world() -> impl Strategy<Value = (Vec<Arc<Summary>>, Question)> {
    pool().prop_flat_map(|pool| {
        let rows = if pool.len() < 20 { 0..40 } else { 0..300 };
        let cap = prop_oneof![
            (1_i64..10).prop_map(cap),
            Just(Cap::default()),
            Just(Cap::UNLIMITED)
        ];
        let role = select(vec![None, Some("support"), Some("sales"), Some("other")]);
        let question = (scopes(), cap, role, btree_set(select(pool.clone()), 0..4)).prop_map(
            |(scopes, cap, role, hidden)| Question {
                scopes,
                cap,
                role: role.map(str::to_owned),
                hidden,
            },
        );
        (vec(row(pool), rows), question)
    })
}
