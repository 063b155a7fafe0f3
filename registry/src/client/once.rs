//! One request to an address, without keeping anything: for the example world, the quickstart and benches.

use std::net::SocketAddr;

use hyper::Method;
use serde_json::Value;

use super::{Answer, Call, Client, ClientError, ServerUrl};

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
    let client = Client::new(ServerUrl::of_address(address))?;
    let mut call = Call::new(method, path.to_owned());
    if let Some(body) = body {
        call = call.json(body);
    }
    for (name, value) in headers {
        call = call.header(name, *value);
    }
    client.send(&call, token).await
}
