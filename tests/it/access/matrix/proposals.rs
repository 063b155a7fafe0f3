//! The routes of proposals.

use hyper::Method;
use serde_json::{Value, json};
use vestry_policies::review::Author;
use vestry_policies::{Action, ActorId, PrincipalKind, Proposal, Scope, Target, Username, Verdict};

use super::super::cast::{HOME, Player, tenant};
use super::Asked;
use super::probe::{Cell, Kind, Probes, Request};
use super::skills::{RELATIONS, scope_of, scope_text};
use crate::api::proposals::{approval, proposal, set};
use crate::harness::{Client, content};

const ONE: &str = "/v1/proposals/{id}";

pub(super) const ROUTES: &[Asked] = &[
    ("POST", "/v1/proposals"),
    ("GET", "/v1/proposals"),
    ("GET", ONE),
    ("PUT", ONE),
    ("GET", "/v1/proposals/{id}/file"),
    ("POST", "/v1/proposals/{id}/decision"),
    ("POST", "/v1/proposals/{id}/comments"),
    ("POST", "/v1/proposals/{id}/withdraw"),
    ("POST", "/v1/proposals/{id}/rebase"),
];

/// Who proposed what the cells are about, and for which scope: the columns.
const MADE: &[(&str, Maker, &str)] = &[
    (
        "the tenant's, by a member's agent",
        Maker::AgentOf("tom"),
        "tenant:acme",
    ),
    (
        "the tenant's, by a publisher's agent",
        Maker::AgentOf("maria"),
        "tenant:acme",
    ),
    (
        "the tenant's, by a publisher",
        Maker::Human("maria"),
        "tenant:acme",
    ),
    (
        "global's, by a member's agent",
        Maker::AgentOf("tom"),
        "global",
    ),
];

