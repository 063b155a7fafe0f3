//! Logging in, stepping up, minting, keys; and how each of them ends.

mod elevation;
mod ends;
mod keys;
mod login;
mod members;
mod passwords;
mod sessions;

use serde_json::{Value, json};

use crate::harness::{Client, Response, TestServer};

/// Everyone's password.
const PASSWORD: &str = "correct horse battery";

async fn try_login(server: &TestServer, username: &str, password: &str, tenant: Value) -> Response {
    let body = json!({"username": username, "password": password, "tenant": tenant});
    server.client().post("/v1/login", body).await
}

async fn refresh(server: &TestServer, token: &str) -> Response {
    server
        .client()
        .post("/v1/refresh", json!({"refresh_token": token}))
        .await
}

#[track_caller]
fn ended(answer: Response) {
    answer.expect_problem(401, "authority-ended");
}

/// What a caller can still do: its identity, a turn, a listing, a write of its own scope.
async fn uses(client: &Client, actor: &str) -> Vec<Response> {
    vec![
        client.get("/v1/me").await,
        client.post("/v1/catalog", json!({})).await,
        client.get("/v1/skills").await,
        client
            .create(&format!("actor:{actor}"), "note", "note")
            .await,
    ]
}
