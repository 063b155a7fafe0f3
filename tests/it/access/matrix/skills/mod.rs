//! The routes of skills.

mod reads;

use std::pin::Pin;

use serde_json::json;
use vestry_policies::{Action, Scope, Status, Target, Verdict};

use super::super::cast::{ABSENT, HOME, OTHER, Player, Shown};
use reads::{listing, reads, reports};

use super::Asked;
use super::probe::{Cell, Job, Kind, Probes, Request};
use crate::api::files::{bundle, hex, publish};
use crate::harness::{Client, content, login};

const SKILL: &str = "/v1/skills/{scope}/{name}";

pub(super) const ROUTES: &[Asked] = &[
    ("GET", "/v1/skills"),
    ("GET", SKILL),
    ("PUT", SKILL),
    ("DELETE", SKILL),
    ("GET", "/v1/skills/{scope}/{name}/revisions"),
    ("GET", "/v1/skills/{scope}/{name}/revisions/{revision}"),
    ("GET", "/v1/skills/{scope}/{name}/diff"),
    ("POST", "/v1/skills/{scope}/{name}/check"),
    ("POST", "/v1/skills/{scope}/{name}/rollback"),
    ("POST", "/v1/skills/{scope}/{name}/disable"),
    ("POST", "/v1/skills/{scope}/{name}/enable"),
    ("POST", "/v1/skills/{scope}/{name}/quarantine"),
    ("POST", "/v1/skills/{scope}/{name}/release"),
    ("POST", "/v1/skills/{scope}/{name}/revoke"),
    ("POST", "/v1/skills/{scope}/{name}/seal"),
    ("POST", "/v1/skills/{scope}/{name}/unseal"),
    ("POST", "/v1/skills/global/{name}/hide"),
    ("POST", "/v1/skills/global/{name}/show"),
    ("POST", "/v1/recall"),
    ("GET", "/v1/skills/{scope}/{name}/blame"),
    FILE,
    UPLOAD,
    IMPACT,
    REACHED,
    COUNTED,
];

const FILE: Asked = ("GET", "/v1/skills/{scope}/{name}/revisions/{revision}/file");
const IMPACT: Asked = ("GET", "/v1/skills/{scope}/{name}/impact");
const REACHED: Asked = ("GET", "/v1/recall/turns");
const COUNTED: Asked = ("GET", "/v1/recall/tenants");
const UPLOAD: Asked = ("PUT", "/v1/blobs/{sha256}");

/// The relations of a scope to the caller, as columns.
pub(super) const RELATIONS: &[&str] = &[
    "own actor",
    "another actor",
    "actor elsewhere",
    "own tenant",
    "other tenant",
    "global",
];

/// The scope that a caller names. An actor's is one of the caller's own tenant, so that nobody can name another
/// tenant's: `actor:gus` is nobody in the home tenant.
pub(super) fn scope_text(player: &Player, relation: &str) -> String {
    match relation {
        "own actor" => format!("actor:{}", player.actor),
        "another actor" => "actor:pavel".to_owned(),
        "actor elsewhere" => "actor:gus".to_owned(),
        "own tenant" => format!("tenant:{HOME}"),
        "other tenant" => format!("tenant:{OTHER}"),
        "absent tenant" => format!("tenant:{ABSENT}"),
        "global" => "global".to_owned(),
        other => panic!("no relation {other}"),
    }
}

pub(super) fn scope_of(player: &Player, text: &str) -> Scope {
    let tenant = player.seat.as_ref().and_then(|seat| seat.tenant());
    Scope::parse(text, tenant).unwrap()
}

/// The states that a skill can be in: `withdrawn` is archived while quarantined.
const STATES: &[&str] = &[
    "absent",
    "active",
    "disabled",
    "quarantined",
    "revoked",
    "archived",
    "withdrawn",
    "sealed",
];

/// The states that a cell is asked in. All of them where they could make a difference; two outside the caller's scopes,
/// where the answer is decided before any lookup, and in the own scope of a caller whose elevation is for another.
fn states(player: &Player, scope: &Scope) -> &'static [&'static str] {
    let is_in = player
        .seat
        .as_ref()
        .is_some_and(|seat| seat.has_scope(scope));
    let is_plain = player
        .session
        .is_none_or(|session| session.elevation == Shown::None);
    match (is_in, scope.is_shared()) {
        (true, true) => STATES,
        // Nobody seals an actor's skill.
        (true, false) if is_plain => &STATES[..STATES.len() - 1],
        _ => &STATES[..2],
    }
}

fn status(state: &str) -> Option<Status> {
    match state {
        "absent" | "" => None,
        "active" | "sealed" => Some(Status::Active),
        "disabled" => Some(Status::Disabled),
        "quarantined" | "withdrawn" => Some(Status::Quarantined),
        "revoked" => Some(Status::Revoked),
        "archived" => Some(Status::Archived),
        other => panic!("no state {other}"),
    }
}

