//! A world on a server.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::case_format::{
    Distinct, KEEPER, MAKER as THE_MAKER, Setting, State, TenantRow, World,
};
use crate::harness::{Builder, Client, PASSWORD, TestServer, elevate, login};

pub(super) const SEED: u64 = 47;

/// A world on a server.
pub(super) struct Built<'a> {
    pub(super) world: &'a World,
    pub(super) server: TestServer,
    /// A global administrator that is in no case, elevated for global.
    pub(super) keeper: Client,
    /// Keys of the services, and their ids.
    pub(super) services: BTreeMap<String, (Client, String)>,
    /// The tokens of humans who were removed since.
    pub(super) removed: BTreeMap<String, Client>,
    /// The proposals, by what the world calls them, as they were answered.
    pub(super) proposals: BTreeMap<String, Value>,
}

/// Someone who makes what the cases find: a publisher of every tenant.
pub(super) const MAKER: &str = THE_MAKER;
/// A user who is nobody anywhere, and a member of every tenant who may be removed.
pub(super) const JOINER: &str = "the-joiner";
pub(super) const LEAVER: &str = "the-leaver";

impl<'a> Built<'a> {
    pub(super) async fn new(world: &'a World) -> Self {
        let server = Builder {
            seed: SEED,
            ..Builder::default()
        }
        .start()
        .await;
        server.make_admin(KEEPER, PASSWORD).await;
        let keeper = login(&server.client(), KEEPER, None).await;
        let keeper = elevate(&keeper, "global").await;
        let mut built = Self {
            world,
            server,
            keeper,
            services: BTreeMap::new(),
            removed: BTreeMap::new(),
            proposals: BTreeMap::new(),
        };
        built.people().await;
        built.services().await;
        built.skills().await;
        built.proposals().await;
        built.settings().await;
        built
    }

    pub(super) async fn member(&self, tenant: &str, username: &str, role: &str) {
        let path = format!("/v1/tenants/{tenant}/members/{username}");
        let body = json!({"role": role});
        self.keeper.put(&path, body).await.expect(200);
    }

    async fn people(&mut self) {
        for human in &self.world.human {
            if human.admin {
                self.server.make_admin(&human.id, PASSWORD).await;
            }
        }
        let users = self.world.human.iter().filter(|human| !human.admin);
        let users = users.map(|human| human.id.as_str());
        for username in users.chain([MAKER, JOINER, LEAVER]) {
            let body =
                json!({"username": username, "password": PASSWORD, "display_name": username});
            self.keeper.post("/v1/users", body).await.expect(201);
        }
        // `other` is what an elevation for something else names when the token is of no tenant.
        let tenants = self.world.tenant.iter().map(|tenant| tenant.id.as_str());
        for tenant in tenants.chain(["other"]) {
            let body = json!({"id": tenant, "name": tenant});
            self.keeper.post("/v1/tenants", body).await.expect(201);
            self.member(tenant, MAKER, "publisher").await;
            self.member(tenant, LEAVER, "member").await;
        }
        for human in &self.world.human {
            for (tenant, role) in &human.roles {
                self.member(tenant, &human.id, role).await;
            }
            for tenant in &human.removed_from {
                self.member(tenant, &human.id, "publisher").await;
                let session = login(&self.server.client(), &human.id, Some(tenant)).await;
                let elevated = elevate(&session, &format!("tenant:{tenant}")).await;
                self.removed.insert(human.id.clone(), elevated);
                let path = format!("/v1/tenants/{tenant}/members/{}", human.id);
                self.keeper.delete(&path).await.expect(200);
            }
        }
    }

    async fn services(&mut self) {
        let makers = self
            .world
            .tenant
            .iter()
            .map(|row| (format!("maker-{}", row.id), &row.id));
        let services = self
            .world
            .service
            .iter()
            .map(|row| (row.id.clone(), &row.tenant));
        for (id, tenant) in makers.chain(services) {
            let body = json!({"tenant": tenant, "name": id});
            let made = self.keeper.post("/v1/services", body).await.expect(201);
            let client = self.server.client().with_token(made.text("key"));
            self.services.insert(id, (client, made.text("id")));
        }
    }

    pub(super) async fn agent(&self, service: &str, actor: &str, agent: &str) -> Client {
        let body = json!({"actor": {"id": actor}, "agent": agent});
        let minted = self.services[service]
            .0
            .post("/v1/token", body)
            .await
            .expect(200);
        self.server.client().with_token(minted.text("access_token"))
    }

    async fn skills(&self) {
        for row in &self.world.skill {
            let owner = match (row.scope.split_once(':'), &row.tenant) {
                (None, _) => self.keeper.clone(),
                (Some(("tenant", tenant)), _) => {
                    let maker = login(&self.server.client(), MAKER, Some(tenant)).await;
                    elevate(&maker, &row.scope).await
                }
                (Some((_, actor)), Some(tenant)) => {
                    self.agent(&format!("maker-{tenant}"), actor, "maker").await
                }
                _ => panic!("{} is of no tenant", row.scope),
            };
            owner
                .create(&row.scope, &row.name, &row.name)
                .await
                .expect(201);
            match row.status {
                State::Active => {}
                State::Disabled => drop(
                    owner
                        .verb(&row.scope, &row.name, "disable")
                        .await
                        .expect(200),
                ),
                State::Quarantined => {
                    drop(
                        owner
                            .verb(&row.scope, &row.name, "quarantine")
                            .await
                            .expect(200),
                    );
                }
                State::Revoked => drop(
                    owner
                        .verb(&row.scope, &row.name, "revoke")
                        .await
                        .expect(200),
                ),
                State::Archived => {
                    let path = format!("/v1/skills/{}/{}", row.scope, row.name);
                    owner.delete(&path).await.expect(200);
                }
            }
        }
    }

    async fn proposals(&mut self) {
        for row in &self.world.proposal {
            let (kind, by) = row.by.split_once(':').unwrap();
            let client = match kind {
                "human" => login(&self.server.client(), by, row.r#in.as_deref()).await,
                _ => {
                    let agent = self
                        .world
                        .agent
                        .iter()
                        .find(|agent| agent.id == by)
                        .unwrap();
                    self.agent(&agent.service, &agent.actor, by).await
                }
            };
            let made = client
                .propose(&row.scope, &row.name, &row.id)
                .await
                .expect(201);
            self.proposals.insert(row.id.clone(), made.body);
        }
    }

    async fn settings(&self) {
        for row in &self.world.tenant {
            let body = settings(row);
            let path = format!("/v1/tenants/{}/settings", row.id);
            self.keeper.put(&path, body).await.expect(200);
        }
    }
}

fn settings(row: &TenantRow) -> Value {
    json!({
        "max_cap": 200,
        "agent_own_scope": match row.agent_own_scope {
            Setting::Allow => "allow",
            Setting::Review => "review",
            Setting::Deny => "deny",
        },
        "skills_per_actor": row.skills_per_actor, "skills_per_tenant": row.skills_per_tenant,
        "revisions_per_skill": 1_000,
        "approvers": row.approvers,
        "distinct_human": match row.distinct_human {
            Distinct::Auto => "auto",
            Distinct::Always => "always",
        },
        "review_names": row.review_names,
        "review_severity": row.review_severity.as_deref().unwrap_or("off"),
    })
}

/// Settings that any tenant may have.
pub(super) fn plain_settings() -> Value {
    json!({
        "max_cap": 200, "agent_own_scope": "allow", "skills_per_actor": 200,
        "skills_per_tenant": 2_000, "revisions_per_skill": 1_000,
    })
}
