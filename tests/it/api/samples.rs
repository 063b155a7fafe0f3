//! One valid request for every route of the table: what bad input is made of.

use hyper::Method;
use serde_json::{Value, json};
use vestry::http::route::Access;
use vestry::http::routes;

use super::files::{bundle, hex, publish};
use super::proposals::{approval, proposal};
use super::schemas::small;
use crate::harness::{Client, People, Response, TestServer, content, context};

/// Who sends a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    Nobody,
    Root,
    Maria,
    Agent,
    Service,
}

/// A valid request.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) who: Who,
    pub(crate) method: Method,
    pub(crate) template: &'static str,
    /// What stands for the path's parameters.
    pub(crate) parts: Vec<(&'static str, String)>,
    pub(crate) query: &'static str,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) body: Option<Value>,
}

impl Sample {
    /// The path with these parameters, percent-encoded where a path cannot hold a character.
    pub(crate) fn path_with(&self, part: &str, value: &str) -> String {
        let mut path = self.template.to_owned();
        for (name, own) in &self.parts {
            let text = if *name == part { value } else { own };
            path = path.replace(&format!("{{{name}}}"), text);
        }
        path
    }

    pub(crate) fn path(&self) -> String {
        let path = self.path_with("", "");
        if self.query.is_empty() {
            path
        } else {
            format!("{path}?{}", self.query)
        }
    }

    /// Sends it with another body.
    pub(crate) async fn send_bytes(&self, cast: &Cast, path: &str, body: Vec<u8>) -> Response {
        let mut headers = self.headers.clone();
        headers.push(("content-type", "application/json"));
        let client = cast.client(self.who);
        client.raw(self.method.clone(), path, &headers, body).await
    }

    pub(crate) async fn send(&self, cast: &Cast) -> Response {
        let client = cast.client(self.who);
        let method = self.method.clone();
        client
            .send(method, &self.path(), &self.headers, self.body.clone())
            .await
    }
}

/// The senders, and what they refer to.
pub(crate) struct Cast {
    root: Client,
    maria: Client,
    agent: Client,
    service: Client,
    offer: String,
    refresh: String,
    service_id: String,
    key_id: String,
    /// One to read and edit, and one each to decide, to withdraw and to rebase.
    proposals: [Value; 4],
}

impl Cast {
    /// The usual people with a skill at every scope, a turn, a key and a session to refresh.
    pub(crate) async fn of(server: &TestServer, people: &mut People) -> Self {
        let root = people.root.clone();
        root.create("global", "refunds", "refunds")
            .await
            .expect(201);
        let files = json!([{"path": "scripts/run.sh", "text": "true\n"}]);
        publish(&root, "global", "tools", bundle("tools", files))
            .await
            .expect(201);
        let maria = people.elevated("maria", "tenant:acme").await;
        let files = json!([{"path": "scripts/run.sh", "text": "true\n"}]);
        let bundled = bundle("refunds at acme", files);
        publish(&maria, "tenant:acme", "refunds", bundled)
            .await
            .expect(201);
        maria
            .update("tenant:acme", "refunds", "refunds again")
            .await
            .expect(200);
        let path = "/v1/roles/tenant:acme/support";
        maria
            .send(
                Method::PUT,
                path,
                &[("if-none-match", "*")],
                Some(content("support")),
            )
            .await
            .expect(201);
        let agent = people.agent("acme", "tom", "support-bot").await;
        let offer = agent.turn("t-1").await.expect(200).text("offer");
        let body = json!({"username": "mia", "password": "correct horse battery"});
        let session = server.client().post("/v1/login", body).await.expect(200);
        let key = maria
            .post("/v1/keys", json!({"name": "script"}))
            .await
            .expect(201);
        let mut proposals = [const { Value::Null }; 4];
        for (number, made) in proposals.iter_mut().enumerate() {
            let mut body = proposal("tenant:acme", &format!("proposed-{number}"), "a lesson");
            body["files"] = json!([{"path": "scripts/run.sh", "text": "true\n"}]);
            *made = agent.post("/v1/proposals", body).await.expect(201).body;
        }
        let services = root.get("/v1/tenants/acme/services").await.expect(200);
        Self {
            service: people.service("acme").await,
            service_id: services.body["items"][0]["id"].as_str().unwrap().to_owned(),
            refresh: session.text("refresh_token"),
            key_id: key.text("id"),
            proposals,
            root,
            maria,
            agent,
            offer,
        }
    }

    pub(crate) fn client(&self, who: Who) -> Client {
        match who {
            Who::Nobody => self.root.anonymous(),
            Who::Root => self.root.clone(),
            Who::Maria => self.maria.clone(),
            Who::Agent => self.agent.clone(),
            Who::Service => self.service.clone(),
        }
    }

