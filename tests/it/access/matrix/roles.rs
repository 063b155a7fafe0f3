//! The routes of agents' roles.

use serde_json::json;
use vestry_policies::{Action, Target};

use super::Asked;
use super::probe::{Cell, Kind, Probes, Request};
use super::skills::{RELATIONS, scope_of, scope_text};
use crate::harness::content;

const ROLE: &str = "/v1/roles/{scope}/{role}";
const ATTACHMENTS: &str = "/v1/roles/{scope}/{role}/attachments";

pub(super) const ROUTES: &[Asked] = &[
    ("GET", ROLE),
    ("PUT", ROLE),
    ("DELETE", ROLE),
    ("GET", ATTACHMENTS),
    ("PUT", ATTACHMENTS),
];

/// Whether there is an instruction makes no difference to who may do what: it is skills' states that do, and they have
/// blocks of their own.
pub(super) async fn probe(probes: &mut Probes<'_>) {
    for (number, action) in [
        Action::ReadSkill,
        Action::PublishSkill,
        Action::ArchiveSkill,
        Action::ReadSkill,
        Action::AttachSkills,
    ]
    .into_iter()
    .enumerate()
    {
        let route = ROUTES[number];
        for index in 0..probes.cast.players.len() {
            let player = probes.cast.players[index].clone();
            for column in RELATIONS {
                let text = scope_text(&player, column);
                let reads = action == Action::ReadSkill;
                let cell = Cell {
                    route,
                    column,
                    state: "",
                    action,
                    target: Target::Scope(scope_of(&player, &text)),
                    status: None,
                    proposal: None,
                    kind: if reads { Kind::Read } else { Kind::Write },
                };
                let role = format!("role-{}", probes.fresh());
                let path = route.1.replace("{scope}", &text).replace("{role}", &role);
                let request = Request::new(path);
                let request = match (action, route.1) {
                    (Action::PublishSkill, _) => request
                        .header("if-none-match", "*")
                        .body(content(&format!("{role} speaks"))),
                    (Action::AttachSkills, _) => request.body(json!({"skills": []})),
                    _ => request,
                };
                probes.ask(index, &cell, request).await;
            }
        }
    }
}