#[derive(Clone, Copy)]
enum Maker {
    AgentOf(&'static str),
    Human(&'static str),
}

/// Those who make the proposals, each with the author that the rules see.
struct Makers(Vec<(Client, Author)>);

impl Makers {
    async fn new(probes: &mut Probes<'_>) -> Self {
        let mut makers = Vec::new();
        for (_, maker, _) in MADE {
            makers.push(match maker {
                Maker::AgentOf(human) => {
                    let agent = probes
                        .cast
                        .players
                        .iter()
                        .find(|player| {
                            player.actor == *human
                                && player.label.starts_with("agent for")
                                && player.seat.is_some()
                        })
                        .unwrap();
                    let author = Author {
                        kind: PrincipalKind::Agent,
                        name: "support-bot".into(),
                        tenant: Some(tenant(HOME)),
                        acts_for: Some(ActorId::parse(human).unwrap()),
                    };
                    (agent.client.clone(), author)
                }
                Maker::Human(human) => {
                    let client = probes.cast.people.human_in(human, HOME).await;
                    let author = Author {
                        kind: PrincipalKind::Human,
                        name: (*human).into(),
                        tenant: Some(tenant(HOME)),
                        acts_for: None,
                    };
                    (client, author)
                }
            });
        }
        Self(makers)
    }

    /// A proposal of one column: its page as its maker got it.
    async fn make(&self, column: usize, name: &str) -> Value {
        let mut body = proposal(MADE[column].2, name, name);
        body["files"] = json!([{"path": "a", "text": "a"}]);
        let client = &self.0[column].0;
        client.post("/v1/proposals", body).await.expect(201).body
    }

    fn facts(&self, column: usize) -> Proposal {
        let publishers = if MADE[column].2 == "global" {
            ["root", "boss"]
        } else {
            ["maria", "pavel"]
        };
        Proposal {
            authors: vec![self.0[column].1.clone()],
            publishers: publishers
                .iter()
                .map(|name| Username::parse(name).unwrap())
                .collect(),
        }
    }
}

fn cell(route: Asked, column: &'static str, action: Action, target: Target, kind: Kind) -> Cell {
    Cell {
        route,
        column,
        state: "",
        action,
        target,
        status: None,
        proposal: None,
        kind,
    }
}

pub(super) async fn probe(probes: &mut Probes<'_>) {
    set(
        &probes.cast.people,
        HOME,
        json!({"max_open_proposals": 10_000}),
    )
    .await;
    making(probes).await;
    listing(probes).await;
    let makers = Makers::new(probes).await;
    let mut standing = Vec::new();
    for column in 0..MADE.len() {
        standing.push(makers.make(column, &format!("standing-{column}")).await);
    }
    for (route, action) in [
        (ROUTES[2], Action::ReadProposal),
        (ROUTES[4], Action::ReadProposal),
        (ROUTES[6], Action::CommentProposal),
        (ROUTES[3], Action::EditProposal),
        (ROUTES[5], Action::DecideProposal),
        (ROUTES[7], Action::WithdrawProposal),
        (ROUTES[8], Action::RebaseProposal),
    ] {
        about(probes, &makers, &standing, route, action).await;
    }
}

async fn making(probes: &mut Probes<'_>) {
    for index in 0..probes.cast.players.len() {
        let player = probes.cast.players[index].clone();
        for column in RELATIONS {
            let text = scope_text(&player, column);
            let target = Target::Scope(scope_of(&player, &text));
            let cell = cell(ROUTES[0], column, Action::ProposeSkill, target, Kind::Write);
            let name = format!("proposed-{}", probes.fresh());
            let request = Request::new(ROUTES[0].1).body(proposal(&text, &name, &name));
            probes.ask(index, &cell, request).await;
        }
    }
}

async fn listing(probes: &mut Probes<'_>) {
    for index in 0..probes.cast.players.len() {
        let cell = cell(
            ROUTES[1],
            "those that it may read",
            Action::ReadProposal,
            Target::Server,
            Kind::Plain,
        );
        probes.ask(index, &cell, Request::new(ROUTES[1].1)).await;
    }
}

/// What is done to a proposal: to one of its own where it succeeds and changes something.
async fn about(
    probes: &mut Probes<'_>,
    makers: &Makers,
    standing: &[Value],
    route: Asked,
    action: Action,
) {
    for index in 0..probes.cast.players.len() {
        let player: Player = probes.cast.players[index].clone();
        let is_agent = player
            .seat
            .as_ref()
            .is_some_and(|seat| seat.principal.kind == PrincipalKind::Agent);
        for (column, (heading, _, scope)) in MADE.iter().enumerate() {
            // An agent that may know of a proposal is told that its files are for humans.
            if route == ROUTES[4] && is_agent {
                continue;
            }
            let target = Target::Scope(Scope::parse(scope, Some(&tenant(HOME))).unwrap());
            let mut cell = cell(route, heading, action, target, Kind::Hidden);
            cell.proposal = Some(makers.facts(column));
            let allowed = matches!(probes.verdict(&player, &cell), Some(Verdict::Allow(_)));
            let uses_up = !matches!(action, Action::ReadProposal | Action::CommentProposal);
            let made = if allowed && uses_up {
                let name = format!("made-{}", probes.fresh());
                makers.make(column, &name).await
            } else {
                standing[column].clone()
            };
            if allowed && action == Action::RebaseProposal {
                move_base(probes, scope, made["name"].as_str().unwrap()).await;
            }
            let path = route.1.replace("{id}", made["id"].as_str().unwrap());
            let request = match action {
                Action::ReadProposal if route == ROUTES[4] => {
                    Request::new(format!("{path}?path=a"))
                }
                Action::ReadProposal => Request::new(path),
                Action::CommentProposal => Request::new(path).body(json!({"text": "a test"})),
                Action::EditProposal => {
                    let text = format!("edited {}", probes.fresh());
                    Request::new(path).body(content(&text))
                }
                Action::DecideProposal => Request::new(path).body(approval(&made)),
                _ => Request::new(path).body(json!({})),
            };
            let answer = probes.ask(index, &cell, request).await;
            if allowed && !answer.status.is_success() {
                probes.fault(
                    index,
                    &cell,
                    &format!("HTTP {} {}", answer.status, answer.body),
                );
            }
        }
    }
}

/// Publishes something under the name of a proposal, beside it.
async fn move_base(probes: &Probes<'_>, scope: &str, name: &str) {
    let people = &probes.cast.people;
    let publisher = if scope == "global" {
        people.root.clone()
    } else {
        people.elevated("pavel", scope).await
    };
    let path = format!("/v1/skills/{scope}/{name}");
    let new = [("if-none-match", "*")];
    publisher
        .send(Method::PUT, &path, &new, Some(content("beside it")))
        .await
        .expect(201);
}
