//! `POST /mcp`: one message of MCP, authenticated like any request.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;

use super::access::transport;
use super::request::EndpointQuery;
use super::server::McpServer;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::Query;

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
    let server = McpServer::new(app.clone());
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        transport(&app.reach),
    );
    service
        .handle(Request::from_parts(parts, body))
        .await
        .map(Body::new)
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
