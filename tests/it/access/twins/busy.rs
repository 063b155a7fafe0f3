//! What globex does meanwhile.

use hyper::Method;
use serde_json::json;

use super::twin::Twin;
use crate::api::files::{bundle, digest, file, publish, upload};
use crate::api::roles::{attach, instruct};
use crate::harness::{Client, content, context, elevate, login, try_elevate};

/// Who acts in globex.
pub(super) struct Globex {
    gus: Client,
    service: Client,
    agent: Client,
    key: Client,
}

impl Twin {
    pub(super) async fn be_busy(&mut self) {
        let round = self.round;
        let anyone = self.server.client();
        let greta = self.greta.clone();
        let reason = json!({"reason": "busy"});
        // The names that acme uses, and others.
        for (scope, name) in [
            ("tenant:globex", "refunds"),
            ("tenant:globex", "tone"),
            ("actor:greta", "notes"),
        ] {
            let name = format!("{name}-{round}");
            greta
                .create(scope, &name, "globex does it")
                .await
                .expect(201);
            greta
                .update(scope, &name, "globex does it otherwise")
                .await
                .expect(200);
            let path = format!("/v1/skills/{scope}/{name}");
            greta
                .post(&format!("{path}/rollback"), json!({"to": 1}))
                .await
                .expect(200);
            for verb in ["disable", "enable", "quarantine", "release"] {
                greta.verb(scope, &name, verb).await.expect(200);
            }
            for read in [
                "",
                "/revisions",
                "/revisions/1",
                "/diff?from=1&to=2",
                "/blame",
                "/impact?action=seal",
            ] {
                greta.get(&format!("{path}{read}")).await.expect(200);
            }
            greta
                .post(&format!("{path}/check"), content("x"))
                .await
                .expect(200);
        }
        // The roles that acme has, and what their runs begin with.
        if round == 1 {
            instruct(
                &greta,
                "tenant:globex",
                "support",
                content("support at globex"),
            )
            .await
            .expect(201);
        }
        let skills = json!([{"name": format!("tone-{round}"), "mode": "ambient"}]);
        attach(&greta, "tenant:globex", "support", skills)
            .await
            .expect(200);
        let body = json!({"turn": "opened", "role": "support", "context": context("task-start")});
        let opened = greta.post("/v1/openings", body).await;
        opened.expect_one_of(&[200, 410]);
        // Proposals of its own. What is put forward for everyone is told those who administer it, who are asked here too.
        let text = format!("globex proposes {round}");
        let made = greta.propose("tenant:globex", "tone", &text).await;
        let made = made.expect(201).text("id");
        greta.proposal(&made).await.expect(200);
        greta
            .on_proposal(&made, "comments", json!({"text": "globex says so"}))
            .await
            .expect(201);
        greta.approve(&made).await.expect(403);
        greta
            .on_proposal(&made, "withdraw", json!({}))
            .await
            .expect(200);
        greta.get("/v1/proposals").await.expect(200);
        // The bytes that acme has, and others.
        let blob = json!("a file of acme").to_string();
        upload(&greta, blob.as_bytes()).await;
        let files = json!([
            {"path": "a", "digest": digest(blob.as_bytes())},
            {"path": "b", "text": "a file of globex"},
        ]);
        let name = format!("bundle-{round}");
        publish(&greta, "tenant:globex", &name, bundle("x", files))
            .await
            .expect(201);
        file(&greta, &format!("tenant:globex/{name}"), 1, "a")
            .await
            .expect(200);
        if round == 1 {
            greta
                .create("tenant:globex", "refunds", "globex refunds")
                .await
                .expect(201);
            greta
                .verb("tenant:globex", "refunds", "seal")
                .await
                .expect(200);
        }
        if round == 2 {
            // By now the handbook is there.
            let body = json!({"tenant": "globex", "reason": "busy"});
            greta
                .post("/v1/skills/global/handbook/hide", body)
                .await
                .expect(200);
            // The very content of acme's skill, recalled.
            let made = greta
                .create("tenant:globex", "tone", "tone at acme")
                .await
                .expect(201);
            let body = json!({"digest": made.text("digest"), "reason": "busy"});
            greta.post("/v1/recall", body).await.expect(200);
            greta
                .verb("tenant:globex", "tone", "revoke")
                .await
                .expect(200);
        }
        let path = format!("/v1/skills/tenant:globex/tone-{round}");
        greta.delete(&path).await.expect(200);
        greta.get("/v1/skills?q=globex").await.expect(200);
        greta
            .get("/v1/skills?scope=tenant:globex&status=archived")
            .await
            .expect(200);

        if self.globex.is_none() {
            let gus = login(&anyone, "gus", None).await;
            let made = gus
                .post("/v1/keys", json!({"name": "busy"}))
                .await
                .expect(201);
            let service = self.people.service("globex").await;
            let agent = self.people.agent("globex", "tom", "support-bot").await;
            self.globex = Some(Globex {
                key: anyone.with_token(made.text("key")),
                gus,
                service,
                agent,
            });
        }
        let Some(Globex {
            gus,
            service,
            agent,
            key,
        }) = &self.globex
        else {
            unreachable!("just set");
        };
        // An actor `tom`, an agent `support-bot` and turns of the names that acme has.
        for turn in ["t-1".to_owned(), format!("t-{round}"), "t-named".to_owned()] {
            let catalog = agent.turn(&turn).await.expect(200);
            let offer = catalog.text("offer");
            agent.load(&offer, "refunds").await.expect(200);
            agent.load(&offer, "payroll").await.expect(404);
        }
        agent
            .create("actor:tom", &format!("own-{round}"), "globex's tom")
            .await
            .expect(201);
        agent.get("/v1/skills").await.expect(200);
        gus.post("/v1/catalog", json!({})).await.expect(200);
        key.get("/v1/me").await.expect(200);
        let body = json!({"actor": {"id": "maria"}, "agent": "support-bot"});
        service.post("/v1/token", body).await.expect(200);
        let body = json!({"tenant": "globex", "name": format!("platform-{round}")});
        let made = greta.post("/v1/services", body).await.expect(201);
        greta
            .delete(&format!("/v1/tenants/globex/services/{}", made.text("id")))
            .await
            .expect(204);
        let settings = json!({
            "max_cap": 200, "agent_own_scope": "allow", "skills_per_actor": 100,
            "skills_per_tenant": 100, "revisions_per_skill": 100,
        });
        greta
            .put("/v1/tenants/globex/settings", settings)
            .await
            .expect(200);
        // Someone of acme becomes a member, is promoted, and goes.
        let member = "/v1/tenants/globex/members/pavel";
        for role in ["member", "auditor", "publisher"] {
            greta
                .put(member, json!({"role": role, "claim": true}))
                .await
                .expect(200);
        }
        let pavel = login(&anyone, "pavel", Some("globex")).await;
        elevate(&pavel, "tenant:globex")
            .await
            .delete("/v1/elevate")
            .await
            .expect(204);
        pavel.post("/v1/logout", json!({})).await;
        greta.delete(member).await.expect(200);
        for list in ["members", "services", "settings"] {
            greta
                .get(&format!("/v1/tenants/globex/{list}"))
                .await
                .expect(200);
        }
        greta.get("/v1/audit").await.expect(200);
        // With the idempotency keys that acme uses.
        let path = format!("/v1/skills/tenant:globex/refunds-{round}/disable");
        let sent = [("idempotency-key", "once")];
        greta
            .send(Method::POST, &path, &sent, Some(reason.clone()))
            .await;

        // And what it may not.
        for client in [&greta, gus, agent, service, key] {
            for scope in ["tenant:acme", "actor:maria", "global"] {
                client.create(scope, "refunds", "not allowed").await;
                client.verb(scope, "refunds", "quarantine").await;
                client.verb(scope, "refunds", "seal").await;
                client.get(&format!("/v1/skills/{scope}/refunds")).await;
                client.get(&format!("/v1/skills?scope={scope}")).await;
                try_elevate(client, scope).await;
            }
            let body = json!({"tenant": "acme", "reason": "busy"});
            client
                .post("/v1/skills/global/handbook/hide", body)
                .await
                .expect(403);
            for path in [
                "/v1/users",
                "/v1/tenants",
                "/v1/tenants/acme/members",
                "/v1/audit?log=global",
            ] {
                client.get(path).await.expect(403);
            }
            let body = json!({"role": "publisher"});
            client
                .put("/v1/tenants/acme/members/greta", body)
                .await
                .expect(403);
            let body = json!({"tenant": "acme", "name": "theirs"});
            client.post("/v1/services", body).await.expect(403);
        }
        for username in ["maria", "tom", "root", "nobody"] {
            let body = json!({"username": username, "password": "a wrong password"});
            anyone.post("/v1/login", body).await.expect(401);
        }
        anyone
            .post("/v1/refresh", json!({"refresh_token": "garbage"}))
            .await
            .expect(401);
    }
}
