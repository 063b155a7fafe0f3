//! From where MCP may be spoken: the guards against DNS rebinding, both on.

use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;

use crate::http::extract::BODY_LIMIT;
use crate::http::reach::{LOOPBACK, Reach};

/// Pages of the machine itself.
const LOOPBACK_ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// The configuration of the transport: no sessions, one JSON answer a request.
pub(super) fn transport(reach: &Reach) -> StreamableHttpServerConfig {
    let hosts = LOOPBACK
        .into_iter()
        .chain(reach.hosts.iter().map(String::as_str))
        .chain(reach.public_host());
    let origins = LOOPBACK_ORIGINS
        .into_iter()
        .chain(reach.origins.iter().map(String::as_str));
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_max_request_body_bytes(BODY_LIMIT)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
}
