//! The cells of the matrix: every caller, action and target that differ in what a rule looks at.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use vestry_policies::review::{Author, NamePattern};
use vestry_policies::{
    Action, AgentOwnScope, Credential, DistinctHuman, Elevation, Facts, Principal, PrincipalKind,
    Proposal, Role, Room, Scope, Settings, Severity, Standing, Status, Target, TenantId, Username,
};

use crate::support::{actor, actor_id, name, tenant, tenant_id};

pub(crate) const NOW: i64 = 1_000;

pub(crate) const KINDS: [PrincipalKind; 3] = [
    PrincipalKind::Human,
    PrincipalKind::Agent,
    PrincipalKind::Service,
];
pub(crate) const CREDENTIALS: [Credential; 3] =
    [Credential::Session, Credential::ApiKey, Credential::Minted];
pub(crate) const ROLES: [Option<Role>; 4] = [
    None,
    Some(Role::Member),
    Some(Role::Publisher),
    Some(Role::Auditor),
];
pub(crate) const SETTINGS: [AgentOwnScope; 3] = [
    AgentOwnScope::Allow,
    AgentOwnScope::Review,
    AgentOwnScope::Deny,
];
pub(crate) const STATUSES: [Option<Status>; 6] = [
    None,
    Some(Status::Active),
    Some(Status::Disabled),
    Some(Status::Quarantined),
    Some(Status::Revoked),
    Some(Status::Archived),
];
pub(crate) const ROOMS: [Option<Room>; 3] = [
    None,
    Some(Room { used: 4, limit: 5 }),
    Some(Room { used: 5, limit: 5 }),
];

pub(crate) const FINDINGS: [Option<Severity>; 3] =
    [None, Some(Severity::Medium), Some(Severity::High)];

pub(crate) fn username(text: &str) -> Username {
    Username::parse(text).expect("a valid username")
}

/// Settings that differ in what they say of agents' own scopes, and of names and findings that are reviewed.
pub(crate) fn write_settings() -> Vec<Settings> {
    let mut all = SETTINGS
        .map(|agent_own_scope| Settings {
            agent_own_scope,
            ..Settings::default()
        })
        .to_vec();
    all.push(Settings {
        review_names: Arc::from([NamePattern::parse("refund-*").expect("a pattern")]),
        ..Settings::default()
    });
    all.push(Settings {
        review_severity: Some(Severity::High),
        ..Settings::default()
    });
    all
}

/// Settings that differ in what they say of approvals.
pub(crate) fn review_settings() -> Vec<Settings> {
    let with = |approvers: &[&str], distinct_human| Settings {
        agent_own_scope: AgentOwnScope::Deny,
        approvers: approvers.iter().map(|text| username(text)).collect(),
        distinct_human,
        ..Settings::default()
    };
    vec![
        with(&[], DistinctHuman::Auto),
        with(&["U1"], DistinctHuman::Auto),
        with(&["pat"], DistinctHuman::Auto),
        with(&[], DistinctHuman::Always),
    ]
}

pub(crate) fn agent(id: &str, acts_for: &str, home: &str) -> Author {
    Author {
        kind: PrincipalKind::Agent,
        name: Arc::from(id),
        tenant: Some(tenant_id(home)),
        acts_for: Some(actor_id(acts_for)),
    }
}

pub(crate) fn human(name: &str, home: Option<&str>) -> Author {
    Author {
        kind: PrincipalKind::Human,
        name: Arc::from(name),
        tenant: home.map(tenant_id),
        acts_for: None,
    }
}

/// Proposals that differ in who wrote them and in who else could approve.
pub(crate) fn proposals() -> Vec<Option<Proposal>> {
    let of = |authors: Vec<Author>, publishers: &[&str]| {
        Some(Proposal {
            authors,
            publishers: publishers.iter().map(|text| username(text)).collect(),
        })
    };
    vec![
        None,
        of(vec![agent("bot", "u1", "acme")], &["u1", "pat"]),
        of(vec![agent("bot", "u1", "acme")], &["u1"]),
        of(vec![agent("bot", "u2", "acme")], &["u1"]),
        of(vec![human("U1", Some("acme"))], &["u1", "pat"]),
        of(vec![human("zoe", None)], &["u1", "pat"]),
        of(
            vec![agent("other", "u1", "acme"), human("u1", Some("acme"))],
            &["u1"],
        ),
        of(
            vec![agent("bot", "u1", "acme"), human("pat", None)],
            &["u1", "pat"],
        ),
    ]
}

/// Is about a proposal, and not about making one.
pub(crate) fn is_about_a_proposal(action: Action) -> bool {
    action.as_str().ends_with("-proposal")
}

pub(crate) fn elevations() -> Vec<Option<Elevation>> {
    let until = |scope: Scope, expires_at| Some(Elevation { scope, expires_at });
    vec![
        None,
        until(tenant("acme"), NOW + 1),
        until(Scope::Global, NOW + 1),
        until(tenant("rival"), NOW + 1),
        until(actor("u1", "acme"), NOW + 1),
        until(tenant("acme"), NOW),
        until(Scope::Global, NOW - 1),
    ]
}

