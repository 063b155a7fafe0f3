//! Operations on what authority stands on: memberships, services, elevations.

use hyper::Method;
use serde_json::json;

use super::super::cast::{CAST, ROOT, TENANTS, TOM};
use super::super::model::Model;
use super::super::ops::Role;
use super::Driver;
use super::request::{Request, agree};
use super::sessions::HUMAN_TTL;
use crate::harness::Client;

impl Driver {
    pub(super) async fn member(&mut self, tenant: usize, role: Option<Role>) {
        self.fresh(ROOT).await;
        let root = &self.session(ROOT).client;
        let path = format!("/v1/tenants/{}/members/tom", TENANTS[tenant]);
        let before = self.model.toms[tenant];
        let target = format!("tenant:{} member:tom", TENANTS[tenant]);
        match role {
            Some(role) => {
                let text = match role {
                    Role::Member => "member",
                    Role::Publisher => "publisher",
                    Role::Auditor => "auditor",
                };
                let answer = root.put(&path, json!({"role": text})).await.expect(200);
                assert_eq!(answer.body["unchanged"], before == Some(role));
                self.model.toms[tenant] = Some(role);
                if before != Some(role) {
                    self.model.record(tenant, &CAST[ROOT], "set-member", target);
                }
            }
            None if before.is_none() => {
                root.delete(&path).await.expect_problem(404, "not-found");
            }
            None => {
                root.delete(&path).await.expect(200);
                self.model.toms[tenant] = None;
                self.model.epochs[tenant] += 1;
                self.model
                    .record(tenant, &CAST[ROOT], "remove-member", target);
            }
        }
    }

    pub(super) async fn revoke_service(&mut self, tenant: usize) {
        self.fresh(ROOT).await;
        let root = self.session(ROOT).client.clone();
        let (id, key) = self.services[tenant].clone();
        let path = format!("/v1/tenants/{}/services/{id}", TENANTS[tenant]);
        root.delete(&path).await.expect(204);
        let mint = json!({"actor": {"id": "x1"}, "agent": "bot"});
        key.post("/v1/token", mint)
            .await
            .expect_problem(401, "authority-ended");
        let record = |model: &mut Model, action: &str, id: &str| {
            model.record(
                tenant,
                &CAST[ROOT],
                action,
                format!("tenant:{} service:{id}", TENANTS[tenant]),
            );
        };
        record(&mut self.model, "revoke-service", &id);
        self.services[tenant] = service(&root, &self.plain, tenant).await;
        let id = self.services[tenant].0.clone();
        record(&mut self.model, "create-service", &id);
        self.model.services[tenant] += 1;
    }

    pub(super) async fn elevate(&mut self, tenant: usize) {
        let who = TOM[tenant];
        let scope = format!("tenant:{}", TENANTS[tenant]);
        let request = Request {
            who,
            method: Method::POST,
            path: "/v1/elevate".to_owned(),
            headers: Vec::new(),
            payload: Some(
                json!({"scope": scope, "password": "correct horse battery", "reason": "a test"}),
            ),
            key: None,
        };
        let Some(answer) = self.send(&request).await else {
            return;
        };
        if self.model.toms[tenant] == Some(Role::Publisher) {
            let token = answer.expect(200).text("access_token");
            let session = self.sessions[who].as_mut().unwrap();
            session.client = session.client.with_token(token);
            session.expires = self.model.now + HUMAN_TTL;
            session.ground.elevated = true;
        } else {
            let expected = self
                .model
                .refuse(&CAST[who], "elevate", scope, "needs-role");
            agree(&answer, &expected, &request);
        }
    }
}

pub(super) async fn service(root: &Client, plain: &Client, tenant: usize) -> (String, Client) {
    let body = json!({"tenant": TENANTS[tenant], "name": "platform"});
    let created = root.post("/v1/services", body).await.expect(201);
    (created.text("id"), plain.with_token(created.text("key")))
}
