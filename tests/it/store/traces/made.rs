//! How a trace is made up.

use hyper::Method;
use serde_json::{Value, json};

use super::memory::Memory;
use super::requests::Request;
use super::world::{AGENTS, CAST, PUBLISHERS, ROOT};
use crate::api::files::{digest, hex};
use crate::api::proposals::{approval, proposal};
use crate::harness::{content, context};
use crate::templates::rng::Rng;

/// Few, so that scopes collide.
const NAMES: [&str; 5] = ["alpha", "beta", "gamma", "Kappa", "omega-2"];
const ROLES: [&str; 2] = ["support", "sales"];
const VERBS: [&str; 7] = [
    "disable",
    "enable",
    "quarantine",
    "release",
    "revoke",
    "seal",
    "unseal",
];

/// The next request.
pub(super) fn make(rng: &mut Rng, memory: &Memory) -> Request {
    match rng.below(100) {
        0..24 => publish(rng, memory),
        24..36 => govern(rng, memory),
        36..44 => roles(rng),
        44..48 => administer(rng),
        48..60 => take(rng),
        60..68 => load(rng, memory),
        68..80 => propose(rng, memory),
        80..84 => repeat(rng, memory),
        _ => read(rng, memory),
    }
}

/// Where somebody writes: mostly where it may.
fn scope_of(rng: &mut Rng, who: usize) -> &'static str {
    if rng.chance(12) {
        return [
            "global",
            "tenant:acme",
            "tenant:globex",
            "actor:tom",
            "actor:x1",
        ][rng.below(5)];
    }
    match who {
        ROOT => "global",
        1 | 2 => "tenant:acme",
        6 => "tenant:globex",
        3 | 8 | 10 => "actor:tom",
        4 => "actor:mia",
        9 => "actor:x1",
        7 => "actor:gus",
        _ => "tenant:acme",
    }
}

fn publisher(rng: &mut Rng) -> usize {
    if rng.chance(90) {
        PUBLISHERS[rng.below(PUBLISHERS.len())]
    } else {
        rng.below(CAST)
    }
}

fn skill(rng: &mut Rng, who: usize) -> String {
    let (scope, name) = (scope_of(rng, who), rng.pick(&NAMES));
    format!("/v1/skills/{scope}/{}", name.to_lowercase())
}

fn body(rng: &mut Rng) -> Value {
    let text = ["ones", "twos", "threes", "Größe & 漢字 'quoted'"][rng.below(4)];
    let mut body = content(text);
    match rng.below(6) {
        0 => {
            body["files"] =
                json!([{"path": "a", "text": text}, {"path": "b/c", "base64": "AAEC/w=="}]);
        }
        1 => body["files"] = json!([]),
        2 => {
            body["templated"] = true.into();
            body["body"] = "For {{organization.name}}.\n".into();
        }
        3 => {
            body["mode"] = "ambient".into();
            body["message"] = "said".into();
        }
        4 => body["frontmatter"] = json!({"license": "MIT", "metadata": {"b": "2", "a": "1"}}),
        _ => {}
    }
    body
}

fn publish(rng: &mut Rng, memory: &Memory) -> Request {
    let who = rng.below(CAST);
    let path = skill(rng, who);
    let known = memory.digests.get(&path);
    let request = Request::put(who, &path, body(rng));
    match (known, rng.below(10)) {
        (_, 0) => request,
        (None, 1..9) | (Some(_), 1) => request.header("if-none-match", "*"),
        (Some(digest), 2..5) => request.header("if-match", format!("\"{digest}\"")),
        _ => request.header("if-match", "*"),
    }
}

fn reason(rng: &mut Rng) -> Value {
    let mut body = json!({"reason": "a test"});
    if rng.chance(30) {
        body["revision"] = (1 + rng.below(3)).into();
    }
    body
}

/// What is done to a skill that is there.
fn govern(rng: &mut Rng, memory: &Memory) -> Request {
    let who = publisher(rng);
    let path = skill(rng, who);
    let request = match rng.below(12) {
        0 => Request::new(who, Method::DELETE, path),
        1 | 2 => {
            let body = json!({"to": 1 + rng.below(3), "reason": "back"});
            Request::post(who, format!("{path}/rollback"), body)
        }
        3 => {
            let digests: Vec<&String> = memory.digests.values().collect();
            let digest = match digests.len() {
                0 => format!("sha256:{}", "0".repeat(64)),
                count => digests[rng.below(count)].clone(),
            };
            Request::post(
                who,
                "/v1/recall",
                json!({"digest": digest, "reason": "a test"}),
            )
        }
        4 | 5 => {
            let tenant = if who == 6 { "globex" } else { "acme" };
            let (name, verb) = (rng.pick(&NAMES), rng.pick(&["hide", "show"]));
            let path = format!("/v1/skills/global/{}/{verb}", name.to_lowercase());
            Request::post(who, path, json!({"tenant": tenant, "reason": "a test"}))
        }
        _ => {
            let verb = rng.pick(&VERBS);
            let body = reason(rng);
            Request::post(who, format!("{path}/{verb}"), body)
        }
    };
    if rng.chance(40) {
        return request.header("idempotency-key", format!("key-{}", rng.below(3)));
    }
    request
}

