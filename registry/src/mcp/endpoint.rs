//! `POST /mcp`: one message of MCP, authenticated like any request.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use serde_json::{Value, json};

use super::access::transport;
use super::request::{EndpointQuery, Holding};
use super::server::McpServer;
use crate::http::api::files::held;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Query, is_json};
use crate::store::Reservation;

pub(super) async fn handle(State(app): State<App>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let Authed(caller) = match Authed::from_request_parts(&mut parts, &app).await {
        Ok(authed) => authed,
        Err(problem) => {
            let challenge = challenge(&app, &parts);
            let mut response = problem.into_response();
            if response.status() == StatusCode::UNAUTHORIZED {
                response
                    .headers_mut()
                    .insert(header::WWW_AUTHENTICATE, challenge);
            }
            return response;
        }
    };
    let query = match Query::<EndpointQuery>::from_request_parts(&mut parts, &app).await {
        Ok(Query(query)) => query,
        Err(problem) => return problem.into_response(),
    };
    parts.extensions.insert(caller);
    parts.extensions.insert(query);
    let holding = Holding::default();
    parts.extensions.insert(holding.clone());
    let server = McpServer::new(app.clone());
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        transport(&app.reach),
    );
    let is_json = is_json(&parts.headers);
    let has_origin = parts.headers.contains_key(header::ORIGIN);
    let response = service.handle(Request::from_parts(parts, body)).await;
    if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
        // The type is right: it is the message that is none.
        return (StatusCode::BAD_REQUEST, Json(no_message())).into_response();
    }
    if response.status() == StatusCode::FORBIDDEN {
        return (StatusCode::FORBIDDEN, not_from_there(has_origin)).into_response();
    }
    match holding.take() {
        None => response.map(Body::new),
        Some(reservation) => sent_piece_by_piece(response, reservation).await,
    }
}

/// An answer that has a file in it: the room of the file is held until the client has taken it.
async fn sent_piece_by_piece(
    response: Response<impl HttpBody<Data = Bytes, Error = Infallible>>,
    reservation: Reservation,
) -> Response {
    let (parts, body) = response.into_parts();
    let bytes = match body.collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(never) => match never {},
    };
    Response::from_parts(parts, held(bytes.into(), Some(reservation)))
}

/// The answer to what is no message (JSON-RPC 2.0, §5.1).
fn no_message() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": null,
        "error": {
            "code": -32600,
            "message": "This is no message of MCP: send one JSON object with `jsonrpc`, `method`, `id` and, as an object, `params`.",
        },
    })
}

/// What whoever stands behind a proxy, or writes a web page, reads first.
fn not_from_there(has_origin: bool) -> &'static str {
    if has_origin {
        "The Host or the Origin of this request is not allowed. Start the server with --public-url or --allowed-host for the name that it is called by, and with --allowed-origin for web pages.\n"
    } else {
        "The Host of this request is not allowed. Start the server with --public-url, or --allowed-host, for the name that it is called by.\n"
    }
}

/// Where a client that was refused finds out how to do better.
fn challenge(app: &App, parts: &axum::http::request::Parts) -> HeaderValue {
    let error = if parts.headers.contains_key(header::AUTHORIZATION) {
        ", error=\"invalid_token\""
    } else {
        ""
    };
    app.reach
        .base_url(parts)
        .map(|base| {
            format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"{error}")
        })
        .and_then(|text| HeaderValue::from_str(&text).ok())
        .unwrap_or(HeaderValue::from_static("Bearer"))
}
