//! What makes it fast keeps what was promised: how many statements a publication takes, who wins a turn of a large batch,
//! that turns do not keep writers out, and that a remembered credential ends when it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use vestry::store::{Point, Probe};

use super::database::File;
use crate::harness::{Builder, Client, People, TestServer};

/// Keeps the statements of the writing connection.
#[derive(Default)]
struct Statements(Mutex<Vec<String>>);

impl Statements {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Probe for Statements {
    fn reached(&self, _: Point) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }

    /// Those that go together are counted one by one; what opens a transaction with its locks is no more than BEGIN IMMEDIATE is.
    fn statement(&self, sql: &str) {
        let each = sql
            .split(";\n")
            .filter(|sql| !sql.starts_with("SELECT vestry_begin("))
            .map(ToOwned::to_owned);
        self.0.lock().unwrap().extend(each);
    }
}

/// BEGIN and COMMIT are not among those that are seen.
#[tokio::test]
async fn a_publication_takes_at_most_eight_statements() {
    let statements = Arc::new(Statements::default());
    let server = Builder {
        probe: Some(statements.clone()),
        ..Builder::default()
    }
    .start()
    .await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    // What the journal has to write is written before, and the clock stands still.
    people.root.get("/v1/audit").await.expect(200);
    // What the skill overrides is read with the facts, and kept with the row.
    people
        .root
        .create("global", "notes", "wider")
        .await
        .expect(201);
    statements.take();
    agent.create("actor:tom", "notes", "one").await.expect(201);
    let created = statements.take();
    assert!((1..=6).contains(&created.len()), "{created:#?}");
    agent.update("actor:tom", "notes", "two").await.expect(200);
    let updated = statements.take();
    assert!((1..=6).contains(&updated.len()), "{updated:#?}");
    people
        .root
        .update("global", "notes", "wider, later")
        .await
        .expect(200);
    statements.take();
    let again = agent.update("actor:tom", "notes", "two").await.expect(200);
    assert_eq!(again.body["unchanged"], false, "it acknowledges");
    let acknowledged = statements.take();
    assert!((1..=6).contains(&acknowledged.len()), "{acknowledged:#?}");
    // The head of the chain moved although no statement moved it.
    let mut server = server;
    server.stop().await;
    let reports = server.verify_audit().await;
    assert!(
        reports.iter().all(|report| report.faults.is_empty()),
        "{reports:?}"
    );
}

/// More turns than one statement inserts, some asked for by several at once, and some taken before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_turns_at_once_have_one_winner_each() {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people.root.create("global", "a", "a").await.expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let mut before = BTreeMap::new();
    for turn in 0..20 {
        let catalog = agent.turn(&format!("t-{turn}")).await.expect(200);
        before.insert(turn, catalog.text("etag"));
    }
    people.root.create("global", "b", "b").await.expect(201);
    // Known turns are asked of the database too.
    server.restart().await;
    people.at(&server);
    let agent = server.client().with_token(agent.token());
    let asked: Vec<_> = (0..400)
        .map(|number| {
            let agent = agent.clone();
            tokio::spawn(async move {
                let turn = number % 200;
                let catalog = agent.turn(&format!("t-{turn}")).await.expect(200);
                (turn, catalog.text("etag"))
            })
        })
        .collect();
    let mut etags: BTreeMap<i32, BTreeSet<String>> = BTreeMap::new();
    for task in asked {
        let (turn, etag) = task.await.unwrap();
        etags.entry(turn).or_default().insert(etag);
    }
    assert_eq!(etags.len(), 200);
    for (turn, etags) in &etags {
        assert_eq!(etags.len(), 1, "t-{turn} has two catalogs");
        if let Some(etag) = before.get(turn) {
            assert!(etags.contains(etag), "t-{turn} was taken before");
        }
    }
    let new: BTreeSet<_> = etags.range(20..).flat_map(|(_, etags)| etags).collect();
    assert_eq!(new.len(), 1);
    server.stop().await;
    let file = File::of(&server.directory).await;
    let turns = file
        .number("SELECT count(*) FROM turns WHERE tenant = 'acme'")
        .await;
    assert_eq!(turns, 200);
    // The audit log names each turn once.
    let mut named = Vec::new();
    for row in file
        .rows("SELECT record FROM audit WHERE tenant = 'acme' AND action = 'take-catalog'")
        .await
    {
        let record: Vec<u8> = row.try_get_by_index(0).unwrap();
        let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
        for turn in record["detail"]["turns"].as_array().unwrap() {
            named.push(turn[2].as_str().unwrap().to_owned());
        }
    }
    let distinct: BTreeSet<_> = named.iter().collect();
    assert_eq!((named.len(), distinct.len()), (200, 200));
    file.close().await;
}

/// Turns are claimed without a pause; whoever publishes gets through nonetheless.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_do_not_keep_writers_out() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people.root.create("global", "a", "a").await.expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let is_over = Arc::new(AtomicBool::new(false));
    let taken = Arc::new(AtomicU64::new(0));
    let turns: Vec<_> = (0..32)
        .map(|task| {
            let (agent, is_over, taken) = (agent.clone(), Arc::clone(&is_over), Arc::clone(&taken));
            tokio::spawn(async move {
                let mut number = 0;
                while !is_over.load(Ordering::Relaxed) {
                    agent.turn(&format!("t-{task}-{number}")).await.expect(200);
                    number += 1;
                    taken.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let root = people.root.clone();
    let publishing = async move {
        for number in 0..20 {
            root.create("global", &format!("b-{number}"), "b")
                .await
                .expect(201);
        }
    };
    tokio::time::timeout(Duration::from_secs(60), publishing)
        .await
        .expect("twenty publications in a minute");
    let beside = taken.load(Ordering::Relaxed);
    is_over.store(true, Ordering::Relaxed);
    for task in turns {
        task.await.unwrap();
    }
    assert!(beside > 0, "no turn was taken beside the publications");
}

/// A credential that was verified is remembered; each way in which it can end is asked every time.
#[tokio::test]
async fn a_remembered_credential_ends_when_it_ends() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let works_twice = async |client: &Client| {
        client.get("/v1/me").await.expect(200);
        client.get("/v1/me").await.expect(200);
    };
    // A logout.
    let mia = people.human("mia").await;
    let pavel = people.human("pavel").await;
    works_twice(&mia).await;
    works_twice(&pavel).await;
    mia.post("/v1/logout", json!({})).await;
    mia.get("/v1/me").await.expect(401);
    works_twice(&pavel).await;
    // The end of its time.
    server.advance(14 * 60);
    works_twice(&pavel).await;
    server.advance(2 * 60);
    pavel.get("/v1/me").await.expect(401);
    // A membership that ends, for the human and for the agent that acts for it.
    people.root = people.human("root").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let tom = people.human("tom").await;
    works_twice(&agent).await;
    works_twice(&tom).await;
    let root = people.elevated("root", "global").await;
    root.delete("/v1/tenants/acme/members/tom").await;
    tom.get("/v1/me").await.expect(401);
    agent.get("/v1/me").await.expect(401);
    // A credential that differs in one character is another one.
    let other = people.agent("acme", "tam", "bot").await;
    works_twice(&other).await;
    let mut token = other.token().to_owned();
    let last = token.pop().unwrap();
    token.push(if last == 'A' { 'B' } else { 'A' });
    other.with_token(token).get("/v1/me").await.expect(401);
}
