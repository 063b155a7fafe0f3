//! The authorization matrix (invariants 2, 3 and 4; threat 1): principals × elevation × relation × action × state.
//!
//! Every cell is decided twice, by the pure function and by the server over HTTP, and both must agree: the verdict,
//! and the rule wherever the server may say it. What they agree on is `matrix.txt`, one reviewed table;
//! `VESTRY_BLESS=1` writes it anew.

mod directory;
mod identity;
mod probe;
mod proposals;
mod roles;
mod skills;
mod table;
mod turns;

use std::path::Path;

use super::cast::Cast;
use crate::harness::blesses;
use probe::Probes;

pub(crate) use probe::Asked;

/// Every route that the matrix asks, in its order.
pub(crate) fn routes() -> Vec<Asked> {
    [
        turns::ROUTES,
        skills::ROUTES,
        roles::ROUTES,
        proposals::ROUTES,
        identity::ROUTES,
        directory::ROUTES,
        PUBLIC,
    ]
    .concat()
}

/// The routes that ask for no credential: whoever calls gets the same answer.
const PUBLIC: &[Asked] = &[
    ("POST", "/v1/login"),
    ("POST", "/v1/refresh"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("GET", "/problems"),
    ("GET", "/problems/{code}"),
    ("GET", "/openapi.json"),
    ("GET", "/docs"),
    ("GET", "/docs/style.css"),
    ("GET", "/v1/audit/key"),
    ("GET", "/.well-known/agent-skills/index.json"),
    ("GET", "/.well-known/agent-skills/{archive}"),
    ("GET", "/.well-known/agent-skills/{name}/{path}"),
    ("GET", "/.well-known/skills/index.json"),
    ("GET", "/.well-known/skills/{name}/{path}"),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_cell_is_decided_alike_by_the_rules_and_over_http() {
    let begun = std::time::Instant::now();
    let cast = Cast::new().await;
    let mut probes = Probes::new(&cast);
    turns::probe(&mut probes).await;
    skills::probe(&mut probes).await;
    roles::probe(&mut probes).await;
    proposals::probe(&mut probes).await;
    identity::probe(&mut probes).await;
    directory::probe(&mut probes).await;
    public(&mut probes).await;
    // Last, because what it ends stays ended.
    identity::probe_endings(&mut probes).await;
    let outcome = probes.finish().await;
    println!(
        "{} cells, {} requests, {:?}",
        outcome.cells,
        outcome.requests,
        begun.elapsed()
    );
    assert!(
        outcome.faults.is_empty(),
        "{} cells disagree:\n{}",
        outcome.faults.len(),
        outcome.faults.join("\n")
    );

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/access/matrix.txt");
    if blesses() {
        std::fs::write(&file, &outcome.table).unwrap();
    }
    let reviewed = std::fs::read_to_string(&file).unwrap_or_default();
    if let Some((number, (old, new))) = reviewed
        .lines()
        .chain(std::iter::repeat("<end>"))
        .zip(outcome.table.lines().chain(std::iter::once("<end>")))
        .enumerate()
        .find(|(_, (old, new))| old != new)
    {
        panic!(
            "{} differs at line {}:\n- {old}\n+ {new}\nReview the change, then run with VESTRY_BLESS=1.",
            file.display(),
            number + 1
        );
    }
    assert_eq!(reviewed.len(), outcome.table.len());
}

async fn public(probes: &mut Probes<'_>) {
    for (index, (method, path)) in PUBLIC.iter().enumerate() {
        let path = path
            .replace("{code}", "not-found")
            .replace("{archive}", "refunds.zip")
            .replace("{name}", "refunds")
            .replace("{path}", "SKILL.md");
        let body = match index {
            0 => Some(serde_json::json!({"username": "tom", "password": "a wrong password"})),
            1 => Some(serde_json::json!({"refresh_token": "no such token"})),
            _ => None,
        };
        probes.ask_public(PUBLIC[index], method, &path, body).await;
    }
}
