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
use crate::harness::{Directory, PASSWORD, People, Response, TestServer};

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
pub(crate) fn said(response: &Response) -> String {
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

/// Lives through the days of acme.
async fn lived(has_busy: bool, directory: Directory) -> Twin {
    let mut twin = Twin::new(has_busy, directory).await;
    live(&mut twin).await;
    twin
}

#[track_caller]
fn answered_alike(one: &Twin, other: &Twin) {
    for ((what, one), (_, other)) in one.diary.iter().zip(&other.diary) {
        assert_eq!(one, other, "{what}");
    }
    assert_eq!(one.diary.len(), other.diary.len());
}

/// On SQLite, and on PostgreSQL where row-level security stands between the tenants too. What acme is answered is the same on
/// both (invariant 21).
#[tokio::test(flavor = "multi_thread")]
async fn a_busy_tenant_changes_no_byte_of_what_another_is_answered() {
    println!("seed {SEED}");
    let (quiet, busy) = tokio::join!(
        lived(false, Directory::in_sqlite()),
        lived(true, Directory::in_sqlite())
    );
    let mut others = vec![busy];
    if let (Some(one), Some(two)) = (Directory::in_postgres(), Directory::in_postgres()) {
        let (quiet, busy) = tokio::join!(lived(false, one), lived(true, two));
        others.extend([quiet, busy]);
    }
    for other in &others {
        answered_alike(&quiet, other);
    }
    let busy: Vec<usize> = others.iter().map(|twin| twin.round).collect();
    println!("{} answers, busy times {busy:?}", quiet.diary.len());
    assert!(busy[0] > 10, "globex was busy {busy:?} times");
    assert!(busy.get(2).is_none_or(|times| *times > 10), "{busy:?}");

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
