//! Builders and configuration that the laws share.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::test_runner::{Config, RngSeed};
use vestry_policies::resolve::{Cap, Catalog, Query, resolve};
use vestry_policies::{ActorId, Digest, Mode, Scope, SkillName, Status, Summary, TenantId};

/// How many cases a property runs, and from which seed.
pub(crate) fn config() -> Config {
    Config {
        cases: number("VESTRY_CASES").unwrap_or(2_000),
        rng_seed: RngSeed::Fixed(number("VESTRY_SEED").unwrap_or(1).into()),
        failure_persistence: None,
        ..Config::default()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test runner has no configuration of its own to ask"
)]
fn number(variable: &str) -> Option<u32> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("a whole number"))
}

pub(crate) fn name(text: &str) -> SkillName {
    SkillName::parse(text).expect("a valid name")
}

pub(crate) fn tenant_id(text: &str) -> TenantId {
    TenantId::parse(text).expect("a valid tenant")
}

pub(crate) fn actor_id(text: &str) -> ActorId {
    ActorId::parse(text).expect("a valid actor")
}

/// `actor:<id>` of a tenant.
pub(crate) fn actor(id: &str, tenant: &str) -> Scope {
    Scope::Actor {
        tenant: Some(tenant_id(tenant)),
        actor: actor_id(id),
    }
}

pub(crate) fn tenant(id: &str) -> Scope {
    Scope::Tenant(tenant_id(id))
}

/// An active skill of the first source.
pub(crate) fn summary(scope: &Scope, skill: &str) -> Summary {
    Summary {
        name: name(skill),
        scope: scope.clone(),
        description: Arc::from(format!("{skill} of {scope}")),
        revision: 1,
        digest: Digest([0; 32]),
        sealed: false,
        templated: false,
        mode: Mode::Triggered,
        status: Status::Active,
        roles: Arc::from([]),
        source: 0,
    }
}

pub(crate) fn skill(scope: &Scope, skill: &str) -> Arc<Summary> {
    Arc::new(summary(scope, skill))
}

pub(crate) fn sealed(scope: &Scope, skill: &str) -> Arc<Summary> {
    Arc::new(Summary {
        sealed: true,
        ..summary(scope, skill)
    })
}

pub(crate) fn cap(value: i64) -> Cap {
    Cap::new(value, vestry_policies::resolve::MAX_CAP).expect("a valid cap")
}

/// Resolves for a caller without a role, whose tenant hides nothing.
pub(crate) fn plain(skills: &[Arc<Summary>], scopes: &[Scope], cap: Cap) -> Catalog {
    let query = Query {
        scopes,
        cap,
        role: None,
        hidden: &BTreeSet::new(),
    };
    resolve(skills, &query)
}

pub(crate) fn names(catalog: &Catalog) -> Vec<&str> {
    catalog
        .entries
        .iter()
        .map(|entry| entry.summary.name.as_str())
        .collect()
}
