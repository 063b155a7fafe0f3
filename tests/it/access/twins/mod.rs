//! Operations in one tenant change no byte of any response in another (invariant 17, threat 8).
//!
//! Two servers of one seed and one clock live through the same days of the tenant `acme`. In one of them `globex` is
//! busy in between: it does everything that it can, and tries what it cannot. What acme and the installation's
//! administrator are answered must be the same in both, to the byte: tokens, offers, ids, hashes and cursors too, because
//! whenever globex acts, randomness comes from another stream.
//!
//! Masked is the `date` header alone, which hyper takes from the machine. Left out is `GET /metrics`, which counts
//! everyone's requests, for the operator.

mod busy;
mod day;
mod ids;
mod pairs;
mod proposed;
mod roles;
mod twin;

use serde_json::json;
use vestry::http::routes::table;

use self::day::live;
use self::twin::{SEED, Twin};
use crate::harness::{PASSWORD, People, Response, TestServer};

const SKILL: &str = "/v1/skills/{scope}/{name}";
const REVISIONS: &str = "/v1/skills/{scope}/{name}/revisions";
const REVISION: &str = "/v1/skills/{scope}/{name}/revisions/{revision}";
const FILE: &str = "/v1/skills/{scope}/{name}/revisions/{revision}/file";
const BLOB: &str = "/v1/blobs/{sha256}";
const DIFF: &str = "/v1/skills/{scope}/{name}/diff";
const IMPACT: &str = "/v1/skills/{scope}/{name}/impact";
const BLAME: &str = "/v1/skills/{scope}/{name}/blame";
const MEMBER: &str = "/v1/tenants/{tenant}/members/{username}";
const SETTINGS: &str = "/v1/tenants/{tenant}/settings";

const VERBS: &[(&str, &str)] = &[
    ("disable", "/v1/skills/{scope}/{name}/disable"),
    ("enable", "/v1/skills/{scope}/{name}/enable"),
    ("quarantine", "/v1/skills/{scope}/{name}/quarantine"),
    ("release", "/v1/skills/{scope}/{name}/release"),
    ("seal", "/v1/skills/{scope}/{name}/seal"),
    ("unseal", "/v1/skills/{scope}/{name}/unseal"),
];

/// An answer, but for the time of the machine.
fn said(response: &Response) -> String {
    let mut headers: Vec<String> = response
        .headers
        .iter()
        .filter(|(name, _)| name.as_str() != "date")
        .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        .collect();
    headers.sort();
    format!(
        "{}\n{}\n\n{}",
        response.status,
        headers.join("\n"),
        String::from_utf8_lossy(&response.bytes)
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_tenant_changes_no_byte_of_what_another_is_answered() {
    println!("seed {SEED}");
    let mut quiet = Twin::new(false).await;
    live(&mut quiet).await;
    let mut busy = Twin::new(true).await;
    live(&mut busy).await;
    assert!(busy.round > 10, "globex was busy {} times", busy.round);
    for ((what, quiet), (_, busy)) in quiet.diary.iter().zip(&busy.diary) {
        assert_eq!(quiet, busy, "{what}");
    }
    assert_eq!(quiet.diary.len(), busy.diary.len());
    println!("{} answers, {} busy times", quiet.diary.len(), busy.round);

    let missed: Vec<String> = table()
        .rows()
        .into_iter()
        .map(|(method, path, _)| (method.to_string(), path))
        .filter(|(method, path)| {
            // What the public counters count is everyone's.
            *path != "/metrics"
                && *path != "/v1/tenants/{tenant}/services/{service}"
                && !quiet.asked.contains(&(method.clone(), *path))
        })
        .map(|(method, path)| format!("{method} {path}"))
        .collect();
    assert!(missed.is_empty(), "nobody asked {missed:?}");
}

/// What another tenant's publisher can do to someone's login today: whoever is made a member of a second tenant has to
/// name the tenant from then on. Nothing else changes; design §4.4 has the tenant optional for members of one only.
#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_membership_changes_only_the_login_that_names_no_tenant() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let greta = people.elevated("greta", "tenant:globex").await;
    let tom = people.human("tom").await;
    let me = tom.get("/v1/me").await.expect(200).body;
    greta
        .put("/v1/tenants/globex/members/tom", json!({"role": "member"}))
        .await
        .expect(200);
    assert_eq!(tom.get("/v1/me").await.expect(200).body, me);
    let body = json!({"username": "tom", "password": PASSWORD});
    server
        .client()
        .post("/v1/login", body)
        .await
        .expect_problem(409, "conflict");
    assert_eq!(
        people
            .human_in("tom", "acme")
            .await
            .get("/v1/me")
            .await
            .body["scopes"],
        me["scopes"]
    );
}
