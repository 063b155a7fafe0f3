//! The world of the bench, and the requests that are measured.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::Method;
use serde_json::{Value, json};
use vestry::client::send;

use crate::process::{PASSWORD, Vestry};

/// The requests.
pub(crate) struct World {
    pub(crate) catalog: Vec<u8>,
    pub(crate) unchanged: Vec<u8>,
    pub(crate) load: Vec<u8>,
    agent: String,
    publisher: String,
}

/// Fills the server, and makes the requests.
pub(crate) fn fill(vestry: &Vestry) -> World {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(fill_world(vestry.address))
}

async fn fill_world(address: SocketAddr) -> World {
    let root = elevated(address, "root", "global").await;
    ask(
        address,
        Method::POST,
        "/v1/tenants",
        &root,
        &json!({"id": "acme", "name": "Acme"}),
    )
    .await;
    let user = json!({"username": "maria", "password": PASSWORD, "display_name": "Maria"});
    ask(address, Method::POST, "/v1/users", &root, &user).await;
    ask(
        address,
        Method::PUT,
        "/v1/tenants/acme/members/maria",
        &root,
        &json!({"role": "publisher"}),
    )
    .await;
    let publisher = elevated(address, "maria", "tenant:acme").await;
    let service = json!({"tenant": "acme", "name": "platform"});
    let key = field(
        &ask(address, Method::POST, "/v1/services", &publisher, &service).await,
        "key",
    );
    let mint = json!({"actor": {"id": "maria"}, "agent": "bot", "ttl_seconds": 3600});
    let agent = field(
        &ask(address, Method::POST, "/v1/token", &key, &mint).await,
        "access_token",
    );
    for (scope, token, count) in [
        ("global", &root, 500),
        ("tenant:acme", &publisher, 200),
        ("actor:maria", &agent, 10),
    ] {
        let kind = scope.split(':').next().unwrap();
        for number in 0..count {
            publish(address, token, scope, &format!("{kind}-skill-{number}")).await;
        }
    }
    let catalog = ask(address, Method::POST, "/v1/catalog", &agent, &json!({})).await;
    let load = json!({"offer": field(&catalog, "offer"), "name": catalog["entries"][0]["name"]});
    World {
        catalog: request("POST", "/v1/catalog", &agent, "", "{}"),
        unchanged: request(
            "POST",
            "/v1/catalog",
            &agent,
            "",
            &json!({"have": field(&catalog, "etag")}).to_string(),
        ),
        load: request("POST", "/v1/load", &agent, "", &load.to_string()),
        agent,
        publisher,
    }
}

impl World {
    /// A turn of a new name each time.
    pub(crate) fn named_turn(&self) -> Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync> {
        let agent = self.agent.clone();
        Arc::new(move |number| {
            request(
                "POST",
                "/v1/catalog",
                &agent,
                "",
                &format!("{{\"turn\":\"turn-{number}\"}}"),
            )
        })
    }

    /// A new revision of one tenant skill each time.
    pub(crate) fn publish(&self) -> Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync> {
        let publisher = self.publisher.clone();
        Arc::new(move |number| {
            let body = json!({"description": "Use when benching.", "body": format!("{number}\n{}", body("bench"))});
            request(
                "PUT",
                "/v1/skills/tenant:acme/tenant-skill-0",
                &publisher,
                "if-match: *\r\n",
                &body.to_string(),
            )
        })
    }
}

/// A body of 5 KB.
fn body(name: &str) -> String {
    format!(
        "# {name}\n\n{}",
        "Do one thing after the other, and look at the outcome.\n".repeat(91)
    )
}

async fn publish(address: SocketAddr, token: &str, scope: &str, name: &str) {
    let description = format!(
        "Use when the task is about {name}, or when somebody asks for what it covers in other words."
    );
    let content = json!({"description": description, "body": body(name)});
    let path = format!("/v1/skills/{scope}/{name}");
    let answer = send(
        address,
        Method::PUT,
        &path,
        Some(token),
        &[("if-none-match", "*")],
        Some(&content),
    )
    .await
    .unwrap();
    assert!(answer.status.is_success(), "{}", answer.body);
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

fn request(method: &str, path: &str, token: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
