//! The routes of identity.

use serde_json::json;
use vestry_policies::{Action, Target, Verdict};

use super::super::cast::{Player, Session, Shown};
use super::Asked;
use super::probe::{Cell, Kind, Probes, Request};
use super::skills::{RELATIONS, scope_of, scope_text};
use crate::harness::PASSWORD;

pub(super) const ROUTES: &[Asked] = &[
    ("POST", "/v1/elevate"),
    ("POST", "/v1/token"),
    ("GET", "/v1/me"),
    ("POST", "/v1/keys"),
    ("GET", "/v1/keys"),
    ("DELETE", "/v1/keys/{id}"),
    ("POST", "/v1/logout"),
    ("DELETE", "/v1/elevate"),
];

fn cell(route: Asked, column: &'static str, action: Action, kind: Kind) -> Cell {
    Cell {
        route,
        column,
        state: "",
        action,
        target: Target::Server,
        status: None,
        proposal: None,
        kind,
    }
}

pub(super) async fn probe(probes: &mut Probes<'_>) {
    for index in 0..probes.cast.players.len() {
        let player = probes.cast.players[index].clone();
        for column in RELATIONS.iter().chain(&["absent tenant"]) {
            let text = scope_text(&player, column);
            let mut cell = cell(ROUTES[0], column, Action::Elevate, Kind::Write);
            cell.target = Target::Scope(scope_of(&player, &text));
            let body = json!({"scope": text, "password": PASSWORD, "reason": "a test"});
            probes
                .ask(index, &cell, Request::new("/v1/elevate").body(body))
                .await;
        }
        token(probes, index, &player).await;
        let me = cell(ROUTES[2], "itself", Action::ReadIdentity, Kind::Plain);
        probes.ask(index, &me, Request::new("/v1/me")).await;
        keys(probes, index, &player).await;
    }
}

/// A token is minted for the caller's own tenant: no request names another.
async fn token(probes: &mut Probes<'_>, index: usize, player: &Player) {
    let own = player.seat.as_ref().and_then(|seat| seat.tenant());
    for (column, actor) in [
        ("a member", "tom"),
        ("an external actor", "cust-4711"),
        ("an actor elsewhere", "gus"),
        ("a removed member", "rob"),
    ] {
        let mut cell = cell(ROUTES[1], column, Action::MintToken, Kind::Plain);
        cell.target = own.cloned().map_or(Target::Server, Target::Tenant);
        let body = json!({"actor": {"id": actor}, "agent": "bot"});
        probes
            .ask(index, &cell, Request::new("/v1/token").body(body))
            .await;
    }
}

async fn keys(probes: &mut Probes<'_>, index: usize, player: &Player) {
    let create = cell(ROUTES[3], "own", Action::ManageOwnKeys, Kind::Write);
    let body = json!({"name": "matrix"});
    let made = probes
        .ask(index, &create, Request::new("/v1/keys").body(body))
        .await;
    let list = cell(ROUTES[4], "own", Action::ManageOwnKeys, Kind::Plain);
    probes.ask(index, &list, Request::new("/v1/keys")).await;
    // A human who may not revoke with this credential is shown one of its own, made by its session.
    let owner = match player.actor {
        "cust-4711" => "pavel",
        "rob" => "tom",
        actor => actor,
    };
    let own = match made.body["id"].as_str() {
        Some(id) => id.to_owned(),
        None => {
            let human = probes.cast.people.human(owner).await;
            let made = human
                .post("/v1/keys", json!({"name": "own"}))
                .await
                .expect(201);
            made.text("id")
        }
    };
    let pavel = probes.cast.people.human("pavel").await;
    let others = pavel
        .post("/v1/keys", json!({"name": "another's"}))
        .await
        .expect(201);
    for (column, id) in [
        ("own", own.clone()),
        ("another's", others.text("id")),
        ("absent", "key_absent".to_owned()),
    ] {
        let cell = cell(ROUTES[5], column, Action::ManageOwnKeys, Kind::Write);
        let path = format!("/v1/keys/{id}");
        let response = probes.ask(index, &cell, Request::new(path)).await;
        let allowed = matches!(probes.verdict(player, &cell), Some(Verdict::Allow(_)));
        if allowed && (response.status == 204) != (column == "own") {
            probes.fault(index, &cell, &format!("HTTP {}", response.status));
        }
    }
    // Nobody keeps more keys than twenty.
    pavel
        .delete(&format!("/v1/keys/{}", others.text("id")))
        .await
        .expect(204);
    if made.body["id"].is_null() {
        let human = probes.cast.people.human(owner).await;
        human.delete(&format!("/v1/keys/{own}")).await.expect(204);
    }
}

/// What ends a session or an elevation gets one of its own to end.
pub(super) async fn probe_endings(probes: &mut Probes<'_>) {
    for (route, column) in [(ROUTES[6], "its session"), (ROUTES[7], "its elevation")] {
        for index in 0..probes.cast.players.len() {
            let mut player = probes.cast.players[index].clone();
            let mut cell = cell(route, column, Action::EndSession, Kind::Write);
            if let Some(session) = player.session {
                // The session of an elevation that has ended is shared: another one is ended in its place.
                let elevation = match session.elevation {
                    Shown::Expired(_) => Shown::None,
                    elevation => elevation,
                };
                player.client = probes
                    .cast
                    .log_in(Session {
                        elevation,
                        ..session
                    })
                    .await;
                let has = matches!(elevation, Shown::For(_) | Shown::Demoted(_));
                if route == ROUTES[7] && !has {
                    // Stepping down without an elevation changes nothing, and says so by nothing but its success.
                    cell.kind = Kind::Plain;
                }
            }
            probes
                .ask_as(index, player, &cell, Request::new(route.1))
                .await;
        }
    }
}
