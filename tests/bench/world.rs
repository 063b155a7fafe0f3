//! The world of the bench, and the requests that are measured.

use std::net::SocketAddr;

use hyper::Method;
use serde_json::{Value, json};
use vestry::client::send;

use crate::copies;
use crate::generator::Connection;
use crate::process::{PASSWORD, Vestry};
use crate::request::Load;

/// Skills of one filling actor; the quota allows no more.
const AN_ACTOR: u64 = 200;
/// Skills that somebody sees who is measured.
const SEEN: u64 = 2_730;

/// Who asks.
pub(crate) struct World {
    /// An agent with 10 skills of its actor, 200 of its tenant, 500 global ones.
    agent: String,
    publisher: String,
    /// An agent whose tenant has 20 skills, and one whose tenant has 2,000.
    small: String,
    large: String,
    filler_key: String,
    filled: u64,
}

/// Fills the server with what its callers see.
pub(crate) fn fill(vestry: &Vestry) -> World {
    runtime().block_on(fill_world(vestry.address))
}

/// A publisher of the tenant `imports`, which has room for so many skills.
pub(crate) fn importer(vestry: &Vestry, skills: u64) -> String {
    runtime().block_on(async {
        let address = vestry.address;
        let root = elevated(address, "root", "global").await;
        let people = tenant_of(address, &root, "imports").await;
        let settings = json!({
            "max_cap": 200, "agent_own_scope": "allow", "skills_per_actor": 200,
            "skills_per_tenant": skills, "revisions_per_skill": 10_000,
        });
        let path = "/v1/tenants/imports/settings";
        ask(address, Method::PUT, path, &people.publisher, &settings).await;
        people.publisher
    })
}

/// Who was offered a skill.
pub(crate) struct Offered {
    pub(crate) agent: String,
    pub(crate) offer: String,
}

