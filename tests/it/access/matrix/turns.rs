//! What agents and humans do every turn.

use serde_json::json;
use vestry_policies::{Action, Target, Verdict};

use super::Asked;
use super::probe::{Cell, Kind, Probes, Request};
use crate::api::files::{bundle, publish};
use crate::harness::context;

pub(super) const ROUTES: &[Asked] = &[
    ("POST", "/v1/catalog"),
    ("POST", "/v1/load"),
    ("POST", "/v1/load/file"),
    ("POST", "/v1/openings"),
    ("POST", "/v1/prompts/resolve"),
];

pub(super) async fn probe(probes: &mut Probes<'_>) {
    let root = probes.cast.people.root.clone();
    for name in ["offered", "offered-then-recalled"] {
        let files = json!([{"path": "a", "text": "a"}]);
        publish(&root, "global", name, bundle(name, files))
            .await
            .expect(201);
    }
    let stranger = probes.cast.people.human("pavel").await;
    let foreign = stranger.turn("stranger").await.expect(200).text("offer");
    let mut offers = Vec::new();
    for index in 0..probes.cast.players.len() {
        let cell = Cell {
            route: ROUTES[0],
            column: "own turn",
            state: "",
            action: Action::TakeCatalog,
            target: Target::Server,
            status: None,
            proposal: None,
            kind: Kind::Plain,
        };
        let body = json!({"turn": format!("turn-{index}"), "cap": 200});
        let answer = probes
            .ask(index, &cell, Request::new("/v1/catalog").body(body))
            .await;
        offers.push(answer.body["offer"].as_str().map(ToOwned::to_owned));
    }
    for index in 0..probes.cast.players.len() {
        let cell = Cell {
            route: ROUTES[3],
            column: "own turn",
            state: "",
            action: Action::OpenRun,
            target: Target::Server,
            status: None,
            proposal: None,
            kind: Kind::Plain,
        };
        let body = json!({"turn": format!("turn-{index}"), "role": "support", "context": context("task-start")});
        probes
            .ask(index, &cell, Request::new("/v1/openings").body(body))
            .await;
    }
    for index in 0..probes.cast.players.len() {
        let cell = Cell {
            route: ROUTES[4],
            column: "own launch",
            state: "",
            action: Action::OpenRun,
            target: Target::Server,
            status: None,
            proposal: None,
            kind: Kind::Plain,
        };
        let body = json!({"workflow": "bugfix", "role": "review"});
        probes
            .ask(index, &cell, Request::new("/v1/prompts/resolve").body(body))
            .await;
    }
    root.verb("global", "offered-then-recalled", "revoke")
        .await
        .expect(200);
    for (index, own_offer) in offers.iter().enumerate() {
        let player = probes.cast.players[index].clone();
        let columns = [
            ("own offer", "offered", true),
            ("own offer, recalled since", "offered-then-recalled", true),
            ("own offer, not in it", "payroll", true),
            ("another's offer", "offered", false),
        ];
        let both = [ROUTES[1], ROUTES[2]];
        for (route, (column, name, own)) in both
            .into_iter()
            .flat_map(|route| columns.map(|column| (route, column)))
        {
            let cell = Cell {
                route,
                column,
                state: "",
                action: Action::LoadSkill,
                target: Target::Server,
                status: None,
                proposal: None,
                kind: Kind::Plain,
            };
            let offer = match own_offer {
                Some(offer) if own => offer.clone(),
                _ => foreign.clone(),
            };
            let mut body = json!({"offer": offer, "name": name});
            if route == ROUTES[2] {
                body["path"] = "a".into();
            }
            let response = probes
                .ask(index, &cell, Request::new(route.1).body(body))
                .await;
            if matches!(probes.verdict(&player, &cell), Some(Verdict::Allow(_))) {
                let expected = match column {
                    "own offer" => (200, ""),
                    "own offer, recalled since" => (410, "skill-recalled"),
                    "own offer, not in it" => (404, "skill-not-offered"),
                    _ => (401, "offer-invalid"),
                };
                if (response.status.as_u16(), response.code()) != expected {
                    probes.fault(index, &cell, &format!("HTTP {}", response.status));
                }
            }
        }
    }
}
