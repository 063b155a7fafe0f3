//! A small HTTP client for the command line: one request, one answer, JSON both ways.

use std::net::SocketAddr;

use axum::body::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ClientError(String);

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The body; null when it is not JSON.
    pub body: Value,
}

/// Sends one request.
///
/// # Errors
/// When the server cannot be reached, or the connection fails.
pub async fn send(
    address: SocketAddr,
    method: Method,
    path: &str,
    token: Option<&str>,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Result<Answer, ClientError> {
    let failed = |error: &dyn std::fmt::Display| ClientError(format!("{method} {path}: {error}"));
    let stream = TcpStream::connect(address)
        .await
        .map_err(|error| failed(&error))?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| failed(&error))?;
    tokio::spawn(connection);
    let mut request = Request::builder()
        .method(method.clone())
        .uri(path)
        .header(HOST, address.to_string());
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, format!("Bearer {token}"));
    }
    if body.is_some() {
        request = request.header(CONTENT_TYPE, "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let bytes = body.map(ToString::to_string).unwrap_or_default();
    let request = request
        .body(Full::new(Bytes::from(bytes)))
        .map_err(|error| failed(&error))?;
    let answer = sender
        .send_request(request)
        .await
        .map_err(|error| failed(&error))?;
    let status = answer.status();
    let bytes = answer
        .into_body()
        .collect()
        .await
        .map_err(|error| failed(&error))?
        .to_bytes();
    Ok(Answer {
        status,
        body: serde_json::from_slice(&bytes).unwrap_or_default(),
    })
}
