//! Bringing a world into a server over its public API, in the order that its rules demand.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use hyper::Method;
use serde_json::{Value, json};

use super::files::{World, WorldError};
use crate::client::{self, Answer};

/// What a loaded world gives to go on with.
#[derive(Debug, Clone, Default)]
pub struct LoadedWorld {
    /// The keys of the services, by tenant and name.
    pub service_keys: BTreeMap<(String, String), String>,
    /// The tokens of the agents, by agent and actor.
    pub agent_tokens: BTreeMap<(String, String), String>,
}

/// Brings a world into the server at `address`, whose global administrator exists already.
///
/// # Errors
/// When the server refuses something that the world has.
pub async fn load(address: SocketAddr, world: &World) -> Result<LoadedWorld, WorldError> {
    let mut loader = Loader {
        address,
        world,
        elevated: BTreeMap::new(),
    };
    loader.people().await?;
    let loaded = loader.services().await?;
    loader.skills().await?;
    Ok(loaded)
}

struct Loader<'a> {
    address: SocketAddr,
    world: &'a World,
    /// Elevated tokens by scope: each is asked for once.
    elevated: BTreeMap<String, String>,
}

impl Loader<'_> {
    async fn people(&mut self) -> Result<(), WorldError> {
        let admin = self.elevated("global").await?;
        for user in self.world.users.iter().filter(|user| !user.global_admin) {
            let body = json!({
                "username": user.username, "password": user.password, "display_name": user.display_name,
            });
            self.send(Method::POST, "/v1/users", &admin, &[], &body)
                .await?;
        }
        for tenant in &self.world.tenants {
            let body = json!({"id": tenant.id, "name": tenant.name});
            self.send(Method::POST, "/v1/tenants", &admin, &[], &body)
                .await?;
        }
        for member in &self.world.members {
            let path = format!("/v1/tenants/{}/members/{}", member.tenant, member.username);
            self.send(
                Method::PUT,
                &path,
                &admin,
                &[],
                &json!({"role": member.role}),
            )
            .await?;
        }
        Ok(())
    }

    async fn services(&mut self) -> Result<LoadedWorld, WorldError> {
        let mut loaded = LoadedWorld::default();
        for service in &self.world.services {
            let token = self.elevated(&format!("tenant:{}", service.tenant)).await?;
            let body = json!({"tenant": service.tenant, "name": service.name});
            let answer = self
                .send(Method::POST, "/v1/services", &token, &[], &body)
                .await?;
            let key = text(&answer.body, "key")?;
            loaded
                .service_keys
                .insert((service.tenant.clone(), service.name.clone()), key);
        }
        for agent in &self.world.agents {
            let key = loaded
                .service_keys
                .get(&(agent.tenant.clone(), agent.service.clone()))
                .ok_or_else(|| WorldError(format!("the agent {} has no service", agent.agent)))?;
            let body =
                json!({"actor": {"id": agent.actor}, "agent": agent.agent, "ttl_seconds": 3600});
            let answer = self
                .send(Method::POST, "/v1/token", key, &[], &body)
                .await?;
            let token = text(&answer.body, "access_token")?;
            loaded
                .agent_tokens
                .insert((agent.agent.clone(), agent.actor.clone()), token);
        }
        Ok(loaded)
    }

    async fn skills(&mut self) -> Result<(), WorldError> {
        for skill in &self.world.skills {
            let token = match skill.scope.strip_prefix("actor:") {
                Some(actor) => self.login(actor, skill.tenant.as_deref()).await?,
                None => self.elevated(&skill.scope).await?,
            };
            let path = format!("/v1/skills/{}/{}", skill.scope, skill.name);
            let body = json!({
                "description": skill.description, "body": skill.body, "message": skill.message,
            });
            self.send(Method::PUT, &path, &token, &[("if-none-match", "*")], &body)
                .await?;
            if skill.sealed {
                let reason = json!({"reason": "Everyone needs the same rule here."});
                self.send(Method::POST, &format!("{path}/seal"), &token, &[], &reason)
                    .await?;
            }
        }
        for hide in &self.world.hides {
            let token = self.elevated(&format!("tenant:{}", hide.tenant)).await?;
            let reason = hide.reason.as_deref().unwrap_or("Not for this tenant.");
            let body = json!({"tenant": hide.tenant, "reason": reason});
            let path = format!("/v1/skills/global/{}/hide", hide.name);
            self.send(Method::POST, &path, &token, &[], &body).await?;
        }
        Ok(())
    }

    /// A token that is elevated for a shared scope: of the administrator for global, of a publisher for a tenant.
    async fn elevated(&mut self, scope: &str) -> Result<String, WorldError> {
        if let Some(token) = self.elevated.get(scope) {
            return Ok(token.clone());
        }
        let (username, tenant) = match scope.strip_prefix("tenant:") {
            None => {
                let admin = self.world.users.iter().find(|user| user.global_admin);
                (admin.map(|user| user.username.as_str()), None)
            }
            Some(tenant) => {
                let publisher = self
                    .world
                    .members
                    .iter()
                    .find(|member| member.tenant == tenant && member.role == "publisher");
                (
                    publisher.map(|member| member.username.as_str()),
                    Some(tenant),
                )
            }
        };
        let username = username
            .ok_or_else(|| WorldError(format!("nobody in this world can publish at {scope}")))?;
        let access = self.login(username, tenant).await?;
        let body = json!({
            "scope": scope, "password": self.password(username)?, "reason": "Setting up the example world.",
        });
        let answer = self
            .send(Method::POST, "/v1/elevate", &access, &[], &body)
            .await?;
        let token = text(&answer.body, "access_token")?;
        self.elevated.insert(scope.to_owned(), token.clone());
        Ok(token)
    }

    async fn login(&mut self, username: &str, tenant: Option<&str>) -> Result<String, WorldError> {
        let key = format!("{username}@{}", tenant.unwrap_or_default());
        if let Some(token) = self.elevated.get(&key) {
            return Ok(token.clone());
        }
        let mut body = json!({"username": username, "password": self.password(username)?});
        if let (Some(tenant), Some(fields)) = (tenant, body.as_object_mut()) {
            fields.insert("tenant".to_owned(), tenant.into());
        }
        let answer = self.send(Method::POST, "/v1/login", "", &[], &body).await?;
        let token = text(&answer.body, "access_token")?;
        self.elevated.insert(key, token.clone());
        Ok(token)
    }

    fn password(&self, username: &str) -> Result<&str, WorldError> {
        self.world
            .users
            .iter()
            .find(|user| user.username == username)
            .map(|user| user.password.as_str())
            .ok_or_else(|| WorldError(format!("this world has no user {username}")))
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        token: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Result<Answer, WorldError> {
        let token = (!token.is_empty()).then_some(token);
        let answer = client::send(
            self.address,
            method.clone(),
            path,
            token,
            headers,
            Some(body),
        )
        .await
        .map_err(|error| WorldError(error.to_string()))?;
        if answer.status.is_success() {
            Ok(answer)
        } else {
            let detail = answer
                .body
                .get("detail")
                .and_then(Value::as_str)
                .unwrap_or_default();
            Err(WorldError(format!(
                "{method} {path} gave {}: {detail}",
                answer.status
            )))
        }
    }
}

fn text(body: &Value, field: &str) -> Result<String, WorldError> {
    body.get(field)
        .and_then(Value::as_str)
        .map(ToOwned::to_owned)
        .ok_or_else(|| WorldError(format!("the server's answer has no `{field}`")))
}
