//! The routes of users, tenants, members, services, settings and audit.

use serde_json::json;
use vestry_policies::{Action, Scope, Target, TenantId, Verdict};

use super::super::cast::{ABSENT, HOME, OTHER, settings};
use super::Asked;
use super::probe::{Cell, Kind, Probes, Request};
use crate::api::schemas::built_in;
use crate::harness::PASSWORD;

pub(super) const ROUTES: &[Asked] = &[
    ("POST", "/v1/users"),
    ("GET", "/v1/users"),
    ("POST", "/v1/tenants"),
    ("GET", "/v1/tenants"),
    ("GET", "/v1/tenants/{tenant}/members"),
    ("PUT", "/v1/tenants/{tenant}/members/{username}"),
    ("DELETE", "/v1/tenants/{tenant}/members/{username}"),
    ("GET", "/v1/tenants/{tenant}/settings"),
    ("PUT", "/v1/tenants/{tenant}/settings"),
    ("POST", "/v1/services"),
    ("GET", "/v1/tenants/{tenant}/services"),
    ("DELETE", "/v1/tenants/{tenant}/services/{service}"),
    ("GET", "/v1/audit"),
    ("GET", "/v1/audit/checkpoint"),
    ("GET", "/v1/events"),
    ("GET", "/v1/explain"),
    ("GET", "/v1/explain/catalog"),
    ("GET", "/v1/context-schema"),
    ("GET", "/v1/reference"),
    ("POST", "/v1/templates/check"),
    ("POST", "/v1/templates/render"),
    ("PUT", "/v1/context-schema"),
    ("POST", "/v1/context-schema/check"),
];

const TENANTS: &[(&str, &str)] = &[
    ("own tenant", HOME),
    ("other tenant", OTHER),
    ("absent tenant", ABSENT),
];

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
    let root = probes.cast.people.root.clone();
    let mut services = Vec::new();
    for tenant in [HOME, OTHER] {
        let body = json!({"tenant": tenant, "name": "matrix"});
        let made = root.post("/v1/services", body).await.expect(201);
        services.push(made.text("id"));
    }
    for index in 0..probes.cast.players.len() {
        installation(probes, index).await;
        for (number, (column, tenant)) in TENANTS.iter().enumerate() {
            let service = services.get(number).map_or("svc_absent", String::as_str);
            let service = service.to_owned();
            administration(probes, index, column, tenant, &service).await;
        }
        audit(probes, index).await;
        events(probes, index).await;
        explanations(probes, index).await;
        templates(probes, index).await;
    }
}

async fn installation(probes: &mut Probes<'_>, index: usize) {
    let number = probes.fresh();
    for (route, action, kind, body) in [
        (
            ROUTES[0],
            Action::CreateUser,
            Kind::Write,
            Some(
                json!({"username": format!("u{number}"), "password": PASSWORD, "display_name": "U"}),
            ),
        ),
        (ROUTES[1], Action::ListUsers, Kind::Plain, None),
        (
            ROUTES[2],
            Action::CreateTenant,
            Kind::Write,
            Some(json!({"id": format!("t{number}"), "name": "T"})),
        ),
        (ROUTES[3], Action::ListTenants, Kind::Plain, None),
        (
            ROUTES[21],
            Action::ActivateSchema,
            Kind::Write,
            Some(json!({"schema": built_in(number as u64 + 2)})),
        ),
        (
            ROUTES[22],
            Action::CheckSchema,
            Kind::Plain,
            Some(json!({"schema": built_in(number as u64 + 10_000)})),
        ),
    ] {
        let cell = cell(route, "the installation", action, Target::Server, kind);
        let mut request = Request::new(route.1);
        request.body = body;
        probes.ask(index, &cell, request).await;
    }
}

