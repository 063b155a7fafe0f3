//! Bundled files: publishing, uploading, reading and loading them (design §4.2, §9; threats 5, 8 and 17).

mod blobs;
mod load;
mod oracle;
mod publish;
mod reading;

use std::fmt::Write as _;

use hyper::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::harness::{Client, Response, content};

/// The SHA-256 of bytes, as a path has it.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

/// The SHA-256 of bytes, as bodies have it.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(bytes))
}

/// Uploads bytes.
pub(crate) async fn upload(client: &Client, bytes: &[u8]) -> Response {
    let path = format!("/v1/blobs/{}", hex(bytes));
    let headers = [("content-type", "application/octet-stream")];
    client
        .raw(Method::PUT, &path, &headers, bytes.to_vec())
        .await
}

/// The content of a skill with these files.
pub(crate) fn bundle(text: &str, files: Value) -> Value {
    let mut body = content(text);
    body["files"] = files;
    body
}

/// Publishes content over whatever is there, or anew.
pub(crate) async fn publish(client: &Client, scope: &str, name: &str, body: Value) -> Response {
    let path = format!("/v1/skills/{scope}/{name}");
    let exists = client.get(&path).await.status == 200;
    let precondition = if exists {
        ("if-match", "*")
    } else {
        ("if-none-match", "*")
    };
    client
        .send(Method::PUT, &path, &[precondition], Some(body))
        .await
}

/// The paths that an answer lists.
pub(crate) fn paths(answer: &Response) -> Vec<String> {
    answer.body["files"]
        .as_array()
        .unwrap_or_else(|| panic!("no files in {}", answer.body))
        .iter()
        .map(|file| file["path"].as_str().unwrap().to_owned())
        .collect()
}

/// A file of a revision.
pub(crate) async fn file(client: &Client, skill: &str, revision: u32, path: &str) -> Response {
    client
        .get(&format!(
            "/v1/skills/{skill}/revisions/{revision}/file?path={path}"
        ))
        .await
}

fn one(path: &str, text: &str) -> Value {
    json!([{"path": path, "text": text}])
}
