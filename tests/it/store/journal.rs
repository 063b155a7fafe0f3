//! What the journal holds is in the database when the server has stopped.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use vestry::server::{Server, ServerOptions};

use super::database::File;
use crate::harness::{People, TestServer, on_postgres, sqlite_only};

/// The lines of a tenant's journal, each batch checked against the digest that the audit chain has of it.
async fn lines(file: &File, tenant: &str) -> Vec<Value> {
    let mut lines = Vec::new();
    let sql = format!(
        "SELECT number, records, content FROM journal WHERE tenant = '{tenant}' ORDER BY number"
    );
    for row in file.rows(&sql).await {
        let number: i64 = row.try_get_by_index(0).unwrap();
        let records: i64 = row.try_get_by_index(1).unwrap();
        let content: Vec<u8> = row.try_get_by_index(2).unwrap();
        let digest: String = Sha256::digest(&content)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let sql = format!(
            "SELECT record FROM audit WHERE tenant = '{tenant}' AND action = 'journal' AND target = 'journal:{number}'"
        );
        let audited = file.rows(&sql).await;
        assert_eq!(audited.len(), 1);
        let record: Vec<u8> = audited[0].try_get_by_index(0).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        assert_eq!(record["detail"]["sha256"], format!("sha256:{digest}"));
        let before = lines.len();
        lines.extend(
            content
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty())
                .map(|line| serde_json::from_slice::<Value>(line).unwrap()),
        );
        assert_eq!(i64::try_from(lines.len() - before).unwrap(), records);
    }
    lines
}

#[tokio::test]
async fn offers_loads_mints_and_refusals_survive_a_drain() {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "refunds", "refunds")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let human = people.human("mia").await;
    let mut offers = 0;
    for turn in 0..5 {
        let catalog = agent.turn(&format!("t-{turn}")).await.expect(200);
        let unnamed = human
            .post("/v1/catalog", json!({"session": "s-1"}))
            .await
            .expect(200);
        offers += 2;
        for number in 0..3 {
            let load = json!({"offer": catalog.text("offer"), "name": "refunds", "tool_call": format!("c-{turn}-{number}")});
            agent.post("/v1/load", load).await.expect(200);
        }
        human
            .load(&unnamed.text("offer"), "refunds")
            .await
            .expect(200);
    }
    for _ in 0..7 {
        agent
            .create("tenant:acme", "payroll", "payroll")
            .await
            .expect(403);
    }
    human
        .create("tenant:acme", "payroll", "payroll")
        .await
        .expect(403);
    server.stop().await;

    let file = File::of(&server.directory).await;
    let lines = lines(&file, "acme").await;
    let of = |kind: &str| {
        lines
            .iter()
            .filter(|line| line["record"] == kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("offer").len(), offers);
    let loads = of("load");
    assert_eq!(loads.len(), 5 * 4);
    assert_eq!(of("mint").len(), 1);
    let by_agent: Vec<&&Value> = loads
        .iter()
        .filter(|line| line["principal"] == "agent:bot")
        .collect();
    assert_eq!(by_agent.len(), 15);
    for load in &by_agent {
        assert_eq!(load["acts_for"], "tom");
        assert_eq!(load["name"], "refunds");
        assert_eq!(load["scope"], "global");
        assert_eq!(load["revision"], 1);
        assert!(load["tool_call"].as_str().unwrap().starts_with("c-"));
        // The offer that it was loaded from is there too, and the snapshot of that.
        let offer = of("offer")
            .into_iter()
            .find(|offer| offer["offer"] == load["offer"])
            .unwrap();
        assert_eq!(offer["turn"], load["turn"]);
        let sql = format!(
            "SELECT count(*) FROM snapshots WHERE tenant = 'acme' AND digest = '{}'",
            offer["snapshot"].as_str().unwrap()
        );
        assert_eq!(file.number(&sql).await, 1);
    }
    let mut refusals: BTreeMap<String, u64> = BTreeMap::new();
    for row in file
        .rows("SELECT record FROM audit WHERE tenant = 'acme'")
        .await
    {
        let record: Vec<u8> = row.try_get_by_index(0).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        if record["verdict"] == "deny" {
            assert_eq!(record["target"], "tenant:acme");
            assert_eq!(record["action"], "publish-skill");
            let key = format!(
                "{} {}",
                record["principal"].as_str().unwrap(),
                record["rule"].as_str().unwrap()
            );
            *refusals.entry(key).or_default() += record["detail"]["count"].as_u64().unwrap();
        }
    }
    assert_eq!(
        refusals,
        BTreeMap::from([
            ("agent:bot humans-only".to_owned(), 7),
            ("human:mia needs-elevation".to_owned(), 1)
        ])
    );
    file.close().await;
    let reports = server.verify_audit().await;
    assert!(reports.iter().all(|report| report.faults.is_empty()));
}

