//! Reading skills: listings, metadata, bodies, files.

use super::*;

pub(super) async fn listing(probes: &mut Probes<'_>) {
    for index in 0..probes.cast.players.len() {
        let player = probes.cast.players[index].clone();
        let resolved = Cell {
            route: ROUTES[0],
            column: "resolved",
            state: "",
            action: Action::ListSkills,
            target: Target::Server,
            status: None,
            proposal: None,
            kind: Kind::Read,
        };
        probes
            .ask(index, &resolved, Request::new("/v1/skills"))
            .await;
        for column in RELATIONS {
            let text = scope_text(&player, column);
            let mut cell = cell(
                ROUTES[0],
                column,
                "",
                Action::ReadSkill,
                scope_of(&player, &text),
            );
            cell.kind = Kind::Read;
            let path = format!("/v1/skills?scope={text}&limit=1");
            probes.ask(index, &cell, Request::new(path)).await;
        }
    }
}

pub(super) async fn reads(probes: &mut Probes<'_>) {
    for (route, suffix, action) in [
        (ROUTES[1], "", Action::ReadSkill),
        (ROUTES[4], "/revisions", Action::ReadSkill),
        (ROUTES[5], "/revisions/2", Action::ReadSkill),
        (ROUTES[6], "/diff?from=1&to=2", Action::ReadSkill),
        (ROUTES[7], "/check", Action::CheckSkill),
        (IMPACT, "/impact?action=archive", Action::CheckSkill),
        (FILE, "/revisions/2/file?path=a", Action::ReadBody),
        (ROUTES[19], "/blame", Action::ReadBody),
    ] {
        for index in 0..probes.cast.players.len() {
            let player = probes.cast.players[index].clone();
            for column in RELATIONS {
                let text = scope_text(&player, column);
                let scope = scope_of(&player, &text);
                for state in states(&player, &scope) {
                    let mut cell = cell(route, column, state, action, scope.clone());
                    cell.kind = Kind::Read;
                    if action == Action::ReadBody {
                        cell.column = recalled_apart(column, cell.status);
                    }
                    let mut request = Request::new(format!("/v1/skills/{text}/{state}{suffix}"));
                    if route == ROUTES[7] {
                        request = request.body(content("checked"));
                    }
                    let response = probes.ask(index, &cell, request).await;
                    if route == FILE {
                        let allowed = probes
                            .verdict(&player, &cell)
                            .is_some_and(Verdict::is_allowed);
                        if *state != "absent" && allowed != (response.status == 200) {
                            probes.fault(index, &cell, &format!("HTTP {}", response.status));
                        }
                        continue;
                    }
                    if response.status == 200
                        && action == Action::ReadSkill
                        && suffix != "/revisions"
                    {
                        body(probes, index, &cell, &response.body);
                    }
                }
            }
        }
    }
}

/// Bodies that are recalled have columns of their own.
fn recalled_apart(column: &'static str, status: Option<Status>) -> &'static str {
    match (column, status) {
        ("own actor", Some(Status::Quarantined | Status::Revoked)) => "own actor, recalled",
        ("own tenant", Some(Status::Quarantined | Status::Revoked)) => "own tenant, recalled",
        ("global", Some(Status::Quarantined | Status::Revoked)) => "global, recalled",
        (column, _) => column,
    }
}

/// Whether the body shows is a decision of its own (design §2.4): the rules and the server agree about it too.
fn body(probes: &mut Probes<'_>, index: usize, read: &Cell, answer: &serde_json::Value) {
    let player = probes.cast.players[index].clone();
    let cell = Cell {
        action: Action::ReadBody,
        ..read.clone()
    };
    let verdict = probes.verdict(&player, &cell).unwrap();
    let shows = answer["body"].is_string() || answer["unified"].is_string();
    if shows != verdict.is_allowed() {
        probes.fault(
            index,
            &cell,
            &format!("the rules say {verdict:?} of the body, and it shows: {shows}"),
        );
    }
    let column = recalled_apart(read.column, cell.status);
    let text = match verdict {
        Verdict::Allow(rule) => rule.as_str().to_owned(),
        Verdict::Review(rule) | Verdict::Deny(rule) => format!("no body: {}", rule.as_str()),
    };
    let block = Cell {
        route: BODIES,
        column,
        ..cell
    };
    probes.note(index, &block, text);
}

/// Not a route: what of a skill's body the routes that read skills show.
const BODIES: Asked = ("  the body in", "GET …, …/revisions/{revision}, …/diff");

/// What a revision reached: the turns of the caller's own tenant, and how many there were in each.
pub(super) async fn reports(probes: &mut Probes<'_>) {
    let content = format!("digest=sha256:{}", "0".repeat(64));
    for index in 0..probes.cast.players.len() {
        let player = probes.cast.players[index].clone();
        for column in RELATIONS {
            let text = scope_text(&player, column);
            let scope = scope_of(&player, &text);
            let is_global = scope == Scope::Global;
            let mut cell = cell(REACHED, column, "", Action::ReadRecallReport, scope);
            cell.kind = Kind::Read;
            if is_global {
                // Its turns are the tenant's.
                let own = player.seat.as_ref().and_then(|seat| seat.tenant().cloned());
                cell.target = own.map_or(Target::Server, Target::Tenant);
                cell.kind = Kind::Plain;
            }
            let path = format!("/v1/recall/turns?scope={text}&{content}");
            probes.ask(index, &cell, Request::new(path)).await;
        }
        let cell = Cell {
            route: COUNTED,
            column: "installation",
            state: "",
            action: Action::ReadRecallReport,
            target: Target::Server,
            status: None,
            kind: Kind::Plain,
            proposal: None,
        };
        let path = format!("/v1/recall/tenants?{content}");
        probes.ask(index, &cell, Request::new(path)).await;
    }
}
