//! A fill of the cache that a write overtakes.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use vestry::store::{Point, Probe};

use super::catalog;
use crate::harness::{Builder, Client, People, Response, TestServer};

/// Holds up the next fill of the cache that comes by while it is armed.
struct Gate {
    is_armed: AtomicBool,
    reached: Semaphore,
    released: Semaphore,
}

impl Gate {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            is_armed: AtomicBool::new(false),
            reached: Semaphore::new(0),
            released: Semaphore::new(0),
        })
    }
}

impl Probe for Gate {
    fn reached(&self, point: Point) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            if point == Point::ScopeRead && self.is_armed.swap(false, Ordering::SeqCst) {
                self.reached.add_permits(1);
                self.released.acquire().await.unwrap().forget();
            }
        })
    }
}

fn names(catalog: &Response) -> Vec<String> {
    catalog.body["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let shadows = entry.get("shadows").cloned().unwrap_or_default();
            format!(
                "{} {} r{} {} {shadows}",
                entry["name"], entry["scope"], entry["revision"], entry["sealed"]
            )
        })
        .collect()
}

/// One write; with what the catalog shows after it, in words of its own.
#[derive(Debug, Clone, Copy)]
enum Write {
    Create,
    Update,
    Archive,
    Disable,
    Quarantine,
    Seal,
    Hide,
    Rollback,
    TenantCreate,
    OwnCreate,
}

const WRITES: [Write; 10] = [
    Write::Create,
    Write::Update,
    Write::Archive,
    Write::Disable,
    Write::Quarantine,
    Write::Seal,
    Write::Hide,
    Write::Rollback,
    Write::TenantCreate,
    Write::OwnCreate,
];

struct World {
    server: TestServer,
    gate: Arc<Gate>,
    root: Client,
    maria: Client,
    agent: Client,
}

impl World {
    async fn new() -> Self {
        let gate = Gate::new();
        let server = Builder {
            probe: Some(gate.clone()),
            ..Builder::default()
        }
        .start()
        .await;
        let mut people = People::usual(&server).await;
        people
            .root
            .create("global", "refunds", "refunds, first")
            .await
            .expect(201);
        people
            .root
            .update("global", "refunds", "refunds")
            .await
            .expect(200);
        let maria = people.elevated("maria", "tenant:acme").await;
        let agent = people.agent("acme", "tom", "bot").await;
        Self {
            server,
            gate,
            root: people.root.clone(),
            maria,
            agent,
        }
    }

    /// Makes the fill of the scope that `write` is about begin again with the next catalog.
    async fn stir(&self, write: Write) {
        match write {
            Write::Hide | Write::TenantCreate => {
                self.maria
                    .create("tenant:acme", "stirred", "what was stirred")
                    .await
                    .expect(201);
            }
            Write::OwnCreate => {
                self.agent
                    .create("actor:tom", "stirred", "what was stirred")
                    .await
                    .expect(201);
            }
            _ => {
                self.root
                    .create("global", "stirred", "what was stirred")
                    .await
                    .expect(201);
            }
        }
    }

    async fn write(&self, write: Write) {
        let Self {
            root, maria, agent, ..
        } = self;
        match write {
            Write::Create => root.create("global", "later", "later").await.expect(201),
            Write::Update => root
                .update("global", "refunds", "refunds, newly")
                .await
                .expect(200),
            Write::Archive => root.delete("/v1/skills/global/refunds").await.expect(200),
            Write::Disable => root.verb("global", "refunds", "disable").await.expect(200),
            Write::Quarantine => root
                .verb("global", "refunds", "quarantine")
                .await
                .expect(200),
            Write::Seal => root.verb("global", "refunds", "seal").await.expect(200),
            Write::Hide => {
                let body = json!({"tenant": "acme", "reason": "a test"});
                maria
                    .post("/v1/skills/global/refunds/hide", body)
                    .await
                    .expect(200)
            }
            Write::Rollback => root
                .post("/v1/skills/global/refunds/rollback", json!({"to": 1}))
                .await
                .expect(200),
            Write::TenantCreate => maria
                .create("tenant:acme", "refunds", "at acme")
                .await
                .expect(201),
            Write::OwnCreate => agent
                .create("actor:tom", "refunds", "of tom")
                .await
                .expect(201),
        };
    }
}

/// Whether a catalog shows the write.
fn shows(write: Write, catalog: &Response) -> bool {
    let entries = catalog.body["entries"].as_array().unwrap();
    let refunds = entries.iter().find(|entry| entry["name"] == "refunds");
    match write {
        Write::Create => entries.iter().any(|entry| entry["name"] == "later"),
        Write::Update | Write::Rollback => refunds.is_some_and(|entry| entry["revision"] == 3),
        Write::Archive | Write::Disable | Write::Quarantine | Write::Hide => refunds.is_none(),
        Write::Seal => refunds.is_some_and(|entry| entry["sealed"] == true),
        Write::TenantCreate => refunds.is_some_and(|entry| entry["scope"] == "tenant:acme"),
        Write::OwnCreate => refunds.is_some_and(|entry| entry["scope"] == "actor:tom"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fill_that_began_before_a_commit_does_not_survive_it() {
    for write in WRITES {
        // The held fill goes on before the next catalog starts, or after that has filled the cache anew.
        for release_first in [false, true] {
            let world = World::new().await;
            assert!(!shows(write, &catalog(&world.agent).await));
            world.stir(write).await;
            world.gate.is_armed.store(true, Ordering::SeqCst);
            let held = tokio::spawn({
                let agent = world.agent.clone();
                async move { catalog(&agent).await }
            });
            let reached = world.gate.reached.acquire();
            tokio::time::timeout(Duration::from_secs(10), reached)
                .await
                .expect("a catalog after a write reads the scope again")
                .unwrap()
                .forget();
            world.write(write).await;
            let what = format!("{write:?}, released first: {release_first}");
            if release_first {
                world.gate.released.add_permits(1);
                held.await.unwrap();
            } else {
                let fresh = catalog(&world.agent).await;
                assert!(shows(write, &fresh), "{what}: {:?}", names(&fresh));
                world.gate.released.add_permits(1);
                held.await.unwrap();
            }
            for _ in 0..3 {
                let after = catalog(&world.agent).await;
                assert!(shows(write, &after), "{what}: {:?}", names(&after));
                let listing = world.agent.get("/v1/skills").await.expect(200);
                assert_eq!(listing.body["items"], after.body["entries"], "{what}");
            }
            drop(world.server);
        }
    }
}