/// The first refusal of a kind is recorded at once, its repeats together when the minute is over.
#[tokio::test]
async fn refusals_are_counted_by_the_minute() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let ines = people.human("ines").await;
    let counts = async || -> Vec<u64> {
        let log = ines
            .get("/v1/audit?action=seal-skill&limit=200")
            .await
            .expect(200);
        log.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|record| record["detail"]["count"].as_u64().unwrap())
            .collect()
    };
    agent.verb("tenant:acme", "x", "seal").await.expect(403);
    assert_eq!(counts().await, [1]);
    for _ in 0..4 {
        agent.verb("tenant:acme", "x", "seal").await.expect(403);
    }
    assert_eq!(
        counts().await,
        [1],
        "repeats wait for the end of their minute"
    );
    server.advance(60);
    assert_eq!(counts().await, [1, 4]);
    for _ in 0..3 {
        agent.verb("tenant:acme", "x", "seal").await.expect(403);
    }
    server.advance(60);
    for _ in 0..2 {
        agent.verb("tenant:acme", "x", "seal").await.expect(403);
    }
    assert_eq!(counts().await.iter().sum::<u64>(), 10);
}

/// A read of a scope that is not the caller's is refused, and recorded as such, although it is answered like nothing.
#[tokio::test]
async fn reads_of_foreign_scopes_are_recorded_as_refusals() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    agent
        .get("/v1/skills/tenant:globex/refunds")
        .await
        .expect_problem(404, "not-found");
    let ines = people.human("ines").await;
    let log = ines.get("/v1/audit?action=read-skill").await.expect(200);
    let items = log.body["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{}", log.body);
    assert_eq!(items[0]["target"], "tenant:globex");
    assert_eq!(items[0]["rule"], "not-in-scope");
    assert_eq!(items[0]["verdict"], "deny");
}

#[tokio::test]
async fn two_servers_cannot_share_a_directory() {
    if sqlite_only("replicas share a database, and keep nothing in the directory") {
        return;
    }
    let mut server = TestServer::start().await;
    let options = ServerOptions::new(
        server.directory.path().to_owned(),
        "127.0.0.1:0".parse().unwrap(),
    );
    let refused = Server::start(options.clone()).await.unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("is in use by another vestry server"),
        "{refused}"
    );
    server.client().get("/healthz").await.expect(200);
    server.stop().await;
    let second = Server::start(options).await.unwrap();
    assert!(second.store().ping().await.is_ok());
    second.store().close().await;
}

/// Loads and refusals wait while the database cannot be written, and are recorded when it can.
#[tokio::test]
async fn a_database_that_is_held_up_loses_neither_loads_nor_refusals() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "refunds", "refunds")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    let ines = people.human("ines").await;
    ines.get("/v1/audit").await.expect(200);
    let file = File::of(&server.directory).await;
    // As another process holds it, and for longer than the store waits by itself: SQLite five seconds for a lock, PostgreSQL ten.
    let (hold, seconds) = if on_postgres() {
        ("BEGIN; SELECT vestry_begin('*', '*')", 12)
    } else {
        ("BEGIN IMMEDIATE", 7)
    };
    file.run(hold).await;
    // A read is decided, and refused, without the writer.
    agent
        .get("/v1/skills/tenant:globex/refunds")
        .await
        .expect_problem(404, "not-found");
    agent.load(&offer, "refunds").await.expect(200);
    // After that the journal has to try again.
    tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
    file.run("ROLLBACK").await;
    let log = ines.get("/v1/audit?limit=200").await.expect(200);
    let records = log.body["items"].as_array().unwrap();
    assert_eq!(
        records
            .iter()
            .filter(|record| record["verdict"] == "deny")
            .count(),
        1
    );
    let last = records
        .iter()
        .rfind(|record| record["action"] == "journal")
        .unwrap();
    assert_eq!(last["detail"]["loads"], 1, "{last}");
    file.close().await;
}