    /// A sample for every row of the table; a row without one fails here.
    pub(crate) fn samples(&self) -> Vec<Sample> {
        let rows = routes::table().rows();
        rows.into_iter()
            .map(|(method, template, access)| self.sample(method, template, access))
            .collect()
    }

    fn sample(&self, method: Method, template: &'static str, access: Access) -> Sample {
        let empty = hex(b"");
        let parts = template
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| {
                let value = match name {
                    "scope" => "tenant:acme",
                    "name" if template.starts_with("/.well-known/") => "tools",
                    "name" => "refunds",
                    "role" => "support",
                    "revision" => "1",
                    "tenant" => "acme",
                    "username" => "mia",
                    "service" => &self.service_id,
                    "id" if template.starts_with("/v1/keys/") => &self.key_id,
                    "archive" => "tools.zip",
                    "path" => "SKILL.md",
                    "sha256" => &empty,
                    "code" => "malformed",
                    "id" => {
                        let which = match template.rsplit('/').next().unwrap() {
                            "decision" => 1,
                            "withdraw" => 2,
                            "rebase" => 3,
                            _ => 0,
                        };
                        self.proposals[which]["id"].as_str().unwrap()
                    }
                    other => panic!("no sample for the path parameter `{other}` of {template}"),
                };
                (name, value.to_owned())
            })
            .collect();
        let reason = || Some(json!({"reason": "a test"}));
        let (who, body) = match (method.as_str(), template) {
            ("POST", "/v1/catalog") => (
                Who::Agent,
                Some(json!({"turn": "t-2", "cap": 5, "role": "support",
                "token_budget": 4000, "session": "s-1", "have": "x"})),
            ),
            ("POST", "/v1/load") => (
                Who::Agent,
                Some(json!({"offer": self.offer, "name": "refunds",
                "have": ["sha256:0"], "tool_call": "c-1", "context": {}, "template": false})),
            ),
            ("POST", "/v1/openings") => (
                Who::Agent,
                Some(json!({"turn": "t-3", "role": "support", "session": "s-1",
                "context": context("task-start")})),
            ),
            ("POST", "/v1/prompts/resolve") => (
                Who::Agent,
                Some(
                    json!({"workflow": "bugfix", "role": "review", "primary_role": "review",
                "repository": "https://github.com/acme/app", "key": "review", "turn": "t-4", "session": "s-1",
                "library": [{"file": "mine.md", "frontmatter": "field: plan\n"}]}),
                ),
            ),
            ("PUT", "/v1/roles/{scope}/{role}") => (Who::Maria, Some(content("support, better"))),
            ("PUT", "/v1/roles/{scope}/{role}/attachments") => (
                Who::Maria,
                Some(
                    json!({"skills": [{"name": "refunds", "mode": "triggered"}], "reason": "a test"}),
                ),
            ),
            ("PUT", "/v1/context-schema") | ("POST", "/v1/context-schema/check") => (
                Who::Root,
                Some(json!({"schema": small(2), "accept_breaking": true, "reason": "a test"})),
            ),
            ("POST", "/v1/templates/check") => (
                Who::Agent,
                Some(json!({"source": "Of {{organization.name}}.\n"})),
            ),
            ("POST", "/v1/templates/render") => (
                Who::Agent,
                Some(json!({"source": "Of {{organization.name}}.\n", "sample": "task-start"})),
            ),
            ("POST", "/v1/load/file") => (
                Who::Agent,
                Some(json!({"offer": self.offer, "name": "refunds", "path": "scripts/run.sh"})),
            ),
            ("PUT", "/v1/blobs/{sha256}") => (Who::Agent, None),
            ("PUT", "/v1/skills/{scope}/{name}") => {
                let mut body = content("refunds, better");
                body["templated"] = true.into();
                body["frontmatter"] = json!({"license": "MIT", "metadata": {"a": "b"}});
                body["message"] = "better".into();
                body["files"] =
                    json!([{"path": "a", "text": "a"}, {"path": "b", "base64": "AA=="}]);
                (Who::Maria, Some(body))
            }
            ("POST", "/v1/proposals") => {
                let mut body = proposal("tenant:acme", "another", "something else");
                body["evidence"] =
                    json!({"turn": "t-1", "offer": "o-1", "links": ["https://wiki.example/a"]});
                body["message"] = "better".into();
                body["files"] = json!([{"path": "a", "text": "a"}]);
                (Who::Agent, Some(body))
            }
            ("PUT", "/v1/proposals/{id}") => {
                let mut body = content("what was learned, better");
                body["rationale"] = "It is better.".into();
                (Who::Agent, Some(body))
            }
            ("POST", "/v1/proposals/{id}/decision") => {
                let mut body = approval(&self.proposals[1]);
                body["reason"] = "a test".into();
                (Who::Maria, Some(body))
            }
            ("POST", "/v1/proposals/{id}/comments") => {
                (Who::Maria, Some(json!({"text": "a test"})))
            }
            ("POST", "/v1/proposals/{id}/withdraw" | "/v1/proposals/{id}/rebase") => {
                (Who::Agent, Some(json!({"reason": "a test"})))
            }
            ("POST", "/v1/skills/{scope}/{name}/check") => (Who::Maria, Some(content("refunds"))),
            ("POST", "/v1/skills/{scope}/{name}/rollback") => {
                (Who::Maria, Some(json!({"to": 1, "reason": "a test"})))
            }
            ("POST", "/v1/skills/global/{name}/hide" | "/v1/skills/global/{name}/show") => (
                Who::Maria,
                Some(json!({"tenant": "acme", "reason": "a test"})),
            ),
            ("POST", path)
                if path.ends_with("/quarantine")
                    || path.ends_with("/release")
                    || path.ends_with("/revoke") =>
            {
                (Who::Maria, Some(json!({"reason": "a test", "revision": 1})))
            }
            ("POST", path) if path.starts_with("/v1/skills/") => (Who::Maria, reason()),
            ("POST", "/v1/recall") => (
                Who::Maria,
                Some(json!({"digest": format!("sha256:{}", "0".repeat(64)),
                "reason": "a test"})),
            ),
            ("POST", "/v1/login") => (
                Who::Nobody,
                Some(json!({"username": "mia",
                "password": "correct horse battery", "tenant": "acme"})),
            ),
            ("POST", "/v1/refresh") => (Who::Nobody, Some(json!({"refresh_token": self.refresh}))),
            ("POST", "/v1/elevate") => (
                Who::Maria,
                Some(json!({"scope": "tenant:acme",
                "password": "correct horse battery", "reason": "a test"})),
            ),
            ("POST", "/v1/token") => (
                Who::Service,
                Some(json!({"actor": {"id": "tom"}, "agent": "support-bot",
                "ttl_seconds": 60})),
            ),
            ("POST", "/v1/keys") => (Who::Maria, Some(json!({"name": "script"}))),
            ("POST", "/v1/users") => (
                Who::Root,
                Some(
                    json!({"username": "new", "password": "correct horse battery",
                "display_name": "New"}),
                ),
            ),
            ("POST", "/v1/tenants") => {
                (Who::Root, Some(json!({"id": "initech", "name": "Initech"})))
            }
            ("PUT", "/v1/tenants/{tenant}/members/{username}") => {
                (Who::Root, Some(json!({"role": "auditor", "claim": false})))
            }
            ("PUT", "/v1/tenants/{tenant}/settings") => (
                Who::Root,
                Some(json!({"max_cap": 50,
                "agent_own_scope": "allow", "skills_per_actor": 10, "skills_per_tenant": 10,
                "revisions_per_skill": 10})),
            ),
            ("POST", "/v1/services") => (
                Who::Root,
                Some(json!({"tenant": "acme", "name": "another"})),
            ),
            ("POST", "/v1/logout") => (Who::Maria, None),
            ("POST" | "PUT", other) => panic!("no sample for {method} {other}"),
            // The log of global has nothing that comes by chance.
            ("GET", "/v1/events") => (Who::Root, None),
            (_, path) if path.starts_with("/v1/tenants") || path.starts_with("/v1/users") => {
                (Who::Root, None)
            }
            _ if template == "/v1/recall/tenants" => (Who::Root, None),
            _ if matches!(access, Access::Public | Access::Published) => (Who::Nobody, None),
            _ => (Who::Maria, None),
        };
        let headers = match (method.as_str(), template) {
            ("PUT" | "DELETE", "/v1/skills/{scope}/{name}" | "/v1/roles/{scope}/{role}") => {
                vec![("if-match", "*")]
            }
            ("PUT", "/v1/blobs/{sha256}") => vec![("content-type", "application/octet-stream")],
            _ => Vec::new(),
        };
        let query = if template.ends_with("/diff") {
            "from=1&to=2"
        } else if template.ends_with("/impact") {
            "action=seal"
        } else if template.ends_with("/file") && method == Method::GET {
            "path=scripts/run.sh"
        } else if template == "/v1/events" {
            // A stream that ends.
            "since=start&wait=0"
        } else if template == "/v1/explain" {
            "action=publish-skill&target=tenant:acme/refunds"
        } else if template == "/v1/audit" {
            // The first records are always the same; those that come by the batch are not.
            "limit=2"
        } else if template == "/v1/recall/turns" {
            "scope=tenant:acme&name=refunds&revision=2&limit=2"
        } else if template == "/v1/recall/tenants" {
            "name=refunds&revision=1"
        } else {
            ""
        };
        Sample {
            who,
            method,
            template,
            parts,
            query,
            headers,
            body,
        }
    }
}