/// Brings a skill of two revisions into a state.
async fn make(owner: &Client, scope: &str, name: &str, state: &str) {
    if state == "absent" {
        return;
    }
    let files = json!([{"path": "a", "text": "a"}]);
    publish(owner, scope, name, bundle(&format!("{name} one"), files))
        .await
        .expect(201);
    owner
        .update(scope, name, &format!("{name} two"))
        .await
        .expect(200);
    let verbs: &[&str] = match state {
        "disabled" => &["disable"],
        "quarantined" | "withdrawn" => &["quarantine"],
        "revoked" => &["revoke"],
        "sealed" => &["seal"],
        _ => &[],
    };
    for verb in verbs {
        owner.verb(scope, name, verb).await.expect(200);
    }
    if matches!(state, "archived" | "withdrawn") {
        let path = format!("/v1/skills/{scope}/{name}");
        owner.delete(&path).await.expect(200);
    }
}

/// Those who make the skills that the cells are about.
struct Owners {
    home: Client,
    other: Client,
    global: Client,
}

impl Owners {
    async fn new(probes: &Probes<'_>) -> Self {
        let people = &probes.cast.people;
        Self {
            home: people.elevated("pavel", "tenant:acme").await,
            other: people.elevated("greta", "tenant:globex").await,
            global: people.root.clone(),
        }
    }

    /// Who may write a scope; an actor's is written by the actor itself.
    fn of(&self, probes: &Probes<'_>, scope: &str) -> Client {
        match scope.strip_prefix("actor:") {
            None if scope == "global" => self.global.clone(),
            None if scope.ends_with(OTHER) => self.other.clone(),
            None => self.home.clone(),
            Some(actor) => {
                let player = probes
                    .cast
                    .players
                    .iter()
                    .find(|player| {
                        player.actor == actor
                            && player
                                .seat
                                .as_ref()
                                .is_some_and(|seat| seat.has_scope(&scope_of(player, scope)))
                    })
                    .unwrap_or_else(|| panic!("nobody is {actor}"));
                player.client.clone()
            }
        }
    }
}

pub(super) async fn probe(probes: &mut Probes<'_>) {
    let owners = Owners::new(probes).await;
    standing(probes, &owners).await;
    listing(probes).await;
    reads(probes).await;
    reports(probes).await;
    uploads(probes).await;
    for (method, path, action) in [
        ("PUT", SKILL, Action::PublishSkill),
        ("DELETE", SKILL, Action::ArchiveSkill),
        ("POST", ROUTES[8].1, Action::RollbackSkill),
        ("POST", ROUTES[9].1, Action::DisableSkill),
        ("POST", ROUTES[10].1, Action::EnableSkill),
        ("POST", ROUTES[11].1, Action::QuarantineSkill),
        ("POST", ROUTES[12].1, Action::ReleaseSkill),
        ("POST", ROUTES[13].1, Action::RevokeSkill),
        ("POST", ROUTES[14].1, Action::SealSkill),
        ("POST", ROUTES[15].1, Action::UnsealSkill),
    ] {
        writes(probes, &owners, (method, path), action).await;
    }
    visibility(probes, &owners, "hide", Action::HideSkill).await;
    visibility(probes, &owners, "show", Action::ShowSkill).await;
    recall(probes, &owners).await;
}

