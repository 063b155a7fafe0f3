//! The requests that name ids of another tenant, each with its like that names made-up ones.

use serde_json::{Value, json};

use super::{BLAME, DIFF, FILE, IMPACT, MEMBER, REVISION, REVISIONS, SETTINGS, SKILL, VERBS};
use crate::api::files::bundle;
use crate::api::proposals::proposal;
use crate::harness::{PASSWORD, content};

const ROLE: &str = "/v1/roles/{scope}/{role}";
const ATTACHMENTS: &str = "/v1/roles/{scope}/{role}/attachments";

/// What the strangers hold of acme.
pub(super) struct Held {
    pub(super) digest: String,
    /// The digest of a file.
    pub(super) file: String,
    pub(super) service: String,
    pub(super) key: String,
    pub(super) offer: String,
    pub(super) cursor: String,
    pub(super) audit_cursor: String,
    /// A proposal for acme, and one for global, by somebody of acme.
    pub(super) proposals: [String; 2],
}

/// Method and route; the path with the other tenant's id, and with a made-up one; the bodies, likewise.
pub(super) type Pair = (
    &'static str,
    &'static str,
    String,
    String,
    Option<Value>,
    Option<Value>,
);

pub(super) fn pairs(held: &Held) -> Vec<Pair> {
    let mut pairs = without_body(held);
    pairs.extend(with_body(held));
    pairs
}

fn without_body(held: &Held) -> Vec<Pair> {
    let Held {
        service,
        key,
        cursor,
        audit_cursor,
        ..
    } = held;
    let mut pairs: Vec<Pair> = Vec::new();
    let mut pair = |method: &'static str, route: &'static str, theirs: String, absent: String| {
        pairs.push((method, route, theirs, absent, None, None));
    };
    for (theirs, absent) in [
        ("tenant:acme/refunds", "tenant:nowhere/refunds"),
        ("tenant:acme/refunds", "tenant:acme/payroll"),
        ("tenant:ACME/refunds", "tenant:acme/refunds"),
        // An actor's scope is of the caller's own tenant: acme's tom is nobody here.
        ("actor:tom/notes", "actor:tom/payroll"),
        ("actor:maria/notes", "actor:nobody/notes"),
        // And a name that is in the caller's own scopes in the other tenant only.
        ("tenant:globex/refunds", "tenant:globex/payroll"),
    ] {
        let of = |path: &str, suffix: &str| format!("/v1/skills/{path}{suffix}");
        for (route, suffix) in [
            (SKILL, ""),
            (REVISIONS, "/revisions"),
            (REVISION, "/revisions/1"),
            (FILE, "/revisions/1/file?path=a"),
            (DIFF, "/diff?from=1&to=2"),
            (BLAME, "/blame"),
            (IMPACT, "/impact?action=archive"),
        ] {
            pair("GET", route, of(theirs, suffix), of(absent, suffix));
        }
        pair("DELETE", SKILL, of(theirs, ""), of(absent, ""));
    }
    for (theirs, absent) in [
        ("tenant:acme/support", "tenant:nowhere/support"),
        ("tenant:acme/support", "tenant:acme/nobody"),
    ] {
        let of = |path: &str, suffix: &str| format!("/v1/roles/{path}{suffix}");
        pair("GET", ROLE, of(theirs, ""), of(absent, ""));
        pair("DELETE", ROLE, of(theirs, ""), of(absent, ""));
        let suffix = "/attachments";
        pair("GET", ATTACHMENTS, of(theirs, suffix), of(absent, suffix));
    }
    for (list, route) in [
        ("members", "/v1/tenants/{tenant}/members"),
        ("services", "/v1/tenants/{tenant}/services"),
        ("settings", SETTINGS),
    ] {
        let of = |tenant: &str| format!("/v1/tenants/{tenant}/{list}");
        pair("GET", route, of("acme"), of("nowhere"));
    }
    pair(
        "GET",
        "/v1/skills",
        "/v1/skills?scope=tenant:acme".into(),
        "/v1/skills?scope=tenant:nowhere".into(),
    );
    pair(
        "GET",
        "/v1/skills",
        format!("/v1/skills?scope=tenant:globex&limit=1&cursor={cursor}"),
        "/v1/skills?scope=tenant:globex&limit=1&cursor=made.up.cursor".into(),
    );
    pair(
        "GET",
        "/v1/audit",
        format!("/v1/audit?limit=1&cursor={audit_cursor}"),
        "/v1/audit?limit=1&cursor=made.up.cursor".into(),
    );
    pair(
        "GET",
        "/v1/audit",
        "/v1/audit?principal=human:maria".into(),
        "/v1/audit?principal=human:nobody".into(),
    );
    let of = |scope: &str| {
        let digest = &held.digest;
        format!("/v1/recall/turns?scope={scope}&digest={digest}")
    };
    pair(
        "GET",
        "/v1/recall/turns",
        of("tenant:acme"),
        of("tenant:nowhere"),
    );
    let of = |digest: &str| format!("/v1/recall/tenants?digest={digest}");
    pair(
        "GET",
        "/v1/recall/tenants",
        of(&held.digest),
        of(&format!("sha256:{}", "7".repeat(64))),
    );
    let of = |principal: &str| {
        format!("/v1/explain?action=read-skill&target=global&principal={principal}")
    };
    let theirs = format!("service:{service}");
    pair("GET", "/v1/explain", of(&theirs), of("service:svc_absent"));
    pair("GET", "/v1/explain", of("human:maria"), of("human:nobody"));
    pair(
        "DELETE",
        MEMBER,
        "/v1/tenants/acme/members/tom".into(),
        "/v1/tenants/nowhere/members/tom".into(),
    );
    pair(
        "DELETE",
        MEMBER,
        "/v1/tenants/globex/members/tom".into(),
        "/v1/tenants/globex/members/nobody".into(),
    );
    let route = "/v1/tenants/{tenant}/services/{service}";
    for tenant in ["acme", "globex"] {
        pair(
            "DELETE",
            route,
            format!("/v1/tenants/{tenant}/services/{service}"),
            format!("/v1/tenants/{tenant}/services/svc_made_up"),
        );
    }
    let [own, wide] = &held.proposals;
    for (theirs, absent) in [(own.as_str(), "p-999999"), (wide.as_str(), "g-999999")] {
        let of = |id: &str, below: &str| format!("/v1/proposals/{id}{below}");
        for (route, below) in [
            ("/v1/proposals/{id}", ""),
            ("/v1/proposals/{id}/file", "/file?path=a"),
        ] {
            pair("GET", route, of(theirs, below), of(absent, below));
        }
    }
    pair(
        "GET",
        "/v1/proposals",
        "/v1/proposals?scope=tenant:acme".into(),
        "/v1/proposals?scope=tenant:nowhere".into(),
    );
    pair(
        "DELETE",
        "/v1/keys/{id}",
        format!("/v1/keys/{key}"),
        "/v1/keys/key_made_up".into(),
    );
    pairs
}