/// A tenant and the scopes of a caller.
pub(crate) fn homes() -> Vec<(Option<TenantId>, Vec<Scope>)> {
    let (u1, acme, rival) = (actor_id("u1"), tenant_id("acme"), tenant_id("rival"));
    vec![
        (Some(acme.clone()), Scope::of_caller(Some(&u1), Some(&acme))),
        (
            Some(rival.clone()),
            Scope::of_caller(Some(&u1), Some(&rival)),
        ),
        (None, Scope::of_caller(Some(&u1), None)),
        (Some(acme.clone()), Scope::of_caller(None, Some(&acme))),
        (Some(acme), Vec::new()),
    ]
}

pub(crate) fn targets() -> Vec<Target> {
    let mut targets = vec![
        Target::Server,
        Target::Tenant(tenant_id("acme")),
        Target::Tenant(tenant_id("rival")),
    ];
    let no_tenant = Scope::Actor {
        tenant: None,
        actor: actor_id("u1"),
    };
    let scopes = [
        actor("u1", "acme"),
        actor("u2", "acme"),
        actor("u1", "rival"),
        no_tenant,
        tenant("acme"),
        tenant("rival"),
        Scope::Global,
    ];
    targets.extend(scopes.map(Target::Scope));
    targets
}

/// Changes the content of a scope.
pub(crate) fn changes_content(action: Action) -> bool {
    let words = action.as_str().split_once('-');
    let verbs = [
        "publish",
        "rollback",
        "archive",
        "disable",
        "enable",
        "quarantine",
        "release",
        "revoke",
        "seal",
        "unseal",
        "hide",
        "show",
    ];
    words.is_some_and(|(verb, noun)| {
        (noun == "skill" && verbs.contains(&verb)) || action == Action::AttachSkills
    })
}

/// What a caller of this kind is called.
pub(crate) fn name_of(kind: PrincipalKind) -> &'static str {
    match kind {
        PrincipalKind::Human => "u1",
        PrincipalKind::Agent => "bot",
        PrincipalKind::Service => "svc",
    }
}

/// Calls `visit` with every caller of a kind, without status, setting or room.
fn each_caller(kind: PrincipalKind, visit: &mut impl FnMut(&mut Facts)) {
    for (tenant, scopes) in homes() {
        for credential in CREDENTIALS {
            for acts_for in [None, Some(actor_id("u1"))] {
                for role in ROLES {
                    for global_admin in [false, true] {
                        for elevation in elevations() {
                            visit(&mut Facts {
                                principal: Principal {
                                    kind,
                                    name: Arc::from(name_of(kind)),
                                    credential,
                                    tenant: tenant.clone(),
                                    acts_for: acts_for.clone(),
                                    scopes: scopes.clone(),
                                },
                                standing: Standing { global_admin, role },
                                elevation,
                                now: NOW,
                                settings: Settings::default(),
                                status: None,
                                name: None,
                                worst_finding: None,
                                proposal: None,
                                room: None,
                            });
                        }
                    }
                }
            }
        }
    }
}

/// Calls `visit` with every action and target, and what those can depend on besides the caller.
fn each_request(
    facts: &mut Facts,
    targets: &[Target],
    visit: &mut impl FnMut(Action, &Target, &Facts),
) {
    let (write, review, proposals) = (write_settings(), review_settings(), proposals());
    for &action in Action::ALL {
        // Elsewhere one tight and one loose world show that these facts make no difference.
        let (statuses, settings, rooms) = if changes_content(action) {
            (&STATUSES[4..5], &write[..], &ROOMS[..])
        } else if action == Action::ReadBody {
            (&STATUSES[..], &write[2..3], &ROOMS[2..])
        } else if action == Action::DecideProposal {
            (&STATUSES[4..5], &review[..], &ROOMS[1..])
        } else if is_about_a_proposal(action) {
            (&STATUSES[4..5], &review[2..3], &ROOMS[2..])
        } else {
            (&STATUSES[3..5], &write[2..3], &ROOMS[2..])
        };
        let proposals = if is_about_a_proposal(action) {
            &proposals[..]
        } else {
            &proposals[..1]
        };
        let publishes = matches!(action, Action::PublishSkill | Action::RollbackSkill);
        let findings = if publishes {
            &FINDINGS[..]
        } else {
            &FINDINGS[2..]
        };
        facts.name = changes_content(action).then(|| name("refund-policy"));
        for target in targets {
            for &status in statuses {
                for settings in settings {
                    for &room in rooms {
                        for proposal in proposals {
                            for &worst_finding in findings {
                                facts.status = status;
                                facts.settings.clone_from(settings);
                                facts.room = room;
                                facts.proposal.clone_from(proposal);
                                facts.worst_finding = worst_finding;
                                visit(action, target, facts);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Runs `check` over the whole matrix, a thread a kind of principal, and collects what it gives.
pub(crate) fn whole_matrix<T: Ord + Send>(
    check: impl Fn(Action, &Target, &Facts) -> T + Sync,
) -> (usize, BTreeSet<T>) {
    let targets = targets();
    thread::scope(|scope| {
        let halves = KINDS.map(|kind| {
            let (check, targets) = (&check, &targets);
            scope.spawn(move || {
                let (mut cells, mut seen) = (0, BTreeSet::new());
                each_caller(kind, &mut |facts| {
                    each_request(facts, targets, &mut |action, target, facts| {
                        cells += 1;
                        seen.insert(check(action, target, facts));
                    });
                });
                (cells, seen)
            })
        });
        halves
            .into_iter()
            .map(|half| half.join().expect("the check holds"))
            .fold((0, BTreeSet::new()), |(cells, mut all), (more, seen)| {
                all.extend(seen);
                (cells + more, all)
            })
    })
}
