//! The machine of the database vanishes: the connections that were there are silent for ever, and nobody is told so. Another one
//! takes its place, to which new connections lead.

use std::time::{Duration, Instant};

use hyper::Method;
use serde_json::json;

use super::{Scene, unavailable};
use crate::harness::{Client, Spawned, elevate, login};
use crate::replicas::installation::{Installation, service_key};

/// Longer than a round trip is waited for, and shorter than a request is.
const TOLD: Duration = Duration::from_secs(27);

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_it_is_told_and_the_next_one_is_answered() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    scene.catalog().await.expect(200);
    let held = scene.stuck(3).await;
    let began = Instant::now();
    let writes = scene.write("k-1", 1);
    // In the middle of its transaction, and of many reads.
    let vanishes = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        scene.read().await.expect(200);
        scene.proxy.vanish();
        let reads = (0..8).map(|_| {
            let maria = scene.maria.clone();
            tokio::spawn(async move { maria.get("/v1/skills/tenant:acme/x").await })
        });
        let mut told = 0;
        for read in reads.collect::<Vec<_>>() {
            let read = read.await.unwrap();
            if read.status != 200 {
                unavailable(read, &["database-unavailable"]);
                told += 1;
            }
        }
        told
    };
    let (write, told) = tokio::join!(writes, vanishes);
    println!(
        "the write after {:?}, {told} reads in vain",
        began.elapsed()
    );
    assert!(began.elapsed() < TOLD, "{:?}", began.elapsed());
    // Not sent to be committed, so nothing of it is there.
    unavailable(write, &["database-unavailable"]);
    let answered = Instant::now();
    scene.until_ready().await;
    assert_eq!(scene.revision().await, 2);
    assert_eq!(scene.write("k-1", 1).await.expect(200).body["revision"], 3);
    scene.catalog().await.expect(200);
    let of_now = answered.elapsed();
    assert!(of_now < Duration::from_secs(8), "{of_now:?}");
    held.await.unwrap();
    scene.holds().await;
}

/// Clients that leave while they wait leave connections behind that nobody waits for any more.
#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_wait_takes_no_connection_with_them() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    // So many connections as there are.
    let many = |patience: Duration| {
        let reads = (0..40).map(|_| {
            let maria = scene.maria.clone();
            let read = async move { maria.get("/v1/skills/tenant:acme/x").await.status };
            tokio::spawn(tokio::time::timeout(patience, read))
        });
        reads.collect::<Vec<_>>()
    };
    for read in many(Duration::from_secs(10)) {
        assert_eq!(read.await.unwrap().unwrap(), 200);
    }
    scene.proxy.vanish();
    for read in many(Duration::from_millis(300)) {
        let _ = read.await.unwrap();
    }
    let began = Instant::now();
    while scene.read().await.status != 200 {
        assert!(began.elapsed() < Duration::from_secs(15), "it is not back");
    }
    println!("read after {:?}", began.elapsed());
    scene.until_ready().await;
    scene.write("k-1", 1).await.expect(200);
    println!("written after {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(25));
    scene.holds().await;
}

/// `/readyz` says what is true within seconds, and finds the way to the next database by itself.
#[tokio::test(flavor = "multi_thread")]
async fn readiness_is_the_truth_within_seconds() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let client = scene.server.client();
    client.get("/readyz").await.expect(200);
    scene.proxy.stall();
    for _ in 0..3 {
        let began = Instant::now();
        unavailable(
            client.get("/readyz").await,
            &["busy", "database-unavailable"],
        );
        assert!(began.elapsed() < Duration::from_secs(7));
    }
    // What was there stays silent.
    scene.proxy.vanish();
    scene.proxy.pass().await;
    let began = Instant::now();
    scene.until_ready().await;
    scene.read().await.expect(200);
    println!("ready and read after {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(12));
}

