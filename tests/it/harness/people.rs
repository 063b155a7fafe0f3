//! The usual people: two tenants, someone of every role in each, services and agents.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use vestry::template::samples;
use vestry::template::schema::Schema;

use super::{Client, Response, TestServer};

/// Everyone's password.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// Logged-in people of a server. Everyone is created as told, and acts through the returned clients.
pub(crate) struct People {
    client: Client,
    /// Elevated for `global`.
    pub(crate) root: Client,
    services: BTreeMap<String, Client>,
}

impl People {
    /// A server's administrator `root`, elevated for global, and nobody else.
    pub(crate) async fn only_root(server: &TestServer) -> Self {
        server.make_admin("root", PASSWORD).await;
        let client = server.client();
        let root = login(&client, "root", None).await;
        let root = elevate(&root, "global").await;
        Self {
            client,
            root,
            services: BTreeMap::new(),
        }
    }

    /// Tenants `acme` and `globex`; in acme the publishers `maria` and `pavel`, the members `tom` and `mia`, the auditor
    /// `ines`; in globex the publisher `greta` and the member `gus`; a service in each.
    pub(crate) async fn usual(server: &TestServer) -> Self {
        let mut people = Self::only_root(server).await;
        for tenant in ["acme", "globex"] {
            people.tenant(tenant).await;
        }
        for (tenant, username, role) in [
            ("acme", "maria", "publisher"),
            ("acme", "pavel", "publisher"),
            ("acme", "tom", "member"),
            ("acme", "mia", "member"),
            ("acme", "ines", "auditor"),
            ("globex", "greta", "publisher"),
            ("globex", "gus", "member"),
        ] {
            people.user(username).await;
            people.member(tenant, username, role).await.expect(200);
        }
        for tenant in ["acme", "globex"] {
            people.service(tenant).await;
        }
        people
    }

    /// Follows a server that was started again, on its new address.
    pub(crate) fn at(&mut self, server: &TestServer) {
        self.client = server.client();
        self.root = self.client.with_token(self.root.token());
        for service in self.services.values_mut() {
            *service = self.client.with_token(service.token());
        }
    }

    pub(crate) async fn tenant(&self, id: &str) {
        self.root
            .post("/v1/tenants", json!({"id": id, "name": id}))
            .await
            .expect(201);
    }

    pub(crate) async fn user(&self, username: &str) {
        let body = json!({"username": username, "password": PASSWORD, "display_name": username});
        self.root.post("/v1/users", body).await.expect(201);
    }

    pub(crate) async fn member(&self, tenant: &str, username: &str, role: &str) -> Response {
        let path = format!("/v1/tenants/{tenant}/members/{username}");
        self.root.put(&path, json!({"role": role})).await
    }

    /// A service of the tenant; the client acts with its key.
    pub(crate) async fn service(&mut self, tenant: &str) -> Client {
        if let Some(service) = self.services.get(tenant) {
            return service.clone();
        }
        let body = json!({"tenant": tenant, "name": "platform"});
        let created = self.root.post("/v1/services", body).await.expect(201);
        let service = self.client.with_token(created.text("key"));
        self.services.insert(tenant.to_owned(), service.clone());
        service
    }

    /// An agent that acts for an actor of the tenant.
    pub(crate) async fn agent(&mut self, tenant: &str, actor: &str, agent: &str) -> Client {
        let service = self.service(tenant).await;
        let body = json!({"actor": {"id": actor}, "agent": agent, "ttl_seconds": 3600});
        let minted = service.post("/v1/token", body).await.expect(200);
        self.client.with_token(minted.text("access_token"))
    }

    /// A human of one tenant.
    pub(crate) async fn human(&self, username: &str) -> Client {
        login(&self.client, username, None).await
    }

    /// A human of the named tenant.
    pub(crate) async fn human_in(&self, username: &str, tenant: &str) -> Client {
        login(&self.client, username, Some(tenant)).await
    }

    /// A human, elevated for a scope.
    pub(crate) async fn elevated(&self, username: &str, scope: &str) -> Client {
        elevate(&self.human(username).await, scope).await
    }
}

/// Logs in.
pub(crate) async fn login(client: &Client, username: &str, tenant: Option<&str>) -> Client {
    let mut body = json!({"username": username, "password": PASSWORD});
    if let Some(tenant) = tenant {
        body["tenant"] = tenant.into();
    }
    let answer = client.anonymous().post("/v1/login", body).await.expect(200);
    client.with_token(answer.text("access_token"))
}

/// Steps up.
pub(crate) async fn elevate(client: &Client, scope: &str) -> Client {
    let answer = try_elevate(client, scope).await.expect(200);
    client.with_token(answer.text("access_token"))
}

/// Tries to step up.
pub(crate) async fn try_elevate(client: &Client, scope: &str) -> Response {
    let body = json!({"scope": scope, "password": PASSWORD, "reason": "a test"});
    client.post("/v1/elevate", body).await
}

/// The content of a skill for a test.
pub(crate) fn content(text: &str) -> Value {
    json!({"description": format!("Use when {text}."), "body": format!("Do {text}.\n")})
}

impl Client {
    /// Creates a skill.
    pub(crate) async fn create(&self, scope: &str, name: &str, text: &str) -> Response {
        let path = format!("/v1/skills/{scope}/{name}");
        self.send(
            hyper::Method::PUT,
            &path,
            &[("if-none-match", "*")],
            Some(content(text)),
        )
        .await
    }

    /// Updates a skill, whatever it is now.
    pub(crate) async fn update(&self, scope: &str, name: &str, text: &str) -> Response {
        let path = format!("/v1/skills/{scope}/{name}");
        self.send(
            hyper::Method::PUT,
            &path,
            &[("if-match", "*")],
            Some(content(text)),
        )
        .await
    }

    /// Does one of the verbs with a reason.
    pub(crate) async fn verb(&self, scope: &str, name: &str, verb: &str) -> Response {
        self.post(
            &format!("/v1/skills/{scope}/{name}/{verb}"),
            json!({"reason": "a test"}),
        )
        .await
    }

    /// Takes the catalog of a named turn.
    pub(crate) async fn turn(&self, turn: &str) -> Response {
        self.post("/v1/catalog", json!({"turn": turn})).await
    }

    /// Loads a name from an offer.
    pub(crate) async fn load(&self, offer: &str, name: &str) -> Response {
        self.post("/v1/load", json!({"offer": offer, "name": name}))
            .await
    }
}

/// The data of a run that a host would send: a sample of the built-in schema, without what the server fills in.
pub(crate) fn context(sample: &str) -> Value {
    let found = samples::sample(Schema::built_in(), sample)
        .unwrap_or_else(|| panic!("there is no sample {sample}"));
    let mut value = found.context.into_value();
    value.as_object_mut().unwrap().remove("skills");
    value
}
