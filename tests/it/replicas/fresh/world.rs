//! What a worker has, and what every server has to say about it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::harness::{Client, People, Response, TestServer, elevate};
use crate::templates::rng::Rng;

/// A skill as it has to be.
#[derive(Debug, Clone, Default)]
pub(super) struct Skill {
    pub(super) description: String,
    pub(super) is_offered: bool,
    pub(super) is_archived: bool,
    pub(super) is_quarantined: bool,
    /// An offer of its current revision.
    pub(super) offer: Option<String>,
}

/// A tenant, its people, and the global skills that nobody else writes.
pub(super) struct World {
    pub(super) rng: Rng,
    /// One for each server.
    servers: Vec<Client>,
    pub(super) tenant: String,
    /// The name that its global skills begin with.
    pub(super) prefix: String,
    pub(super) root: String,
    pub(super) publisher: String,
    pub(super) agent: String,
    pub(super) skills: BTreeMap<(String, String), Skill>,
    /// Which of the global ones the tenant has hidden.
    pub(super) hidden: BTreeSet<String>,
    pub(super) is_attached: bool,
    pub(super) max_cap: u64,
    pub(super) number: u64,
    /// How many answers were compared.
    pub(super) compared: u64,
}

/// The skill that a role is given, and the role.
pub(super) const ATTACHED: &str = "for-support";
pub(super) const ROLE: &str = "support";

impl World {
    pub(super) async fn new(
        servers: &[TestServer],
        people: &mut People,
        worker: u64,
        seed: u64,
    ) -> Self {
        let tenant = format!("acme-{worker}");
        let publisher = format!("maria-{worker}");
        let leaver = format!("leaver-{worker}");
        people.tenant(&tenant).await;
        people.user(&publisher).await;
        people.user(&leaver).await;
        people
            .member(&tenant, &publisher, "publisher")
            .await
            .expect(200);
        let agent = people.agent(&tenant, "tom", "bot").await;
        let publisher = elevate(&people.human(&publisher).await, &format!("tenant:{tenant}")).await;
        let mut world = Self {
            rng: Rng::new(seed ^ (worker << 32)),
            servers: servers.iter().map(TestServer::client).collect(),
            prefix: format!("g{worker}-"),
            root: people.root.token().to_owned(),
            publisher: publisher.token().to_owned(),
            agent: agent.token().to_owned(),
            skills: BTreeMap::new(),
            hidden: BTreeSet::new(),
            is_attached: false,
            max_cap: 200,
            number: 0,
            compared: 0,
            tenant,
        };
        world.set_cap(0, 200).await;
        let scope = world.tenant_scope();
        publisher
            .create(&scope, ATTACHED, "support")
            .await
            .expect(201);
        world
    }

    pub(super) fn tenant_scope(&self) -> String {
        format!("tenant:{}", self.tenant)
    }

    /// A client of a server with a token.
    pub(super) fn at(&self, server: usize, token: &str) -> Client {
        self.servers[server].with_token(token)
    }

    /// A server, and another one.
    pub(super) fn two(&mut self) -> (usize, usize) {
        let one = self.rng.below(self.servers.len());
        let other = (one + 1 + self.rng.below(self.servers.len() - 1)) % self.servers.len();
        (one, other)
    }

    /// A text that was not written before.
    pub(super) fn text(&mut self) -> String {
        self.number += 1;
        format!("{} {}", self.prefix, self.number)
    }

    pub(super) async fn set_cap(&mut self, server: usize, max_cap: u64) {
        let path = format!("/v1/tenants/{}/settings", self.tenant);
        let settings = json!({"max_cap": max_cap, "agent_own_scope": "allow", "skills_per_actor": 200,
            "skills_per_tenant": 2000, "revisions_per_skill": 1_000_000});
        let publisher = self.at(server, &self.publisher);
        publisher.put(&path, settings).await.expect(200);
        self.max_cap = max_cap;
    }

    /// Takes a catalog, and compares what is its own in it.
    pub(super) async fn compare_catalog(
        &mut self,
        server: usize,
        role: bool,
        why: &str,
    ) -> Response {
        let mut body = json!({"cap": self.max_cap});
        if role {
            body["role"] = ROLE.into();
        }
        let agent = self.at(server, &self.agent);
        let catalog = agent.post("/v1/catalog", body).await.expect(200);
        let mut has = BTreeMap::new();
        for entry in catalog.body["entries"].as_array().unwrap() {
            let text = |field: &str| entry[field].as_str().unwrap().to_owned();
            let scope = text("scope");
            let is_own = scope != "global" || text("name").starts_with(&self.prefix);
            if is_own {
                has.insert((scope, text("name")), text("description"));
            }
        }
        let mut wants = BTreeMap::new();
        for ((scope, name), skill) in &self.skills {
            if skill.is_offered && !(scope == "global" && self.hidden.contains(name)) {
                wants.insert((scope.clone(), name.clone()), skill.description.clone());
            }
        }
        if role || !self.is_attached {
            let key = (self.tenant_scope(), ATTACHED.to_owned());
            wants.insert(key, "Use when support.".to_owned());
        }
        assert_eq!(has, wants, "a stale catalog at server {server} after {why}");
        self.compared += 1;
        catalog
    }

    /// Reads a skill, and compares it.
    pub(super) async fn compare_read(&mut self, server: usize, scope: &str, name: &str, why: &str) {
        let token = if scope == "global" {
            &self.root
        } else {
            &self.publisher
        };
        let token = if scope.starts_with("actor:") {
            &self.agent
        } else {
            token
        };
        let client = self.at(server, token);
        let skill = &self.skills[&(scope.to_owned(), name.to_owned())];
        let read = client
            .get(&format!("/v1/skills/{scope}/{name}"))
            .await
            .expect(200);
        let path = format!("/v1/skills?scope={scope}&limit=200");
        let list = client.get(&path).await.expect(200);
        let items = list.body["items"].as_array().unwrap();
        let listed = items.iter().find(|item| item["name"] == name);
        for (what, has) in [("skill", &read.body), ("listing", listed.unwrap())] {
            assert_eq!(
                has["description"],
                Value::from(skill.description.as_str()),
                "a stale {what} at server {server} after {why}"
            );
        }
        self.compared += 1;
    }
}