fn roles(rng: &mut Rng) -> Request {
    let who = publisher(rng);
    let path = format!("/v1/roles/{}/{}", scope_of(rng, who), rng.pick(&ROLES));
    match rng.below(8) {
        0..4 => {
            let pre = rng.pick(&["if-none-match", "if-match"]);
            let name = if pre == "if-match" {
                "if-match"
            } else {
                "if-none-match"
            };
            Request::put(who, path, body(rng)).header(name, "*")
        }
        4 => Request::new(who, Method::DELETE, path).header("if-match", "*"),
        _ => {
            let skills: Vec<Value> = (0..rng.below(3))
                .map(|_| json!({"name": rng.pick(&NAMES).to_lowercase(), "mode": rng.pick(&["triggered", "ambient"])}))
                .collect();
            let body = json!({"skills": skills, "reason": "a test"});
            Request::put(who, format!("{path}/attachments"), body)
        }
    }
}

/// Members, settings, keys, sessions.
fn administer(rng: &mut Rng) -> Request {
    match rng.below(6) {
        0 => {
            let role = rng.pick(&["member", "auditor"]);
            Request::put(
                ROOT,
                "/v1/tenants/globex/members/mia",
                json!({"role": role}),
            )
        }
        1 => Request::new(ROOT, Method::DELETE, "/v1/tenants/globex/members/mia"),
        2 => {
            let body = json!({
                "max_cap": 5 + rng.below(100), "agent_own_scope": rng.pick(&["allow", "deny", "propose"]),
                "skills_per_actor": 3 + rng.below(50), "skills_per_tenant": 5 + rng.below(50),
                "revisions_per_skill": 5 + rng.below(50),
            });
            let tenant = rng.pick(&["acme", "globex"]);
            Request::put(ROOT, format!("/v1/tenants/{tenant}/settings"), body)
        }
        3 => Request::post(3, "/v1/keys", json!({"name": "mine"})),
        4 => Request::post(1, "/v1/services", json!({"tenant": "acme", "name": "desk"})),
        _ => {
            let body = json!({"username": "tom", "password": "a wrong password"});
            Request::post(rng.below(CAST), "/v1/login", body)
        }
    }
}

/// A catalog, or an opening.
fn take(rng: &mut Rng) -> Request {
    let who = if rng.chance(70) {
        AGENTS[rng.below(3)]
    } else {
        rng.below(CAST)
    };
    let mut body = json!({});
    if rng.chance(70) {
        body["turn"] = format!("t-{}", rng.below(6)).into();
    }
    if rng.chance(40) {
        body["role"] = (*rng.pick(&ROLES)).into();
    }
    if rng.chance(20) {
        body["session"] = "s-1".into();
    }
    if rng.chance(25) {
        body["context"] = context("task-start");
        return Request::post(who, "/v1/openings", body);
    }
    if rng.chance(40) {
        body["cap"] = (1 + rng.below(5)).into();
    }
    if rng.chance(20) {
        body["token_budget"] = (20 + rng.below(300)).into();
    }
    Request::post(who, "/v1/catalog", body)
}

fn load(rng: &mut Rng, memory: &Memory) -> Request {
    if memory.offers.is_empty() {
        return take(rng);
    }
    let (own, offer) =
        &memory.offers[memory.offers.len() - 1 - rng.below(memory.offers.len().min(8))];
    let who = if rng.chance(90) {
        *own
    } else {
        rng.below(CAST)
    };
    let name = rng.pick(&NAMES).to_lowercase();
    let mut body = json!({"offer": offer, "name": name});
    if rng.chance(25) {
        body["path"] = (*rng.pick(&["a", "b/c", "none"])).into();
        return Request::post(who, "/v1/load/file", body);
    }
    if rng.chance(40) {
        body["context"] = context("task-start");
    }
    Request::post(who, "/v1/load", body)
}

