//! Every way in which a database fails has its answer, and none is a hang, a 500, or a second effect.

mod cut;
mod locked;
mod raised;
mod read_only;
mod silent;
mod vanished;

use hyper::Method;
use serde_json::{Value, json};

use super::beside::Ground;
use crate::harness::postgres::Proxy;
use crate::harness::{Builder, Client, People, Response, TestServer};

/// A server behind a line that fails, and who uses it.
struct Scene {
    ground: Ground,
    proxy: Proxy,
    server: TestServer,
    maria: Client,
    agent: Client,
}

impl Scene {
    /// With the skill `x` of acme, which has two revisions.
    async fn new() -> Option<Self> {
        let ground = Ground::new().await?;
        let proxy = ground.line().await;
        let builder = Builder {
            installation: Some(ground.shared_over(&proxy)),
            ..Builder::default()
        };
        let server = builder.start().await;
        let mut people = People::usual(&server).await;
        let maria = people.elevated("maria", "tenant:acme").await;
        let agent = people.agent("acme", "tom", "bot").await;
        maria.create("tenant:acme", "x", "one").await.expect(201);
        maria.update("tenant:acme", "x", "two").await.expect(200);
        Some(Self {
            ground,
            proxy,
            server,
            maria,
            agent,
        })
    }

    async fn catalog(&self) -> Response {
        self.agent.post("/v1/catalog", json!({})).await
    }

    async fn read(&self) -> Response {
        self.maria.get("/v1/skills/tenant:acme/x").await
    }

    /// A write that can be sent again: publishes a revision that there was.
    async fn write(&self, key: &str, to: u64) -> Response {
        let headers = [("idempotency-key", key)];
        let path = "/v1/skills/tenant:acme/x/rollback";
        self.maria
            .send(Method::POST, path, &headers, Some(json!({"to": to})))
            .await
    }

    async fn revision(&self) -> u64 {
        self.read().await.expect(200).body["revision"]
            .as_u64()
            .unwrap()
    }

    /// A transaction that wrote in acme, as another server's would, and does not end for so many seconds.
    async fn stuck(&self, seconds: u64) -> tokio::task::JoinHandle<()> {
        let database = &self.ground.database;
        let (cluster, url) = (database.cluster.clone(), database.superuser_url.clone());
        let sql = format!(
            "BEGIN;\nSELECT vestry_begin('acme', 'acme');\nSELECT pg_sleep({seconds});\nCOMMIT;\n"
        );
        let held = tokio::spawn(async move {
            cluster.try_sql(&url, &sql).await.unwrap();
        });
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        held
    }

    /// Waits until it wants requests.
    async fn until_ready(&self) {
        for _ in 0..1_000 {
            if self.server.client().get("/readyz").await.status == 200 {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("it does not get ready");
    }

    /// The chain and everything else hold.
    async fn holds(&self) {
        for chain in self.server.verify_audit().await {
            assert!(chain.faults.is_empty(), "{chain:?}");
        }
    }
}

/// 503 with one of these codes, and when to come again.
#[track_caller]
fn unavailable(answer: Response, codes: &[&str]) -> Response {
    let answer = answer.expect(503);
    assert!(codes.contains(&answer.code()), "{}", answer.body);
    let after = answer
        .headers
        .get("retry-after")
        .and_then(|after| after.to_str().ok());
    let seconds: Option<u64> = after.and_then(|after| after.parse().ok());
    assert!(seconds.is_some_and(|seconds| seconds >= 1), "{after:?}");
    assert_ne!(answer.body["detail"], Value::Null);
    answer
}