/// A server on a cluster whose commits can be told to wait for a standby that is not there, as when it has just been lost.
struct Alone {
    installation: Installation,
    _server: Spawned,
    maria: Client,
    agent: Client,
}

impl Alone {
    async fn new() -> Option<Self> {
        let installation = Installation::new().await?;
        let server = installation.serve_at(installation.cluster.address()).await;
        let client = Client::new(server.address);
        let key = service_key(&client).await;
        let mint = json!({"actor": {"id": "tom"}, "agent": "bot", "ttl_seconds": 3600});
        let minted = client.with_token(key).post("/v1/token", mint).await;
        let agent = client.with_token(minted.expect(200).text("access_token"));
        let maria = elevate(&login(&client, "maria", None).await, "tenant:acme").await;
        maria.create("tenant:acme", "x", "one").await.expect(201);
        maria.update("tenant:acme", "x", "two").await.expect(200);
        Some(Self {
            installation,
            _server: server,
            maria,
            agent,
        })
    }

    /// Whether commits wait without end.
    async fn waits(&self, so: bool) {
        let of = if so { "'FIRST 1 (nobody)'" } else { "''" };
        let cluster = &self.installation.cluster;
        cluster.set("synchronous_standby_names", of).await;
        // It is read soon after.
        tokio::time::sleep(Duration::from_millis(300)).await;
    }

    /// In how many rows something is.
    async fn rows_with(&self, table: &str, column: &str, what: &str) -> String {
        let sql =
            format!("SELECT count(*) FROM {table} WHERE position('{what}'::bytea IN {column}) > 0");
        self.installation.sql(&sql).await
    }
}

/// What was sent to be committed has one effect, though nobody answered: a write, and the lines of the journal.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_nobody_answers_has_one_effect() {
    let Some(alone) = Alone::new().await else {
        return;
    };
    alone.waits(true).await;
    // The catalog and the refusal are answered, and written down by themselves; a turn that was named waits for that.
    let once = json!({"session": "once"});
    let catalog = alone.agent.post("/v1/catalog", once).await.expect(200);
    let refused = alone.agent.load(&catalog.text("offer"), "nothing").await;
    refused.expect_problem(404, "skill-not-offered");
    tokio::time::sleep(Duration::from_millis(600)).await;
    let began = Instant::now();
    let named = json!({"turn": "t-1", "session": "named"});
    unavailable(
        alone.agent.post("/v1/catalog", named.clone()).await,
        &["outcome-unknown", "database-unavailable", "busy"],
    );
    assert!(began.elapsed() < TOLD, "{:?}", began.elapsed());
    // Until the commit is given up, and asked about.
    tokio::time::sleep(Duration::from_secs(20).saturating_sub(began.elapsed())).await;
    alone.waits(false).await;
    let began = Instant::now();
    while alone.agent.post("/v1/catalog", named.clone()).await.status != 200 {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "no turn is taken"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(alone.rows_with("journal", "content", "once").await, "1");
    assert_eq!(
        alone
            .rows_with("audit", "record", "\"verdict\":\"deny\"")
            .await,
        "1"
    );

    alone.waits(true).await;
    let rollback = json!({"to": 1});
    let write = async || {
        let headers = [("idempotency-key", "k-1")];
        let path = "/v1/skills/tenant:acme/x/rollback";
        let body = Some(rollback.clone());
        alone.maria.send(Method::POST, path, &headers, body).await
    };
    let began = Instant::now();
    unavailable(write().await, &["outcome-unknown"]);
    println!("told after {:?}", began.elapsed());
    assert!(began.elapsed() < TOLD, "{:?}", began.elapsed());
    alone.waits(false).await;
    assert_eq!(write().await.expect(200).body["revision"], 3);
    let read = alone
        .maria
        .get("/v1/skills/tenant:acme/x")
        .await
        .expect(200);
    assert_eq!(read.body["revision"], 3);
    let address = alone.installation.cluster.address();
    alone.installation.verifies_at(address).await;
}