/// A tenant with one skill, a template, and an agent that was offered it.
pub(crate) fn one_template(vestry: &Vestry, name: &str, source: &str) -> Offered {
    runtime().block_on(async {
        let address = vestry.address;
        let root = elevated(address, "root", "global").await;
        let people = tenant_of(address, &root, "templates").await;
        let path = format!("/v1/skills/tenant:templates/{name}");
        let content = json!({"description": description(name), "body": source, "templated": true});
        let headers = "if-none-match: *\r\n";
        let publish = Load::new(
            address,
            "PUT",
            &path,
            &people.publisher,
            headers,
            content.to_string(),
        );
        Connection::open(address).ask(&publish.bytes());
        let catalog = ask(
            address,
            Method::POST,
            "/v1/catalog",
            &people.agent,
            &json!({}),
        )
        .await;
        Offered {
            offer: field(&catalog, "offer"),
            agent: people.agent,
        }
    })
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

async fn fill_world(address: SocketAddr) -> World {
    let root = elevated(address, "root", "global").await;
    let mut people = Vec::new();
    for tenant in ["acme", "small", "large", "filler"] {
        people.push(tenant_of(address, &root, tenant).await);
    }
    let [acme, small, large, filler] = people.try_into().unwrap_or_else(|_| panic!("four"));
    for (scope, token, count) in [
        ("global", &root, 500),
        ("tenant:acme", &acme.publisher, 200),
        ("actor:maria", &acme.agent, 10),
        ("tenant:small", &small.publisher, 20),
        ("tenant:large", &large.publisher, 2_000),
    ] {
        let kind = scope.split(':').next().unwrap();
        let mut connection = Connection::open(address);
        for number in 0..count {
            connection.ask(&new_skill(
                address,
                token,
                scope,
                &format!("{kind}-skill-{number}"),
            ));
        }
    }
    World {
        agent: acme.agent,
        publisher: acme.publisher,
        small: small.agent,
        large: large.agent,
        filler_key: filler.key,
        filled: 0,
    }
}

struct People {
    publisher: String,
    agent: String,
    key: String,
}

/// A tenant with a publisher and a service, and a token of an agent that acts for the actor `maria`.
async fn tenant_of(address: SocketAddr, root: &str, tenant: &str) -> People {
    let name = format!("publisher-{tenant}");
    let body = json!({"id": tenant, "name": tenant});
    ask(address, Method::POST, "/v1/tenants", root, &body).await;
    let user = json!({"username": name, "password": PASSWORD, "display_name": name});
    ask(address, Method::POST, "/v1/users", root, &user).await;
    let path = format!("/v1/tenants/{tenant}/members/{name}");
    ask(
        address,
        Method::PUT,
        &path,
        root,
        &json!({"role": "publisher"}),
    )
    .await;
    let publisher = elevated(address, &name, &format!("tenant:{tenant}")).await;
    let service = json!({"tenant": tenant, "name": "platform"});
    let service = ask(address, Method::POST, "/v1/services", &publisher, &service).await;
    let key = field(&service, "key");
    let agent = agent(address, &key, "maria").await;
    People {
        publisher,
        agent,
        key,
    }
}

async fn agent(address: SocketAddr, key: &str, actor: &str) -> String {
    let mint = json!({"actor": {"id": actor}, "agent": "bot", "ttl_seconds": 3600});
    field(
        &ask(address, Method::POST, "/v1/token", key, &mint).await,
        "access_token",
    )
}

impl World {
    /// Adds skills that nobody who is measured sees, until there are so many in all. The first actor publishes its own; the
    /// others' are copies in the database, for which the server is stopped and started again.
    pub(crate) fn grow(&mut self, vestry: &mut Vestry, skills: u64) {
        let last = skills.saturating_sub(SEEN) / AN_ACTOR;
        let filled = self.filled / AN_ACTOR;
        if last <= filled {
            return;
        }
        if filled == 0 {
            let address = vestry.address;
            let token = runtime().block_on(agent(address, &self.filler_key, "filler-0"));
            let mut connection = Connection::open(address);
            for skill in 0..AN_ACTOR {
                let name = format!("skill-0-{skill}");
                connection.ask(&new_skill(address, &token, "actor:filler-0", &name));
            }
        }
        let first = filled.max(1);
        if first < last {
            let url = vestry.database().map(str::to_owned);
            vestry.while_stopped(|directory| {
                copies::of_the_first_actor(directory, url.as_deref(), first, last);
            });
        }
        self.filled = last * AN_ACTOR;
    }

    /// Reads the scopes of filling actors into memory, from the first to the last of these; gives how many skills they have,
    /// and the bytes of their texts.
    pub(crate) fn touch(&self, address: SocketAddr, first: u64, last: u64) -> (u64, u64) {
        let last = last.min(self.filled / AN_ACTOR);
        let mut connection = Connection::open(address);
        let mut text = 0;
        for number in first..last {
            let actor = format!("filler-{number}");
            let token = runtime().block_on(agent(address, &self.filler_key, &actor));
            connection
                .ask(&Load::new(address, "GET", "/v1/skills?limit=1", &token, "", "").bytes());
            for skill in 0..AN_ACTOR {
                let name = format!("skill-{number}-{skill}");
                text += (description(&name).len() + name.len()) as u64;
            }
        }
        (last.saturating_sub(first) * AN_ACTOR, text)
    }

    pub(crate) fn catalog(&self, address: SocketAddr) -> Load {
        Load::new(address, "POST", "/v1/catalog", &self.agent, "", "{}")
    }

    pub(crate) fn small_catalog(&self, address: SocketAddr) -> Load {
        Load::new(address, "POST", "/v1/catalog", &self.small, "", "{}")
    }

    pub(crate) fn large_catalog(&self, address: SocketAddr) -> Load {
        Load::new(address, "POST", "/v1/catalog", &self.large, "", "{}")
    }

    fn taken(&self, address: SocketAddr) -> Value {
        runtime().block_on(ask(
            address,
            Method::POST,
            "/v1/catalog",
            &self.agent,
            &json!({}),
        ))
    }

    pub(crate) fn unchanged(&self, address: SocketAddr) -> Load {
        let body = json!({"have": field(&self.taken(address), "etag")});
        Load::new(
            address,
            "POST",
            "/v1/catalog",
            &self.agent,
            "",
            body.to_string(),
        )
    }

    pub(crate) fn load(&self, address: SocketAddr) -> Load {
        let catalog = self.taken(address);
        let body =
            json!({"offer": field(&catalog, "offer"), "name": catalog["entries"][0]["name"]});
        Load::new(
            address,
            "POST",
            "/v1/load",
            &self.agent,
            "",
            body.to_string(),
        )
    }

    /// A turn of a new name each time.
    pub(crate) fn named_turn(&self, address: SocketAddr) -> Load {
        let body = format!("{{\"turn\":\"turn-{}-{{n}}\"}}", std::process::id());
        Load::new(address, "POST", "/v1/catalog", &self.agent, "", body)
    }

    /// A new revision of one tenant skill each time.
    pub(crate) fn publish(&self, address: SocketAddr) -> Load {
        let content = json!({"description": "Use when benching.", "body": format!("NUMBER\n{}", body("bench"))});
        Load::new(
            address,
            "PUT",
            "/v1/skills/tenant:acme/tenant-skill-0",
            &self.publisher,
            "if-match: *\r\n",
            content.to_string().replace("NUMBER", "{n}"),
        )
    }
}

/// A body of 5 KB.
fn body(name: &str) -> String {
    format!(
        "# {name}\n\n{}",
        "Do one thing after the other, and look at the outcome.\n".repeat(91)
    )
}

fn description(name: &str) -> String {
    format!(
        "Use when the task is about {name}, or when somebody asks for what it covers in other words."
    )
}

fn new_skill(address: SocketAddr, token: &str, scope: &str, name: &str) -> Vec<u8> {
    let content = json!({"description": description(name), "body": body(name)});
    let path = format!("/v1/skills/{scope}/{name}");
    Load::new(
        address,
        "PUT",
        &path,
        token,
        "if-none-match: *\r\n",
        content.to_string(),
    )
    .bytes()
}

async fn elevated(address: SocketAddr, username: &str, scope: &str) -> String {
    let login = json!({"username": username, "password": PASSWORD});
    let access = field(
        &ask(address, Method::POST, "/v1/login", "", &login).await,
        "access_token",
    );
    let body = json!({"scope": scope, "password": PASSWORD, "reason": "the bench"});
    field(
        &ask(address, Method::POST, "/v1/elevate", &access, &body).await,
        "access_token",
    )
}

async fn ask(address: SocketAddr, method: Method, path: &str, token: &str, body: &Value) -> Value {
    let token = (!token.is_empty()).then_some(token);
    let answer = send(address, method, path, token, &[], Some(body))
        .await
        .unwrap();
    assert!(answer.status.is_success(), "{path}: {}", answer.body);
    answer.body
}

fn field(body: &Value, name: &str) -> String {
    body[name].as_str().unwrap().to_owned()
}
