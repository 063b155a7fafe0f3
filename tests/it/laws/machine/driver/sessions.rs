//! The tokens of the callers.

use serde_json::json;

use super::super::cast::{CAST, TENANTS};
use super::super::model::Ground;
use super::{Driver, LEEWAY};
use crate::harness::{Client, login, try_elevate};

/// How long tokens live.
pub(super) const HUMAN_TTL: i64 = 900;
const AGENT_TTL: i64 = 3_600;

/// A token and what it stands on.
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) expires: i64,
    pub(super) ground: Ground,
}

impl Driver {
    pub(super) fn session(&self, who: usize) -> &Session {
        self.sessions[who].as_ref().unwrap()
    }

    /// Renews a token that has expired, and sees that the old one is refused.
    pub(super) async fn fresh(&mut self, who: usize) {
        let Some(session) = &self.sessions[who] else {
            return self.renew(who).await;
        };
        let late = self.model.now - session.expires;
        if late < 0 {
            return;
        }
        if late > LEEWAY {
            session
                .client
                .get("/v1/me")
                .await
                .expect_problem(401, "unauthenticated");
        }
        self.renew(who).await;
    }

    /// A new token, if there is one to be had.
    pub(super) async fn renew(&mut self, who: usize) {
        let actor = &CAST[who];
        let removed = actor
            .tenant
            .is_some_and(|tenant| actor.is_tom() && self.model.toms[tenant].is_none());
        let ground = Ground {
            epoch: actor.tenant.map_or(0, |tenant| self.model.epochs[tenant]),
            service: actor.tenant.map_or(0, |tenant| self.model.services[tenant]),
            elevated: actor.steps_up,
        };
        let tenant = actor.tenant.map(|tenant| TENANTS[tenant]);
        let (client, ttl) = match actor.agent {
            Some(agent) => {
                let (_, service) = &self.services[actor.tenant.unwrap()];
                let body = json!({"actor": {"id": actor.actor.unwrap()}, "agent": agent, "ttl_seconds": AGENT_TTL});
                let minted = service.post("/v1/token", body).await;
                if removed {
                    // Minting for an actor whose authority has ended is refused (design §5).
                    minted.expect_problem(409, "conflict");
                    self.sessions[who] = None;
                    return;
                }
                let token = minted.expect(200).text("access_token");
                (self.plain.with_token(token), AGENT_TTL)
            }
            None if removed => {
                let body = json!({"username": "tom", "password": "correct horse battery", "tenant": tenant});
                self.plain
                    .post("/v1/login", body)
                    .await
                    .expect_problem(401, "unauthenticated");
                self.sessions[who] = None;
                return;
            }
            None => {
                let client = login(&self.plain, actor.user.unwrap(), tenant).await;
                if actor.steps_up {
                    let scope =
                        tenant.map_or("global".to_owned(), |tenant| format!("tenant:{tenant}"));
                    let answer = try_elevate(&client, &scope).await.expect(200);
                    (client.with_token(answer.text("access_token")), HUMAN_TTL)
                } else {
                    (client, HUMAN_TTL)
                }
            }
        };
        self.sessions[who] = Some(Session {
            client,
            expires: self.model.now + ttl,
            ground,
        });
    }
}