fn with_body(held: &Held) -> Vec<Pair> {
    let Held {
        digest,
        file,
        offer,
        ..
    } = held;
    let mut pairs: Vec<Pair> = Vec::new();
    let mut with_body = |method: &'static str,
                         route: &'static str,
                         theirs: &str,
                         absent: &str,
                         body: Value,
                         other: Value| {
        pairs.push((
            method,
            route,
            theirs.into(),
            absent.into(),
            Some(body),
            Some(other),
        ));
    };
    let other = format!("sha256:{}", "7".repeat(64));
    let reason = json!({"reason": "a test"});
    for (theirs, absent) in [
        ("tenant:acme/refunds", "tenant:nowhere/refunds"),
        ("tenant:acme/refunds", "tenant:acme/payroll"),
        ("actor:tom/notes", "actor:nobody/notes"),
    ] {
        let of = |path: &str, suffix: &str| format!("/v1/skills/{path}{suffix}");
        let same = content("x");
        with_body(
            "PUT",
            SKILL,
            &of(theirs, ""),
            &of(absent, ""),
            same.clone(),
            same.clone(),
        );
        let route = "/v1/skills/{scope}/{name}/check";
        if !theirs.starts_with("actor:") {
            with_body(
                "POST",
                route,
                &of(theirs, "/check"),
                &of(absent, "/check"),
                same.clone(),
                same,
            );
        }
        let back = json!({"to": 1});
        let route = "/v1/skills/{scope}/{name}/rollback";
        let suffix = "/rollback";
        if !theirs.starts_with("actor:") {
            with_body(
                "POST",
                route,
                &of(theirs, suffix),
                &of(absent, suffix),
                back.clone(),
                back,
            );
            for (verb, route) in VERBS
                .iter()
                .chain(&[("revoke", "/v1/skills/{scope}/{name}/revoke")])
            {
                let suffix = format!("/{verb}");
                let (theirs, absent) = (of(theirs, &suffix), of(absent, &suffix));
                with_body(
                    "POST",
                    route,
                    &theirs,
                    &absent,
                    reason.clone(),
                    reason.clone(),
                );
            }
        }
    }
    for (theirs, absent) in [
        ("tenant:acme/support", "tenant:nowhere/support"),
        ("tenant:acme/support", "tenant:acme/nobody"),
    ] {
        let of = |path: &str, suffix: &str| format!("/v1/roles/{path}{suffix}");
        let same = content("x");
        with_body(
            "PUT",
            ROLE,
            &of(theirs, ""),
            &of(absent, ""),
            same.clone(),
            same,
        );
        let same = json!({"skills": [{"name": "refunds"}]});
        let suffix = "/attachments";
        let (theirs, absent) = (of(theirs, suffix), of(absent, suffix));
        with_body("PUT", ATTACHMENTS, &theirs, &absent, same.clone(), same);
    }
    for (verb, route) in [
        ("hide", "/v1/skills/global/{name}/hide"),
        ("show", "/v1/skills/global/{name}/show"),
    ] {
        let path = format!("/v1/skills/global/handbook/{verb}");
        let of = |tenant: &str| json!({"tenant": tenant, "reason": "a test"});
        with_body("POST", route, &path, &path, of("acme"), of("nowhere"));
    }
    let [own, wide] = &held.proposals;
    for (theirs, absent) in [(own.as_str(), "p-999999"), (wide.as_str(), "g-999999")] {
        let decision = json!({"decision": "approve", "digest": other});
        for (method, route, below, body) in [
            ("PUT", "/v1/proposals/{id}", "", content("x")),
            ("POST", "/v1/proposals/{id}/decision", "/decision", decision),
            (
                "POST",
                "/v1/proposals/{id}/comments",
                "/comments",
                json!({"text": "x"}),
            ),
            (
                "POST",
                "/v1/proposals/{id}/withdraw",
                "/withdraw",
                json!({}),
            ),
            ("POST", "/v1/proposals/{id}/rebase", "/rebase", json!({})),
        ] {
            let of = |id: &str| format!("/v1/proposals/{id}{below}");
            with_body(method, route, &of(theirs), &of(absent), body.clone(), body);
        }
    }
    let of = |scope: &str| proposal(scope, "refunds", "x");
    with_body(
        "POST",
        "/v1/proposals",
        "/v1/proposals",
        "/v1/proposals",
        of("tenant:acme"),
        of("tenant:nowhere"),
    );
    let of = |digest: &str| json!({"digest": digest, "reason": "a test"});
    with_body(
        "POST",
        "/v1/recall",
        "/v1/recall",
        "/v1/recall",
        of(digest),
        of(&other),
    );
    let of = |scope: &str| json!({"scope": scope, "password": PASSWORD, "reason": "a test"});
    with_body(
        "POST",
        "/v1/elevate",
        "/v1/elevate",
        "/v1/elevate",
        of("tenant:acme"),
        of("tenant:nowhere"),
    );
    with_body(
        "POST",
        "/v1/elevate",
        "/v1/elevate",
        "/v1/elevate",
        of("actor:tom"),
        of("actor:nobody"),
    );
    let of = |tenant: &str| json!({"tenant": tenant, "name": "theirs"});
    with_body(
        "POST",
        "/v1/services",
        "/v1/services",
        "/v1/services",
        of("acme"),
        of("nowhere"),
    );
    let settings = json!({
        "max_cap": 1, "agent_own_scope": "deny", "skills_per_actor": 1,
        "skills_per_tenant": 1, "revisions_per_skill": 1,
    });
    with_body(
        "PUT",
        SETTINGS,
        "/v1/tenants/acme/settings",
        "/v1/tenants/nowhere/settings",
        settings.clone(),
        settings,
    );
    let role = json!({"role": "publisher"});
    with_body(
        "PUT",
        MEMBER,
        "/v1/tenants/acme/members/greta",
        "/v1/tenants/nowhere/members/greta",
        role.clone(),
        role,
    );
    let of = |digest: &str| bundle("x", json!([{"path": "a", "digest": digest}]));
    let path = "/v1/skills/tenant:globex/x/check";
    with_body(
        "POST",
        "/v1/skills/{scope}/{name}/check",
        path,
        path,
        of(file),
        of(&other),
    );
    let of = |offer: &str| json!({"offer": offer, "name": "refunds", "path": "a"});
    with_body(
        "POST",
        "/v1/load/file",
        "/v1/load/file",
        "/v1/load/file",
        of(offer),
        of("made.up.offer"),
    );
    let of = |offer: &str| json!({"offer": offer, "name": "refunds"});
    with_body(
        "POST",
        "/v1/load",
        "/v1/load",
        "/v1/load",
        of(offer),
        of("made.up.offer"),
    );
    pairs
}
