//! The credentials that let nobody in.

use serde_json::json;

use super::{Cast, HOME, Player};
use crate::harness::Client;

impl Cast {
    /// The credentials that let nobody in.
    pub(super) async fn shut_out(&mut self, expired_token: Client) {
        let rob = self.people.human("rob").await;
        let rob_agent = self.people.agent(HOME, "rob", "support-bot").await;
        let path = format!("/v1/tenants/{HOME}/members/rob");
        self.people.root.delete(&path).await.expect(200);

        let body = json!({"tenant": HOME, "name": "gone"});
        let service = self
            .people
            .root
            .post("/v1/services", body)
            .await
            .expect(201);
        let (id, key) = (service.text("id"), service.text("key"));
        let path = format!("/v1/tenants/{HOME}/services/{id}");
        self.people.root.delete(&path).await.expect(204);

        let tom = self.people.human("tom").await;
        let made = tom
            .post("/v1/keys", json!({"name": "gone"}))
            .await
            .expect(201);
        let path = format!("/v1/keys/{}", made.text("id"));
        tom.delete(&path).await.expect(204);

        let anyone = self.server.client();
        for (label, client, code) in [
            ("anonymous", anyone.clone(), "unauthenticated"),
            (
                "garbage",
                anyone.with_token("e30.e30.e30"),
                "unauthenticated",
            ),
            (
                "publisher +tenant, token ended",
                expired_token,
                "unauthenticated",
            ),
            ("member, removed", rob, "authority-ended"),
            ("agent of a removed member", rob_agent, "authority-ended"),
            (
                "service, revoked",
                anyone.with_token(key),
                "authority-ended",
            ),
            (
                "member's key, revoked",
                anyone.with_token(made.text("key")),
                "authority-ended",
            ),
        ] {
            self.players.push(Player {
                label,
                client,
                seat: None,
                shut_out: code,
                actor: "rob",
                session: None,
            });
        }
    }
}
