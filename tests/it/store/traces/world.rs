//! One of the two servers, and everyone on it.

use std::sync::Arc;

use serde_json::json;
use vestry::entropy::SeededEntropy;

use super::requests::Request;
use crate::harness::{Builder, Client, Directory, People, Response, TestServer, elevate, login};

/// How many act. By their numbers: the administrator, two publishers of acme, its members `tom` and `mia`, its auditor, a
/// publisher and a member of globex, two agents of acme for `tom` and for somebody who is no user, one of globex, a service.
pub(super) const CAST: usize = 12;
pub(super) const ROOT: usize = 0;
pub(super) const PUBLISHERS: [usize; 4] = [0, 1, 2, 6];
pub(super) const AGENTS: [usize; 3] = [8, 9, 10];

pub(super) struct World {
    server: TestServer,
    people: People,
    clients: Vec<Client>,
}

impl World {
    pub(super) async fn new(seed: u64, directory: Directory) -> Self {
        let server = Builder {
            entropy: Some(Arc::new(SeededEntropy::new(seed))),
            sealed_per_scope: Some(2),
            keys_before: true,
            ..Builder::default()
        }
        .start_on(directory)
        .await;
        let people = People::usual(&server).await;
        let mut world = Self {
            server,
            people,
            clients: Vec::new(),
        };
        world.come_in().await;
        world
    }

    /// Everyone gets new tokens.
    async fn come_in(&mut self) {
        let client = self.server.client();
        let mut clients = Vec::new();
        for (user, scope) in [
            ("root", Some("global")),
            ("maria", Some("tenant:acme")),
            ("pavel", Some("tenant:acme")),
            ("tom", None),
            ("mia", None),
            ("ines", None),
            ("greta", Some("tenant:globex")),
            ("gus", None),
        ] {
            let tenant = match user {
                "root" => None,
                "greta" | "gus" => Some("globex"),
                _ => Some("acme"),
            };
            let human = login(&client, user, tenant).await;
            clients.push(match scope {
                Some(scope) => elevate(&human, scope).await,
                None => human,
            });
        }
        self.clients = clients;
        for (tenant, actor, agent) in [
            ("acme", "tom", "bot"),
            ("acme", "x1", "bot"),
            ("globex", "tom", "bot"),
        ] {
            let agent = self.people.agent(tenant, actor, agent).await;
            self.clients.push(agent);
            self.settle().await;
        }
        self.clients.push(self.people.service("acme").await);
        assert_eq!(self.clients.len(), CAST);
    }

    /// Time passes, and everyone comes in anew.
    pub(super) async fn later(&mut self, seconds: i64) {
        // Refusals that were counted are written when their minute is over, before anything else is.
        self.server.advance(61);
        self.settle().await;
        self.server.advance(seconds);
        self.come_in().await;
    }

    pub(super) fn tokens(&self) -> Vec<&str> {
        self.clients.iter().map(Client::token).collect()
    }

    /// What waits in the journal afterwards is written at once, so that it does not wait for chance.
    pub(super) async fn send(&self, request: &Request) -> Response {
        let headers: Vec<(&str, &str)> = request
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let (method, body) = (request.method.clone(), request.body.clone());
        let client = &self.clients[request.who];
        let answer = client.send(method, &request.path, &headers, body).await;
        self.settle_for(request.who).await;
        answer
    }

    /// What somebody's request left in the journal is of its own tenant.
    async fn settle_for(&self, who: usize) {
        let auditor = match who {
            ROOT => ROOT,
            6 | 7 | 10 => 6,
            _ => 5,
        };
        self.clients[auditor]
            .get("/v1/audit?limit=1")
            .await
            .expect(200);
    }

    async fn settle(&self) {
        for auditor in [ROOT, 5, 6] {
            self.settle_for(auditor).await;
        }
    }

    /// Stops the server; the audit chains have to hold.
    pub(super) async fn end(&mut self) {
        self.server.stop().await;
        for chain in self.server.verify_audit().await {
            assert_eq!(json!(chain.faults), json!([]), "{chain:?}");
        }
    }
}
