//! Servers beside each other in the test's process, on one database.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use vestry::clock::ManualClock;
use vestry::server::create_keys;

use crate::harness::postgres::{APPLICATION, Proxy, TestDatabase};
use crate::harness::{Builder, Client, Directory, START, Shared, TestServer, migrated};

/// A migrated database with nothing in it, and the keys of an installation.
pub(super) struct Ground {
    pub(super) database: TestDatabase,
    keys: Directory,
}

impl Ground {
    /// None, and a line that says so, where PostgreSQL is not installed.
    pub(super) async fn new() -> Option<Self> {
        let database = migrated().await?;
        let keys = Directory::new();
        let entropy = vestry::entropy::SeededEntropy::new(19);
        create_keys(keys.path(), vestry::server::DEFAULT_ISSUER, &entropy).unwrap();
        Some(Self { database, keys })
    }

    /// What tells a server to be one of the installation.
    pub(super) fn shared(&self) -> Shared {
        Shared {
            url: self.database.application_url.clone(),
            keys: self.keys.path().to_owned(),
        }
    }

    /// The same, over a line that fails as it is told.
    pub(super) fn shared_over(&self, proxy: &Proxy) -> Shared {
        Shared {
            url: self.url_at(proxy.address),
            ..self.shared()
        }
    }

    fn url_at(&self, address: SocketAddr) -> String {
        let database = &self.database;
        database
            .cluster
            .url_at(address, APPLICATION, &database.name)
    }

    /// A line to its database.
    pub(super) async fn line(&self) -> Proxy {
        Proxy::to(self.database.cluster.address()).await
    }

    /// So many servers, with one clock.
    pub(super) async fn servers(&self, count: u64, max_staleness: Duration) -> Vec<TestServer> {
        let clock = Arc::new(ManualClock::new(START));
        let mut servers = Vec::new();
        for seed in 0..count {
            let builder = Builder {
                seed,
                installation: Some(self.shared()),
                max_staleness,
                clock: Some(clock.clone()),
                ..Builder::default()
            };
            servers.push(builder.start().await);
        }
        servers
    }
}

/// Whoever acts, at another server.
pub(super) fn at(server: &TestServer, client: &Client) -> Client {
    server.client().with_token(client.token())
}

/// What a caller is offered: names and descriptions, in their order.
pub(super) fn entries(catalog: &crate::harness::Response) -> Vec<(String, String)> {
    let entries = catalog.body["entries"].as_array().unwrap();
    let text = |entry: &serde_json::Value, field: &str| entry[field].as_str().unwrap().to_owned();
    entries
        .iter()
        .map(|entry| (text(entry, "name"), text(entry, "description")))
        .collect()
}