/// The skills of cells that change nothing: at every scope one in each state, named after it.
async fn standing(probes: &Probes<'_>, owners: &Owners) {
    let mut scopes: Vec<String> = vec![
        "tenant:acme".into(),
        "tenant:globex".into(),
        "global".into(),
    ];
    for player in &probes.cast.players {
        let scope = format!("actor:{}", player.actor);
        let is_own = player
            .seat
            .as_ref()
            .is_some_and(|seat| seat.has_scope(&scope_of(player, &scope)));
        if is_own && !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    for scope in scopes {
        let owner = owners.of(probes, &scope);
        for state in STATES {
            if *state != "sealed" || !scope.starts_with("actor:") {
                make(&owner, &scope, state, state).await;
            }
        }
    }
    // Actors who are not in the cast, to be reached for in vain.
    let client = probes.cast.server.client();
    for actor in ["pavel", "gus"] {
        let owner = login(&client, actor, None).await;
        for state in STATES.iter().filter(|state| **state != "sealed") {
            make(&owner, &format!("actor:{actor}"), state, state).await;
        }
    }
}

fn cell(
    route: Asked,
    column: &'static str,
    state: &'static str,
    action: Action,
    scope: Scope,
) -> Cell {
    Cell {
        route,
        column,
        state,
        action,
        target: Target::Scope(scope),
        status: status(state),
        proposal: None,
        kind: Kind::Write,
    }
}

/// Uploads belong to no scope; they are decided about the narrowest of the caller's.
async fn uploads(probes: &mut Probes<'_>) {
    for index in 0..probes.cast.players.len() {
        let player = probes.cast.players[index].clone();
        let narrowest = player
            .seat
            .as_ref()
            .and_then(|seat| seat.narrowest())
            .unwrap_or(Scope::Global);
        let cell = cell(UPLOAD, "own uploads", "", Action::UploadBlob, narrowest);
        let path = format!("/v1/blobs/{}", hex(b""));
        let request = Request::new(path).header("content-type", "application/octet-stream");
        probes.ask(index, &cell, request).await;
    }
}

async fn writes(probes: &mut Probes<'_>, owners: &Owners, route: Asked, action: Action) {
    let mut jobs = Vec::new();
    for index in 0..probes.cast.players.len() {
        let player = probes.cast.players[index].clone();
        for column in RELATIONS {
            let text = scope_text(&player, column);
            let scope = scope_of(&player, &text);
            for state in states(&player, &scope) {
                let cell = cell(route, column, state, action, scope.clone());
                let mut name = (*state).to_owned();
                let mut made: Option<Pin<Box<dyn Future<Output = ()> + Send>>> = None;
                if let Some(Verdict::Allow(_)) = probes.verdict(&player, &cell) {
                    name = format!("{state}-{}", probes.fresh());
                    let (owner, text, name) =
                        (owners.of(probes, &text), text.clone(), name.clone());
                    made = Some(Box::pin(async move {
                        make(&owner, &text, &name, state).await;
                    }));
                }
                let path = route.1.replace("{scope}", &text).replace("{name}", &name);
                let request = Request::new(path);
                let request = match action {
                    Action::PublishSkill if *state == "absent" => request
                        .header("if-none-match", "*")
                        .body(content(&format!("{name} three"))),
                    Action::PublishSkill => request
                        .header("if-match", "*")
                        .body(content(&format!("{name} three"))),
                    Action::ArchiveSkill => request,
                    Action::RollbackSkill => request.body(json!({"to": 1, "reason": "a test"})),
                    _ => request.body(json!({"reason": "a test"})),
                };
                jobs.push(Job {
                    index,
                    cell,
                    make: made,
                    request,
                });
            }
        }
    }
    probes.ask_many(jobs).await;
}

async fn visibility(probes: &mut Probes<'_>, owners: &Owners, verb: &str, action: Action) {
    let route = if verb == "hide" {
        ROUTES[16]
    } else {
        ROUTES[17]
    };
    for index in 0..probes.cast.players.len() {
        let player = probes.cast.players[index].clone();
        for column in ["own tenant", "other tenant", "absent tenant"] {
            let text = scope_text(&player, column);
            let tenant = text.strip_prefix("tenant:").unwrap();
            for state in [
                "absent", "active", "disabled", "archived", "sealed", "hidden",
            ] {
                let mut cell = cell(route, column, "absent", action, scope_of(&player, &text));
                cell.state = state;
                let allowed = matches!(probes.verdict(&player, &cell), Some(Verdict::Allow(_)));
                let name = if allowed {
                    let name = format!("{state}-{}", probes.fresh());
                    let made = if state == "hidden" { "active" } else { state };
                    make(&owners.global, "global", &name, made).await;
                    if state == "hidden" {
                        let path = format!("/v1/skills/global/{name}/hide");
                        let body = json!({"tenant": tenant, "reason": "a test"});
                        owners.home.post(&path, body).await.expect(200);
                    }
                    name
                } else if state == "hidden" {
                    "active".to_owned()
                } else {
                    state.to_owned()
                };
                let body = json!({"tenant": tenant, "reason": "a test"});
                let path = route.1.replace("{name}", &name);
                probes
                    .ask(index, &cell, Request::new(path).body(body))
                    .await;
            }
        }
    }
}

/// A recall by digest looks in the caller's scopes only, so that everything else is not there at all.
async fn recall(probes: &mut Probes<'_>, owners: &Owners) {
    let route = ROUTES[18];
    let maria = probes.cast.people.human("pavel").await;
    let gus = probes.cast.people.human("gus").await;
    for index in 0..probes.cast.players.len() {
        let player = probes.cast.players[index].clone();
        for column in RELATIONS {
            let text = scope_text(&player, column);
            let scope = scope_of(&player, &text);
            let mut cell = cell(
                route,
                column,
                "active",
                Action::QuarantineSkill,
                scope.clone(),
            );
            let has = player
                .seat
                .as_ref()
                .is_some_and(|seat| seat.has_scope(&scope));
            if !has {
                cell.kind = Kind::Read;
            }
            let owner = match *column {
                "another actor" => maria.clone(),
                "actor elsewhere" => gus.clone(),
                "own actor" if !has => maria.clone(),
                _ => owners.of(probes, &text),
            };
            let place = match *column {
                "own actor" if !has => "actor:pavel",
                _ => &text,
            };
            let name = format!("recall-{}", probes.fresh());
            let made = owner.create(place, &name, &name).await.expect(201);
            let body = json!({"digest": made.text("digest"), "reason": "a test"});
            probes
                .ask(index, &cell, Request::new("/v1/recall").body(body))
                .await;
        }
    }
}
