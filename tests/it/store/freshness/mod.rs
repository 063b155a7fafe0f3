//! A catalog that starts after a write was acknowledged shows it (invariant 19, threat 24).

mod fills;
mod load;

use serde_json::json;

use crate::harness::{Client, Response};

async fn catalog(client: &Client) -> Response {
    client.post("/v1/catalog", json!({})).await.expect(200)
}
