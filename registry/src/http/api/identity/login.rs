//! `POST /v1/login`: an access token and a refresh token for a password.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::app::App;
use crate::http::extract::{Body, ClientAddress, RequestId};
use crate::http::limiter::Purpose;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::StoreError;
use crate::store::login::SessionTokens;

/// Who logs in.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The username.
    username: String,
    /// The password.
    password: String,
    /// The tenant; may be left out by a member of one.
    #[serde(default)]
    tenant: Option<String>,
}

/// The tokens of a session.
#[derive(Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The access token, for 15 minutes.
    access_token: String,
    /// When the access token ends, RFC 3339.
    expires_at: String,
    /// The refresh token, to be used once.
    refresh_token: String,
    /// The tenant that the tokens are for; null for a global administrator without one.
    tenant: Option<String>,
}

impl From<SessionTokens> for Answer {
    fn from(tokens: SessionTokens) -> Self {
        Self {
            access_token: tokens.access.token,
            expires_at: tokens.access.expires_at.rfc3339(),
            refresh_token: tokens.refresh.reveal().to_owned(),
            tenant: tokens.tenant.map(|tenant| tenant.to_string()),
        }
    }
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Log in")
        .description("Limited per account and per address.")
        .tag("identity")
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::Unauthenticated, Code::Conflict, Code::TooManyRequests])
}

pub(in crate::http) async fn handle(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    request_id: RequestId,
    Body(request): Body<Request>,
) -> Result<Json<Answer>, Problem> {
    let Request {
        username,
        password,
        tenant,
    } = request;
    app.password_limits
        .check(Purpose::Login, &username.to_ascii_lowercase(), address)?;
    let username = app
        .store
        .verify_password(&username, &password)
        .await?
        .ok_or(StoreError::BadCredentials)?;
    let tokens = app
        .store
        .open_session(username, tenant, Some(request_id.0.to_string()))
        .await?;
    Ok(Json(tokens.into()))
}
