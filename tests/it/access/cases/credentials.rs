//! The credentials of the requests.

use std::sync::Arc;

use serde_json::{Value, json};
use vestry::entropy::SeededEntropy;
use vestry::identity::{ElevatedGrant, HumanGrant, Identity, KeyRings, PasswordParams};
use vestry::server::{DEFAULT_ISSUER, keys_file};
use vestry_policies::{Scope, TenantId, Username};

use super::super::case_format::{RequestRow, Shown, With};
use super::super::cast::claims;
use super::built::{Built, SEED};
use crate::harness::{Client, elevate, login, try_elevate};

impl Built<'_> {
    /// The credential of a request, and the tenant that it is of.
    pub(super) async fn client(&self, request: &RequestRow) -> (Client, Option<String>) {
        let (kind, id) = request.r#as.split_once(':').unwrap();
        match kind {
            "service" => {
                let row = self.world.service.iter().find(|row| row.id == id).unwrap();
                (self.services[id].0.clone(), Some(row.tenant.clone()))
            }
            "agent" => {
                let row = self.world.agent.iter().find(|row| row.id == id).unwrap();
                let service = self
                    .world
                    .service
                    .iter()
                    .find(|of| of.id == row.service)
                    .unwrap();
                let client = self.agent(&row.service, &row.actor, id).await;
                (client, Some(service.tenant.clone()))
            }
            _ => {
                let home = request.r#in.clone();
                if let Some(removed) = self.removed.get(id) {
                    return (removed.clone(), home);
                }
                let session = login(&self.server.client(), id, home.as_deref()).await;
                let client = match request.with {
                    With::Key => {
                        let made = session
                            .post("/v1/keys", json!({"name": "a"}))
                            .await
                            .expect(201);
                        session.with_token(made.text("key"))
                    }
                    With::Session => self.step_up(request, id, &session).await,
                };
                (client, home)
            }
        }
    }

    async fn step_up(&self, request: &RequestRow, id: &str, session: &Client) -> Client {
        let exact = match request.target.as_str() {
            "server" => "global".to_owned(),
            target => match target.strip_prefix("admin:") {
                Some(tenant) => format!("tenant:{tenant}"),
                None => target.to_owned(),
            },
        };
        let other = if exact == "global" {
            format!("tenant:{}", request.r#in.as_deref().unwrap_or("other"))
        } else {
            "global".to_owned()
        };
        let scope = match request.elevation {
            Shown::None => return session.clone(),
            Shown::Exact | Shown::Expired => exact,
            Shown::Other => other,
        };
        let got = try_elevate(session, &scope).await;
        let claims_of_row = if got.status == 200 {
            let token = got.text("access_token");
            if request.elevation != Shown::Expired {
                return session.with_token(token);
            }
            self.server.advance(15 * 60);
            claims(&token)
        } else if let Some(home) = request
            .r#in
            .as_ref()
            .filter(|home| scope == format!("tenant:{home}"))
        {
            // The role ended after the elevation.
            let role = self
                .world
                .human
                .iter()
                .find(|human| human.id == id)
                .unwrap()
                .roles[home]
                .clone();
            self.member(home, id, "publisher").await;
            let elevated = elevate(session, &scope).await;
            self.member(home, id, &role).await;
            return elevated;
        } else {
            // The server never gave this one; a token says that it did.
            let mut claims = claims(session.token());
            claims["elv"] = json!({"id": "elv_none"});
            claims
        };
        session.with_token(self.sign(session, id, request.r#in.as_deref(), &scope, &claims_of_row))
    }

    /// Signs an elevated token, as the README of the cases has it.
    fn sign(
        &self,
        session: &Client,
        username: &str,
        tenant: Option<&str>,
        scope: &str,
        claims: &Value,
    ) -> String {
        let rings = KeyRings::load(&keys_file(self.server.directory.path())).unwrap();
        let signer = Identity::new(
            Arc::new(rings),
            DEFAULT_ISSUER,
            self.server.clock.clone(),
            Arc::new(SeededEntropy::new(SEED + 1)),
            PasswordParams::cheap_for_tests(),
        )
        .unwrap();
        let tenant = tenant.map(|tenant| TenantId::parse(tenant).unwrap());
        let scope = match Scope::parse(scope, None).unwrap() {
            // There is no elevation for an actor, nor a token that could show one.
            Scope::Actor { .. } => return session.token().to_owned(),
            shared => shared,
        };
        let grant = ElevatedGrant {
            human: HumanGrant {
                username: &Username::parse(username).unwrap(),
                tenant: tenant.as_ref(),
                session_id: claims["sid"].as_str().unwrap(),
                actor_epoch: u32::try_from(claims["aep"].as_u64().unwrap()).unwrap(),
            },
            elevation_id: claims["elv"]["id"].as_str().unwrap(),
            scope: &scope,
            ttl_seconds: 600,
        };
        signer.mint_elevated(&grant).unwrap().token
    }
}
