//! How to change something at each route.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::bench::Bench;
use crate::api::files::hex;
use crate::api::proposals::{approval, proposal};
use crate::api::schemas::built_in;
use crate::harness::{Client, PASSWORD, content, elevate, login};

/// Client, path, headers and body of a request that fails, and the status of its answer.
pub(super) type Failing = (Client, String, Headers, Option<Value>, u16);
pub(super) type Headers = Vec<(&'static str, &'static str)>;

/// A change that succeeds and one that fails for another reason than a refusal.
pub(super) struct Recipe {
    pub(super) client: Client,
    pub(super) path: String,
    pub(super) headers: Headers,
    pub(super) body: Option<Value>,
    pub(super) failing: Failing,
    /// The chain that the record enters: `acme` or `global`.
    pub(super) chain: &'static str,
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Bench {
    /// How to change something at a route; nothing for routes without a recipe.
    pub(super) async fn recipe(&self, method: &str, path: &str) -> Option<Recipe> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let anyone = self.server.client();
        let maria = self.people.elevated("maria", "tenant:acme").await;
        let plain = login(&anyone, "maria", None).await;
        let root = self.people.root.clone();
        let reason = Some(json!({"reason": "a test"}));
        let name = format!("skill-{number}");
        let skill = format!("/v1/skills/tenant:acme/{name}");
        let absent = "/v1/skills/tenant:acme/absent";
        let change = |path: &str, body: Option<Value>, failing: &str, status: u16| Recipe {
            client: maria.clone(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: body.clone(),
            failing: (maria.clone(), failing.to_owned(), Vec::new(), body, status),
            chain: "acme",
        };
        let verb = path.rsplit('/').next().unwrap();
        Some(match (method, path) {
            ("PUT", "/v1/skills/{scope}/{name}") => {
                maria
                    .create("tenant:acme", &format!("{name}-taken"), "taken")
                    .await
                    .expect(201);
                let new = vec![("if-none-match", "*")];
                let body = Some(content("new"));
                Recipe {
                    headers: new.clone(),
                    failing: (
                        maria.clone(),
                        format!("{skill}-taken"),
                        new,
                        body.clone(),
                        412,
                    ),
                    ..change(&skill, body, "", 0)
                }
            }
            ("PUT", "/v1/roles/{scope}/{role}") => {
                let at = |role: &str| format!("/v1/roles/tenant:acme/{role}");
                let taken = at(&format!("{name}-taken"));
                let new = vec![("if-none-match", "*")];
                let body = Some(content("new"));
                maria
                    .send(hyper::Method::PUT, &taken, &new, body.clone())
                    .await
                    .expect(201);
                Recipe {
                    headers: new.clone(),
                    failing: (maria.clone(), taken, new, body.clone(), 412),
                    ..change(&at(&name), body, "", 0)
                }
            }
            ("DELETE", "/v1/roles/{scope}/{role}") => {
                let at = format!("/v1/roles/tenant:acme/{name}");
                let new = [("if-none-match", "*")];
                maria
                    .send(hyper::Method::PUT, &at, &new, Some(content("new")))
                    .await
                    .expect(201);
                change(&at, None, "/v1/roles/tenant:acme/absent", 404)
            }
            ("PUT", "/v1/roles/{scope}/{role}/attachments") => {
                maria.create("tenant:acme", &name, &name).await.expect(201);
                let at = format!("/v1/roles/tenant:acme/{name}/attachments");
                let body = |skill: &str| Some(json!({"skills": [{"name": skill}]}));
                Recipe {
                    failing: (maria.clone(), at.clone(), Vec::new(), body("absent"), 422),
                    ..change(&at, body(&name), "", 0)
                }
            }
            ("PUT", "/v1/blobs/{sha256}") => {
                let bytes = vec![("content-type", "application/octet-stream")];
                let of = |body: &Value| format!("/v1/blobs/{}", hex(body.to_string().as_bytes()));
                let body = json!(name);
                Recipe {
                    headers: bytes.clone(),
                    failing: (
                        maria.clone(),
                        of(&json!("other")),
                        bytes,
                        Some(body.clone()),
                        422,
                    ),
                    ..change(&of(&body), Some(body), "", 0)
                }
            }
            ("POST", "/v1/proposals") => {
                let tom = self.people.human("tom").await;
                let body = |name: &str| Some(proposal("tenant:acme", name, "a lesson"));
                let failing = Some(proposal("tenant:acme", &name, "hidden \u{200b}"));
                Recipe {
                    client: tom.clone(),
                    failing: (tom, path.to_owned(), Vec::new(), failing, 422),
                    ..change(path, body(&name), "", 0)
                }
            }
            (_, path) if path.starts_with("/v1/proposals/{id}") => {
                let tom = self.people.human("tom").await;
                let made = tom
                    .propose("tenant:acme", &name, "a lesson")
                    .await
                    .expect(201);
                let at = path.replace("{id}", &made.text("id"));
                let absent = path.replace("{id}", "p-999999");
                let (client, body) = match verb {
                    "decision" => (maria.clone(), approval(&made.body)),
                    "comments" => (tom.clone(), json!({"text": "a test"})),
                    "withdraw" => (tom.clone(), json!({"reason": "a test"})),
                    "rebase" => {
                        maria
                            .create("tenant:acme", &name, "beside it")
                            .await
                            .expect(201);
                        (tom.clone(), json!({}))
                    }
                    _ => (tom.clone(), content("a better lesson")),
                };
                Recipe {
                    client: client.clone(),
                    failing: (client, absent, Vec::new(), Some(body.clone()), 404),
                    ..change(&at, Some(body), "", 0)
                }
            }
            ("DELETE", "/v1/skills/{scope}/{name}") => {
                maria.create("tenant:acme", &name, "one").await.expect(201);
                change(&skill, None, absent, 404)
            }
            ("POST", "/v1/skills/{scope}/{name}/rollback") => {
                maria.create("tenant:acme", &name, "one").await.expect(201);
                maria.update("tenant:acme", &name, "two").await.expect(200);
                let body = Some(json!({"to": 1, "reason": "a test"}));
                change(
                    &format!("{skill}/rollback"),
                    body,
                    &format!("{absent}/rollback"),
                    404,
                )
            }
            ("POST", _) if path.starts_with("/v1/skills/{scope}/{name}/") && verb != "check" => {
                maria.create("tenant:acme", &name, &name).await.expect(201);
                let first = match verb {
                    "enable" => Some("disable"),
                    "release" => Some("quarantine"),
                    "unseal" => Some("seal"),
                    _ => None,
                };
                if let Some(first) = first {
                    maria.verb("tenant:acme", &name, first).await.expect(200);
                }
                change(
                    &format!("{skill}/{verb}"),
                    reason,
                    &format!("{absent}/{verb}"),
                    404,
                )
            }
            ("POST", "/v1/skills/global/{name}/hide" | "/v1/skills/global/{name}/show") => {
                root.create("global", &name, "global").await.expect(201);
                let body = json!({"tenant": "acme", "reason": "a test"});
                let skill = format!("/v1/skills/global/{name}");
                if verb == "show" {
                    maria
                        .post(&format!("{skill}/hide"), body.clone())
                        .await
                        .expect(200);
                }
                let failing = format!("/v1/skills/global/absent/{verb}");
                change(&format!("{skill}/{verb}"), Some(body), &failing, 404)
            }
            ("POST", "/v1/recall") => {
                let made = maria.create("tenant:acme", &name, &name).await.expect(201);
                let body = |digest: String| Some(json!({"digest": digest, "reason": "a test"}));
                let unknown = format!("sha256:{}", "0".repeat(64));
                Recipe {
                    failing: (
                        maria.clone(),
                        path.to_owned(),
                        Vec::new(),
                        body(unknown),
                        404,
                    ),
                    ..change(path, body(made.text("digest")), "", 0)
                }
            }
            ("POST", "/v1/login") => {
                let body =
                    |password: &str| Some(json!({"username": "maria", "password": password}));
                Recipe {
                    client: anyone.clone(),
                    failing: (
                        anyone,
                        path.to_owned(),
                        Vec::new(),
                        body("a wrong password"),
                        401,
                    ),
                    ..change(path, body(PASSWORD), "", 0)
                }
            }
            ("POST", "/v1/refresh") => {
                let body = json!({"username": "maria", "password": PASSWORD});
                let token = anyone
                    .post("/v1/login", body)
                    .await
                    .expect(200)
                    .text("refresh_token");
                let body = |token: &str| Some(json!({"refresh_token": token}));
                Recipe {
                    client: anyone.clone(),
                    failing: (anyone, path.to_owned(), Vec::new(), body("garbage"), 401),
                    ..change(path, body(&token), "", 0)
                }
            }
            ("POST", "/v1/logout") => Recipe {
                client: plain,
                failing: (anyone, path.to_owned(), Vec::new(), None, 401),
                ..change(path, None, "", 0)
            },
            ("POST", "/v1/elevate") => {
                let body = |password: &str| {
                    Some(json!({"scope": "tenant:acme", "password": password, "reason": "a test"}))
                };
                Recipe {
                    client: plain.clone(),
                    failing: (
                        plain,
                        path.to_owned(),
                        Vec::new(),
                        body("a wrong password"),
                        401,
                    ),
                    ..change(path, body(PASSWORD), "", 0)
                }
            }
            ("DELETE", "/v1/elevate") => Recipe {
                client: elevate(&plain, "tenant:acme").await,
                failing: (anyone, path.to_owned(), Vec::new(), None, 401),
                ..change(path, None, "", 0)
            },
            ("POST", "/v1/keys") => Recipe {
                failing: (
                    maria.clone(),
                    path.to_owned(),
                    Vec::new(),
                    Some(json!({"name": ""})),
                    422,
                ),
                ..change(path, Some(json!({"name": name})), "", 0)
            },
            ("DELETE", "/v1/keys/{id}") => {
                let made = maria
                    .post("/v1/keys", json!({"name": name}))
                    .await
                    .expect(201);
                change(
                    &format!("/v1/keys/{}", made.text("id")),
                    None,
                    "/v1/keys/key_absent",
                    404,
                )
            }
            ("POST", "/v1/users") => {
                let body = |username: &str| {
                    Some(json!({"username": username, "password": PASSWORD, "display_name": "U"}))
                };
                Recipe {
                    client: root.clone(),
                    failing: (root, path.to_owned(), Vec::new(), body("tom"), 409),
                    chain: "global",
                    ..change(path, body(&format!("user-{number}")), "", 0)
                }
            }
            ("POST", "/v1/tenants") => {
                let body = |id: &str| Some(json!({"id": id, "name": "T"}));
                Recipe {
                    client: root.clone(),
                    failing: (root, path.to_owned(), Vec::new(), body("ACME"), 409),
                    chain: "global",
                    ..change(path, body(&format!("tenant-{number}")), "", 0)
                }
            }
            ("PUT", "/v1/context-schema") => {
                let body = |version: u64| Some(json!({"schema": built_in(version)}));
                Recipe {
                    client: root.clone(),
                    failing: (root, path.to_owned(), Vec::new(), body(0), 422),
                    chain: "global",
                    ..change(path, body(2), "", 0)
                }
            }
            ("PUT", "/v1/tenants/{tenant}/members/{username}") => {
                self.people.user(&name).await;
                let member = |username: &str| format!("/v1/tenants/acme/members/{username}");
                let body = Some(json!({"role": "member"}));
                change(&member(&name), body, &member("nobody"), 404)
            }
            ("DELETE", "/v1/tenants/{tenant}/members/{username}") => {
                self.people.user(&name).await;
                self.people
                    .member("acme", &name, "member")
                    .await
                    .expect(200);
                let member = |username: &str| format!("/v1/tenants/acme/members/{username}");
                change(&member(&name), None, &member("gus"), 404)
            }
            ("PUT", "/v1/tenants/{tenant}/settings") => {
                let path = "/v1/tenants/acme/settings";
                let body = |cap: u64| {
                    Some(json!({
                        "max_cap": cap, "agent_own_scope": "allow", "skills_per_actor": 200,
                        "skills_per_tenant": 2_000, "revisions_per_skill": 1_000,
                    }))
                };
                Recipe {
                    failing: (maria.clone(), path.to_owned(), Vec::new(), body(0), 422),
                    ..change(path, body(100), "", 0)
                }
            }
            ("POST", "/v1/services") => {
                let body = |name: &str| Some(json!({"tenant": "acme", "name": name}));
                Recipe {
                    failing: (
                        maria.clone(),
                        path.to_owned(),
                        Vec::new(),
                        body("platform"),
                        409,
                    ),
                    ..change(path, body(&name), "", 0)
                }
            }
            ("DELETE", "/v1/tenants/{tenant}/services/{service}") => {
                let body = json!({"tenant": "acme", "name": name});
                let id = maria
                    .post("/v1/services", body)
                    .await
                    .expect(201)
                    .text("id");
                let service = |id: &str| format!("/v1/tenants/acme/services/{id}");
                change(&service(&id), None, &service("svc_absent"), 404)
            }
            _ => return None,
        })
    }
}
