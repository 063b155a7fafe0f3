//! Skills: writing, reading, listing, recalling.

mod content;
mod drift;
mod idempotency;
mod impact;
mod lifecycle;
mod listing;
mod publish;
mod reading;
mod recall;
mod sealed;
mod settings;
mod skill_md;

use hyper::Method;
use serde_json::Value;

use crate::harness::{Client, Response};

async fn put(client: &Client, path: &str, headers: &[(&str, &str)], body: Value) -> Response {
    client.send(Method::PUT, path, headers, Some(body)).await
}

async fn archive(client: &Client, scope: &str, name: &str) -> Response {
    let path = format!("/v1/skills/{scope}/{name}");
    client
        .send(Method::DELETE, &path, &[("if-match", "*")], None)
        .await
}

fn names(listing: &Response) -> Vec<String> {
    listing.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap().to_owned())
        .collect()
}
