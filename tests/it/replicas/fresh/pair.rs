//! A write at one server, and what is read at another as soon as it is acknowledged.

use hyper::Method;
use serde_json::json;

use super::world::{ATTACHED, ROLE, Skill, World};
use crate::api::roles::attach;
use crate::harness::{Client, content, login};

/// Everything that is done.
pub(super) const KINDS: [&str; 11] = [
    "publish",
    "archive",
    "quarantine",
    "release",
    "hide",
    "show",
    "settings",
    "attach",
    "end of a session",
    "end of a service",
    "end of a membership",
];

impl World {
    /// One pair; gives its kind.
    pub(super) async fn pair(&mut self) -> &'static str {
        match self.rng.below(100) {
            0..50 => self.publish_some().await,
            50..58 => self.archive().await,
            58..72 => self.recall().await,
            72..80 => self.hide_or_show().await,
            80..86 => self.settings().await,
            86..92 => self.attach().await,
            92..96 => self.end_session().await,
            96..98 => self.end_service().await,
            _ => self.end_membership().await,
        }
    }

    fn some_scope(&mut self) -> String {
        match self.rng.below(10) {
            0..2 => "global".to_owned(),
            2..6 => "actor:tom".to_owned(),
            _ => self.tenant_scope(),
        }
    }

    fn some_name(&mut self, scope: &str) -> String {
        let number = self.rng.below(3);
        match scope {
            "global" => format!("{}{number}", self.prefix),
            "actor:tom" => format!("own-{number}"),
            _ => format!("ours-{number}"),
        }
    }

    /// Who writes at a scope.
    fn writer(&self, server: usize, scope: &str) -> Client {
        let token = match scope {
            "global" => &self.root,
            "actor:tom" => &self.agent,
            _ => &self.publisher,
        };
        self.at(server, token)
    }

    async fn publish_some(&mut self) -> &'static str {
        let scope = self.some_scope();
        let name = self.some_name(&scope);
        let (one, other) = self.two();
        self.publish(one, &scope, &name).await;
        if self.rng.chance(30) {
            self.compare_read(other, &scope, &name, "a publication")
                .await;
            return "publish";
        }
        let catalog = self.compare_catalog(other, false, "a publication").await;
        let key = (scope.clone(), name.clone());
        let is_offered = self.skills[&key].is_offered && !self.hidden.contains(&name);
        if is_offered {
            let offer = catalog.text("offer");
            self.load(other, &offer, &name, &self.skills[&key].description.clone())
                .await;
            self.skills.get_mut(&key).unwrap().offer = Some(offer);
        }
        "publish"
    }

    /// Publishes something new under a name.
    async fn publish(&mut self, server: usize, scope: &str, name: &str) {
        let text = self.text();
        let key = (scope.to_owned(), name.to_owned());
        let is_new = self.skills.get(&key).is_none_or(|skill| skill.is_archived);
        let precondition = if is_new {
            ("if-none-match", "*")
        } else {
            ("if-match", "*")
        };
        let path = format!("/v1/skills/{scope}/{name}");
        let writer = self.writer(server, scope);
        let body = content(&text);
        let answer = writer
            .send(Method::PUT, &path, &[precondition], Some(body))
            .await;
        answer.expect_one_of(&[200, 201]);
        let skill = self.skills.entry(key).or_default();
        *skill = Skill {
            description: format!("Use when {text}."),
            is_offered: true,
            ..Skill::default()
        };
    }

    /// Loads what was offered: the text that goes with the description.
    async fn load(&mut self, server: usize, offer: &str, name: &str, description: &str) {
        let loaded = self
            .at(server, &self.agent)
            .load(offer, name)
            .await
            .expect(200);
        let text = description.trim_start_matches("Use when ");
        let block = loaded.text("block");
        assert!(
            block.contains(&format!("Do {text}")),
            "a stale load of {name}: {block}"
        );
        self.compared += 1;
    }

    /// A skill for which this holds; one is published first where there is none.
    async fn with(&mut self, holds: impl Fn(&str, &Skill) -> bool) -> (String, String) {
        let all: Vec<(String, String)> = self
            .skills
            .iter()
            .filter(|((scope, _), skill)| holds(scope, skill))
            .map(|(key, _)| key.clone())
            .collect();
        if all.is_empty() {
            let scope = self.tenant_scope();
            let name = self.some_name(&scope);
            self.publish(0, &scope, &name).await;
            return (scope, name);
        }
        all[self.rng.below(all.len())].clone()
    }

    async fn archive(&mut self) -> &'static str {
        let (scope, name) = self.with(|_, skill| !skill.is_archived).await;
        let (one, other) = self.two();
        let path = format!("/v1/skills/{scope}/{name}");
        let writer = self.writer(one, &scope);
        let archived = writer
            .send(Method::DELETE, &path, &[("if-match", "*")], None)
            .await;
        archived.expect(200);
        let skill = self.skills.get_mut(&(scope.clone(), name.clone())).unwrap();
        *skill = Skill {
            is_archived: true,
            ..skill.clone()
        };
        skill.is_offered = false;
        self.compare_catalog(other, false, "an archival").await;
        "archive"
    }

    /// Quarantines something, which then loads nowhere, or releases what is in quarantine, which then loads again.
    async fn recall(&mut self) -> &'static str {
        let is_in = self
            .skills
            .values()
            .any(|skill| skill.is_quarantined && !skill.is_archived);
        let releases = is_in && self.rng.chance(60);
        // An agent recalls nothing.
        let holds = move |scope: &str, skill: &Skill| {
            scope != "actor:tom" && !skill.is_archived && skill.is_quarantined == releases
        };
        let (scope, name) = self.with(holds).await;
        let key = (scope.clone(), name.clone());
        let (one, other) = self.two();
        if !releases && self.skills[&key].offer.is_none() && !self.hidden.contains(&name) {
            let catalog = self.compare_catalog(one, false, "nothing").await;
            self.skills.get_mut(&key).unwrap().offer = Some(catalog.text("offer"));
        }
        let verb = if releases { "release" } else { "quarantine" };
        let writer = self.writer(one, &scope);
        writer.verb(&scope, &name, verb).await.expect(200);
        let skill = self.skills.get_mut(&key).unwrap();
        skill.is_quarantined = !releases;
        skill.is_offered = releases;
        let (offer, description) = (skill.offer.clone(), skill.description.clone());
        match offer {
            Some(offer) if self.rng.chance(70) => {
                if releases {
                    self.load(other, &offer, &name, &description).await;
                } else {
                    let load = self.at(other, &self.agent).load(&offer, &name).await;
                    load.expect_problem(410, "skill-recalled");
                    self.compared += 1;
                }
            }
            _ => {
                self.compare_catalog(other, false, verb).await;
            }
        }
        verb
    }

    async fn hide_or_show(&mut self) -> &'static str {
        let name = self.some_name("global");
        let key = ("global".to_owned(), name.clone());
        let (one, other) = self.two();
        if self.skills.get(&key).is_none_or(|skill| skill.is_archived) {
            self.publish(one, "global", &name).await;
        }
        let verb = if self.hidden.contains(&name) {
            "show"
        } else {
            "hide"
        };
        let publisher = self.at(one, &self.publisher);
        let path = format!("/v1/skills/global/{name}/{verb}");
        let body = json!({"tenant": self.tenant, "reason": "a test"});
        publisher.post(&path, body).await.expect(200);
        if verb == "hide" {
            self.hidden.insert(name);
        } else {
            self.hidden.remove(&name);
        }
        self.compare_catalog(other, false, verb).await;
        verb
    }

    async fn settings(&mut self) -> &'static str {
        let (one, other) = self.two();
        let max_cap = 60 + self.rng.next() % 100;
        self.set_cap(one, max_cap).await;
        let agent = self.at(other, &self.agent);
        let refused = agent.post("/v1/catalog", json!({"cap": max_cap + 1})).await;
        refused.expect_problem(422, "invalid-cap");
        self.compare_catalog(other, false, "settings").await;
        "settings"
    }

    async fn attach(&mut self) -> &'static str {
        let (one, other) = self.two();
        self.is_attached = !self.is_attached;
        let skills = if self.is_attached {
            json!([{"name": ATTACHED}])
        } else {
            json!([])
        };
        let publisher = self.at(one, &self.publisher);
        attach(&publisher, &self.tenant_scope(), ROLE, skills)
            .await
            .expect(200);
        let role = self.rng.chance(50);
        self.compare_catalog(other, role, "attaching").await;
        "attach"
    }

    /// What uses a token that has ended is told so, whatever it asks.
    async fn has_ended(&mut self, server: usize, token: &str) {
        let client = self.at(server, token);
        let refused = match self.rng.below(3) {
            0 => client.get("/v1/me").await,
            1 => client.get("/v1/skills").await,
            _ => client.post("/v1/catalog", json!({})).await,
        };
        refused.expect_problem(401, "authority-ended");
        self.compared += 1;
    }

    /// A session, which every server has seen.
    async fn session(&mut self) -> String {
        let path = format!("/v1/tenants/{}/members/{}", self.tenant, self.leaver());
        let root = self.at(0, &self.root);
        root.put(&path, json!({"role": "member"})).await.expect(200);
        let client = self.at(0, "").anonymous();
        let token = login(&client, &self.leaver(), None)
            .await
            .token()
            .to_owned();
        for server in 0..3 {
            self.at(server, &token).get("/v1/me").await.expect(200);
        }
        token
    }

    fn leaver(&self) -> String {
        self.tenant.replace("acme", "leaver")
    }

    async fn end_session(&mut self) -> &'static str {
        let token = self.session().await;
        let (one, other) = self.two();
        let ended = self
            .at(one, &token)
            .send(Method::POST, "/v1/logout", &[], None)
            .await;
        ended.expect(204);
        self.has_ended(other, &token).await;
        "end of a session"
    }

    async fn end_membership(&mut self) -> &'static str {
        let token = self.session().await;
        let (one, other) = self.two();
        let path = format!("/v1/tenants/{}/members/{}", self.tenant, self.leaver());
        self.at(one, &self.root)
            .delete(&path)
            .await
            .expect_one_of(&[200, 204]);
        self.has_ended(other, &token).await;
        "end of a membership"
    }

    async fn end_service(&mut self) -> &'static str {
        let (one, other) = self.two();
        let root = self.at(one, &self.root);
        let name = format!("service-{}", self.number);
        self.number += 1;
        let made = root
            .post("/v1/services", json!({"tenant": self.tenant, "name": name}))
            .await
            .expect(201);
        let service = self.at(one, &made.text("key"));
        let mint = json!({"actor": {"id": "mia"}, "agent": "bot", "ttl_seconds": 3600});
        // The other mints for a service that it did not make, and has it in memory.
        let minted = self
            .at(other, service.token())
            .post("/v1/token", mint)
            .await
            .expect(200);
        let token = minted.text("access_token");
        self.at(other, &token).get("/v1/me").await.expect(200);
        let path = format!("/v1/tenants/{}/services/{}", self.tenant, made.text("id"));
        root.delete(&path).await.expect(204);
        self.has_ended(other, &token).await;
        "end of a service"
    }
}
