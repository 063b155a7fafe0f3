//! `POST /v1/elevate`: step up for one shared scope.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::api::words::reason;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Body, ClientAddress, PathPart as _, RequestId, ScopeText};
use crate::http::limiter::Purpose;
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::identity::MAX_ELEVATION_SECONDS;
use crate::store::StoreError;
use crate::store::actions::Elevate;

/// For what, and why.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// `tenant:<id>` or `global`.
    scope: String,
    /// The password, again.
    password: String,
    /// Why; one line of 1 to 500 characters, for the audit log.
    reason: String,
}

/// The elevated token.
#[derive(Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The elevated access token: send it instead of the other.
    access_token: String,
    /// The scope that it holds for.
    scope: String,
    /// When it ends, RFC 3339; 15 minutes from now.
    expires_at: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Step up for one scope")
        .description("Interactive, for one scope, for 15 minutes, recorded; limited per account and per address.")
        .tag("identity")
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::InvalidScope,
            Code::InvalidContent,
            Code::TooManyRequests,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    request_id: RequestId,
    Body(request): Body<Request>,
) -> Result<Json<Answer>, Problem> {
    let Request {
        scope,
        password,
        reason: why,
    } = request;
    let scope = ScopeText::parse(&scope)?.resolve(caller.tenant())?;
    let why = reason(why)?;
    // Only a human has a password to verify; everyone else is refused by the rules, below.
    if let Some(username) = caller.username() {
        app.password_limits.check(
            Purpose::Elevation,
            &username.as_str().to_ascii_lowercase(),
            address,
        )?;
        app.store
            .verify_password(username.as_str(), &password)
            .await?
            .ok_or(StoreError::BadCredentials)?;
    }
    let action = Elevate {
        id: app.entropy.id("elv_").map_err(Problem::internal)?,
        scope: scope.clone(),
        reason: why,
        ttl_seconds: MAX_ELEVATION_SECONDS,
    };
    let elevated = app.store.act(&caller, action, facts(&request_id)).await?;
    let minted = app.store.elevated_token(&caller, &scope, &elevated)?;
    Ok(Json(Answer {
        access_token: minted.token,
        scope: scope.to_string(),
        expires_at: minted.expires_at.rfc3339(),
    }))
}