fn propose(rng: &mut Rng, memory: &Memory) -> Request {
    let who = rng.below(CAST);
    if memory.proposals.is_empty() || rng.chance(35) {
        let scope = ["tenant:acme", "tenant:acme", "tenant:globex", "global"][rng.below(4)];
        let text = rng.pick(&["a lesson", "another lesson"]);
        let mut body = proposal(scope, &rng.pick(&NAMES).to_lowercase(), text);
        if rng.chance(40) {
            body["files"] = json!([{"path": "a", "text": "proposed"}]);
        }
        return Request::post(who, "/v1/proposals", body);
    }
    let ids: Vec<&String> = memory.proposals.keys().collect();
    let id = ids[rng.below(ids.len())];
    let known = &memory.proposals[id];
    let path = format!("/v1/proposals/{id}");
    let decides = publisher(rng);
    match rng.below(10) {
        0 | 1 => Request::get(decides, path),
        2..5 => Request::post(decides, format!("{path}/decision"), approval(known)),
        5 => {
            let body = json!({"decision": "reject", "digest": known["digest"], "reason": "a test"});
            Request::post(decides, format!("{path}/decision"), body)
        }
        6 => Request::post(decides, format!("{path}/comments"), json!({"text": "why?"})),
        7 => {
            let mut body = content("a better lesson");
            body["rationale"] = "It is better.".into();
            Request::put(who, path, body)
        }
        8 => Request::post(who, format!("{path}/rebase"), json!({"reason": "a test"})),
        _ => Request::post(who, format!("{path}/withdraw"), json!({"reason": "a test"})),
    }
}

/// What came before with an idempotency key, with the same or another payload.
fn repeat(rng: &mut Rng, memory: &Memory) -> Request {
    if memory.keyed.is_empty() {
        return govern(rng, memory);
    }
    let mut request = memory.keyed[rng.below(memory.keyed.len())].clone();
    if rng.chance(30)
        && let Some(body) = &mut request.body
    {
        body["reason"] = "another".into();
    }
    request
}

fn read(rng: &mut Rng, memory: &Memory) -> Request {
    let who = rng.below(CAST);
    if !memory.next.is_empty() && rng.chance(25) {
        let (who, path) = &memory.next[rng.below(memory.next.len())];
        return Request::get(*who, path);
    }
    if rng.chance(15) {
        return upload(rng, who);
    }
    let path = skill(rng, who);
    let number = 1 + rng.below(3);
    let action = rng.pick(&["seal", "disable", "archive", "hide", "quarantine"]);
    let scope = scope_of(rng, who);
    let role = rng.pick(&ROLES);
    Request::get(
        who,
        match rng.below(24) {
            0 => path,
            1 => format!("{path}/revisions?limit=2"),
            2 => format!("{path}/revisions/{number}"),
            3 => format!("{path}/diff?from=1&to={number}"),
            4 => format!("{path}/blame"),
            5 => format!("{path}/impact?action={action}"),
            6 => format!("{path}/revisions/{number}/file?path=a"),
            7 => "/v1/skills?limit=2".to_owned(),
            8 => format!("/v1/skills?scope={scope}&limit=3"),
            9 => format!("/v1/skills?scope={scope}&status=archived"),
            10 => "/v1/skills?q=ones".to_owned(),
            11 => "/v1/skills?q=漢字"
                .replace('漢', "%E6%BC%A2")
                .replace('字', "%E5%AD%97"),
            12 => format!("/v1/roles/{scope}/{role}"),
            13 => format!("/v1/roles/{scope}/{role}/attachments"),
            14 => "/v1/explain/catalog?actor=tom".to_owned(),
            15 => format!("/v1/explain?action=publish-skill&target={scope}"),
            16 => "/v1/audit?limit=5".to_owned(),
            17 => "/v1/audit?action=publish-skill&limit=3".to_owned(),
            18 => "/v1/events?since=start&wait=0".to_owned(),
            19 => format!("/v1/recall/turns?scope={scope}&name=alpha&revision={number}"),
            20 => format!("/v1/recall/tenants?name=alpha&revision={number}"),
            21 => "/v1/proposals?limit=2".to_owned(),
            22 => "/v1/tenants/acme/services".to_owned(),
            _ => "/v1/me".to_owned(),
        },
    )
}

/// Bytes before they are published, or a skill with a file that was sent before.
fn upload(rng: &mut Rng, who: usize) -> Request {
    let bytes = json!(format!("bytes {}", rng.below(3)));
    let text = bytes.to_string();
    if rng.chance(50) {
        return Request::put(who, format!("/v1/blobs/{}", hex(text.as_bytes())), bytes)
            .header("content-type", "application/octet-stream");
    }
    let mut body = content("uploads");
    body["files"] = json!([{"path": "a", "digest": digest(text.as_bytes())}]);
    Request::put(who, skill(rng, who), body).header("if-match", "*")
}