async fn administration(
    probes: &mut Probes<'_>,
    index: usize,
    column: &'static str,
    tenant: &str,
    service: &str,
) {
    let root = probes.cast.people.root.clone();
    let player = probes.cast.players[index].clone();
    let target = Target::Tenant(TenantId::parse(tenant).unwrap());
    for (route, action, kind) in [
        (ROUTES[4], Action::ListMembers, Kind::Plain),
        (ROUTES[5], Action::SetMember, Kind::Write),
        (ROUTES[6], Action::RemoveMember, Kind::Write),
        (ROUTES[7], Action::ReadSettings, Kind::Plain),
        (ROUTES[8], Action::WriteSettings, Kind::Write),
        (ROUTES[9], Action::CreateService, Kind::Write),
        (ROUTES[10], Action::ListServices, Kind::Plain),
        (ROUTES[11], Action::RevokeService, Kind::Write),
    ] {
        let cell = cell(route, column, action, target.clone(), kind);
        let allowed = matches!(probes.verdict(&player, &cell), Some(Verdict::Allow(_)));
        let is_there = tenant != ABSENT;
        let number = probes.fresh();
        // Whoever may do it does it to someone or something of the cell's own.
        let mut username = "tom".to_owned();
        let mut id = service.to_owned();
        if allowed && matches!(action, Action::SetMember | Action::RemoveMember) {
            username = format!("m{number}");
            probes.cast.people.user(&username).await;
            if action == Action::RemoveMember && is_there {
                probes
                    .cast
                    .people
                    .member(tenant, &username, "member")
                    .await
                    .expect(200);
            }
        }
        if allowed && action == Action::RevokeService && is_there {
            let body = json!({"tenant": tenant, "name": format!("s{number}")});
            id = root.post("/v1/services", body).await.expect(201).text("id");
        }
        let path = route
            .1
            .replace("{tenant}", tenant)
            .replace("{username}", &username)
            .replace("{service}", &id);
        let mut request = Request::new(path);
        request.body = match action {
            Action::SetMember => Some(json!({"role": "member"})),
            Action::WriteSettings => Some(settings()),
            Action::CreateService => Some(json!({"tenant": tenant, "name": format!("n{number}")})),
            _ => None,
        };
        let response = probes.ask(index, &cell, request).await;
        if allowed && response.status.is_success() != is_there {
            probes.fault(index, &cell, &format!("HTTP {}", response.status));
        }
    }
}

/// What a stream tells is of the caller's own scopes, so that there is one to ask for.
async fn events(probes: &mut Probes<'_>, index: usize) {
    let cell = cell(
        ROUTES[14],
        "its scopes",
        Action::ReadEvents,
        Target::Server,
        Kind::Plain,
    );
    let request = Request::new("/v1/events?since=start&wait=0");
    probes.ask(index, &cell, request).await;
}

/// Asking about oneself, and about others: of the caller's tenant, or outside of tenants when it has none.
async fn explanations(probes: &mut Probes<'_>, index: usize) {
    let player = probes.cast.players[index].clone();
    let seat = player.seat.as_ref();
    let others = match seat.and_then(|seat| seat.tenant()) {
        Some(tenant) => Target::Tenant(tenant.clone()),
        None => Target::Scope(Scope::Global),
    };
    let asked = "action=publish-skill&target=global";
    for (column, target, principal) in [
        ("itself", Target::Server, ""),
        ("another", others.clone(), "&principal=human:pavel"),
        ("an absent one", others.clone(), "&principal=human:nobody"),
    ] {
        let cell = cell(ROUTES[15], column, Action::Explain, target, Kind::Plain);
        let path = format!("/v1/explain?{asked}{principal}");
        let response = probes.ask(index, &cell, Request::new(path)).await;
        let allowed = matches!(probes.verdict(&player, &cell), Some(Verdict::Allow(_)));
        let expected = if column == "an absent one" { 404 } else { 200 };
        if allowed && response.status.as_u16() != expected {
            probes.fault(index, &cell, &format!("HTTP {}", response.status));
        }
    }
    for (column, target, query) in [
        ("itself", Target::Server, ""),
        ("another", others, "?actor=pavel"),
    ] {
        let cell = cell(ROUTES[16], column, Action::Explain, target, Kind::Plain);
        let path = format!("/v1/explain/catalog{query}");
        probes.ask(index, &cell, Request::new(path)).await;
    }
}

/// What templates are written against is no secret among those who are let in.
async fn templates(probes: &mut Probes<'_>, index: usize) {
    for route in &ROUTES[17..21] {
        let cell = cell(
            *route,
            "any template",
            Action::UseTemplates,
            Target::Server,
            Kind::Plain,
        );
        let mut request = Request::new(route.1);
        if route.0 == "POST" {
            request.body = Some(json!({"source": "Of {{organization.name}}.\n"}));
        }
        if route.1.ends_with("/render") {
            request.body = Some(json!({"source": "x", "sample": "task-start"}));
        }
        probes.ask(index, &cell, request).await;
    }
}

/// A caller names its own tenant's log, or the installation's; no request names another tenant's.
async fn audit(probes: &mut Probes<'_>, index: usize) {
    let own = probes.cast.players[index]
        .seat
        .as_ref()
        .and_then(|seat| seat.tenant().cloned());
    for (column, log) in [
        ("own tenant's log", "tenant"),
        ("the installation's log", "global"),
    ] {
        let target = match &own {
            Some(own) if log == "tenant" => Target::Tenant(own.clone()),
            // Without a tenant there is one log only.
            _ => Target::Server,
        };
        for (route, query) in [(ROUTES[12], "&limit=1"), (ROUTES[13], "")] {
            let target = target.clone();
            let cell = cell(route, column, Action::ReadAudit, target, Kind::Plain);
            let path = format!("{}?log={log}{query}", route.1);
            probes.ask(index, &cell, Request::new(path)).await;
        }
    }
}
