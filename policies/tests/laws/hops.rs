//! Invariants 1 and 5: what a decision depends on, and in which direction.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::sync::Arc;

use vestry_policies::review::NamePattern;
use vestry_policies::{
    Action, Credential, DistinctHuman, Elevation, Facts, Principal, Role, Room, Settings, Severity,
    Standing, Target, decide,
};

use crate::cells::{
    CREDENTIALS, KINDS, NOW, ROLES, ROOMS, SETTINGS, STATUSES, elevations, homes, name_of,
    proposals, review_settings, targets, username, write_settings,
};
use crate::matrix::strength;
use crate::support::{actor_id, config, name};

fn facts() -> impl Strategy<Value = Facts> {
    let who = (
        select(&KINDS[..]),
        select(&CREDENTIALS[..]),
        select(homes()),
        select(vec![None, Some(actor_id("u1")), Some(actor_id("u2"))]),
    );
    let world = (
        select(&ROLES[..]),
        any::<bool>(),
        select(elevations()),
        select([write_settings(), review_settings()].concat()),
        select(&STATUSES[..]),
        select(&ROOMS[..]),
        select(proposals()),
        select(vec![None, Some(name("refund-policy")), Some(name("gifts"))]),
        select(vec![
            None,
            Some(Severity::Low),
            Some(Severity::High),
            Some(Severity::Critical),
        ]),
    );
    (who, world).prop_map(
        |(
            (kind, credential, (tenant, scopes), acts_for),
            (role, global_admin, elevation, settings, status, room, proposal, name, worst_finding),
        )| Facts {
            principal: Principal {
                kind,
                name: Arc::from(name_of(kind)),
                credential,
                tenant,
                acts_for,
                scopes,
            },
            standing: Standing { global_admin, role },
            elevation,
            now: NOW,
            settings,
            status,
            name,
            worst_finding,
            proposal,
            room,
        },
    )
}

/// The facts with one thing less to show, or one more hop between the human and the call.
fn weakened(facts: &Facts, scope: Index) -> Vec<(&'static str, Facts)> {
    let with = |what, change: &dyn Fn(&mut Facts)| {
        let mut weaker = facts.clone();
        change(&mut weaker);
        (what, weaker)
    };
    let mut all = vec![
        with("a hop more", &|f| {
            f.principal.acts_for = Some(actor_id("u1"))
        }),
        with("a hop to another actor", &|f| {
            f.principal.acts_for = Some(actor_id("u2"))
        }),
        with("no elevation", &|f| f.elevation = None),
        with("the elevation has expired", &|f| {
            f.elevation = f.elevation.take().map(|old| Elevation {
                expires_at: NOW,
                ..old
            });
        }),
        with("later", &|f| f.now += 1),
        with("no role", &|f| f.standing.role = None),
        with("no administrator", &|f| f.standing.global_admin = false),
        with("a minted token", &|f| {
            f.principal.credential = Credential::Minted
        }),
        with("no tenant", &|f| f.principal.tenant = None),
        with("no scopes", &|f| f.principal.scopes.clear()),
        with("a full quota", &|f| {
            f.room = Some(Room { used: 9, limit: 9 })
        }),
    ];
    // A service's key is its credential: only for humans is it less than a session.
    if facts.principal.credential == Credential::Session && facts.principal.kind == KINDS[0] {
        all.push(with("a key", &|f| {
            f.principal.credential = Credential::ApiKey
        }));
    }
    if facts.standing.role.is_some() {
        all.push(with("a member", &|f| f.standing.role = Some(Role::Member)));
    }
    if !facts.principal.scopes.is_empty() {
        let position = scope.index(facts.principal.scopes.len());
        all.push(with("a scope less", &|f| {
            f.principal.scopes.remove(position);
        }));
    }
    all
}

/// The same settings, each with one more thing that is asked for.
fn tightened(settings: &Settings) -> Vec<(&'static str, Settings)> {
    let with = |what, change: &dyn Fn(&mut Settings)| {
        let mut stricter = settings.clone();
        change(&mut stricter);
        (what, stricter)
    };
    let only = |keep: &'static str| {
        let names = move |s: &mut Settings| {
            let allowed = s.approvers.is_empty() || s.approvers.iter().any(|n| n.folded() == keep);
            // Nobody is called this: a list of nobody else is not the empty list, which names everyone.
            let left = if allowed { keep } else { "nobody" };
            s.approvers = Arc::from([username(left)]);
        };
        with("fewer approvers", &names)
    };
    vec![
        with("always another human", &|s| {
            s.distinct_human = DistinctHuman::Always;
        }),
        with("more approvals", &|s| s.required_approvals += 1),
        with("all names reviewed", &|s| {
            s.review_names = Arc::from([NamePattern::All]);
        }),
        with("one name more reviewed", &|s| {
            let gifts = NamePattern::parse("gifts").expect("a pattern");
            s.review_names = s.review_names.iter().cloned().chain([gifts]).collect();
        }),
        with("findings reviewed", &|s| {
            s.review_severity = s.review_severity.or(Some(Severity::Critical));
        }),
        with("lesser findings reviewed", &|s| {
            s.review_severity = Some(match s.review_severity {
                None | Some(Severity::Critical) => Severity::High,
                Some(Severity::High) => Severity::Medium,
                Some(Severity::Medium | Severity::Low) => Severity::Low,
            });
        }),
        only("u1"),
        only("pat"),
    ]
}

fn requests() -> Vec<(Action, Target)> {
    let pair = |target: Target| {
        Action::ALL
            .iter()
            .map(move |action| (*action, target.clone()))
    };
    targets().into_iter().flat_map(pair).collect()
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: config().cases.div_ceil(20).max(200), ..config() })]

    /// Invariant 5, and "later never adds" for elevations. Every case is every action at every target.
    #[test]
    fn taking_away_never_adds_a_permission(facts in facts(), scope in any::<Index>()) {
        let weaker = weakened(&facts, scope);
        for (action, target) in requests() {
            let before = strength(decide(action, &target, &facts));
            for (what, weaker) in &weaker {
                let after = strength(decide(action, &target, weaker));
                prop_assert!(after <= before, "{what} adds {} {target:?}", action.as_str());
            }
        }
    }

    /// Invariant 1: a stricter setting permits nothing that a looser one does not.
    #[test]
    fn settings_only_tighten(facts in facts()) {
        for (action, target) in requests() {
            let under = |settings: Settings| {
                strength(decide(action, &target, &Facts { settings, ..facts.clone() }))
            };
            let powers = SETTINGS.map(|agent_own_scope| {
                under(Settings { agent_own_scope, ..facts.settings.clone() })
            });
            prop_assert!(powers.is_sorted_by(|looser, stricter| looser >= stricter), "{} {target:?}", action.as_str());
            let now = strength(decide(action, &target, &facts));
            for (what, settings) in tightened(&facts.settings) {
                prop_assert!(under(settings) <= now, "{what} adds {} {target:?}", action.as_str());
            }
        }
    }

    /// Invariant 1: the same question has the same answer, and asking changes nothing.
    #[test]
    fn decisions_are_pure(facts in facts()) {
        let before = facts.clone();
        for (action, target) in requests() {
            prop_assert_eq!(decide(action, &target, &facts), decide(action, &target, &facts));
        }
        prop_assert_eq!(before, facts);
    }
}
