//! How much an impact looks at: exact up to ten thousand actors, a lower bound beyond, by indexes whatever there is.

use std::time::Instant;

use serde_json::Value;

use super::database::File;
use crate::harness::{Client, People, TestServer, content, elevate, login, on_postgres};

/// Rows of actors that are known only by their named turns, and of actors with skills.
const TURNED: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {COUNT}) \
    INSERT INTO turns (tenant, actor, agent, turn, snapshot, cap, role, created_at) \
    SELECT 'acme', 'cust-' || substr(CAST(100000 + i AS TEXT), 2), 'bot', 't-' || k.k, 'sha256:0', 20, '', 9000000000000000 \
    FROM n, (SELECT 1 AS k UNION SELECT 2 UNION SELECT 3) AS k";
const SKILLED: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {COUNT}) \
    INSERT INTO skills (tenant, scope_kind, scope_id, kind, name, mode, sealed, disabled, archived, revision, \
    last_revision, files, description, digest, templated, recall, author_kind, author, created_at, updated_at) \
    SELECT 'acme', 2, 'cust-' || substr(CAST(100000 + i AS TEXT), 2), 0, k.name, 0, FALSE, FALSE, FALSE, 1, 1, 0, 'd', 'sha256:{ZEROS}', FALSE, 0, 1, \
    'agent:bot', 0, 0 FROM n, (SELECT 'mine' AS name UNION SELECT 'shared' UNION SELECT 'third') AS k";

async fn impact(client: &Client, name: &str) -> Value {
    let path = format!("/v1/skills/tenant:acme/{name}/check");
    client.post(&path, content("x")).await.expect(200).body["impact"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_are_exact_up_to_ten_thousand_and_a_lower_bound_beyond() {
    let mut server = TestServer::start().await;
    let _ = People::usual(&server).await;
    let fill = async |server: &mut TestServer, statements: &[String]| -> Client {
        server.stop().await;
        let file = File::of(&server.directory).await;
        for sql in statements {
            file.run(sql).await;
        }
        if on_postgres() {
            // Its own housekeeping does so a minute after as much was written; this test does not wait for that.
            file.run("ANALYZE").await;
        }
        file.close().await;
        server.restart().await;
        elevate(&login(&server.client(), "maria", None).await, "tenant:acme").await
    };
    // Five members beside.
    let known = [
        TURNED.replace("{COUNT}", "9995"),
        SKILLED
            .replace("{COUNT}", "4000")
            .replace("{ZEROS}", &"0".repeat(64)),
    ];
    let maria = fill(&mut server, &known).await;
    let before = Instant::now();
    let exact = impact(&maria, "shared").await;
    println!("10,000 actors, 12,000 skills: {:?}", before.elapsed());
    assert_eq!(exact["at_least"], false);
    assert_eq!(exact["actors"], 10_000);
    assert_eq!(exact["gains"]["actors"], 6_000);
    assert_eq!(exact["shadowed"]["actors"], 4_000);
    assert_eq!(exact["affected"]["actors"], 10_000);
    let named = exact["gains"]["named"].as_array().unwrap();
    assert_eq!(named.len(), 20);
    assert_eq!(named[0], "cust-04001");
    assert_eq!(exact["shadowed"]["named"][0], "cust-00001");

    let more = [
        "DELETE FROM turns".to_owned(),
        TURNED.replace("{COUNT}", "12000"),
    ];
    let maria = fill(&mut server, &more).await;
    let beyond = impact(&maria, "shared").await;
    assert_eq!(beyond["at_least"], true);
    assert_eq!(beyond["actors"], 10_000);
    assert_eq!(beyond["affected"]["actors"], 10_000);
    server.stop().await;
}
