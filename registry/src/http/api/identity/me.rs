//! `GET /v1/me`: who the caller is.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use vestry_policies::PrincipalKind;

use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::problem::Problem;
use crate::http::route::Operation;
use crate::store::queries::ReadIdentity;

/// Who the caller is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// Such as `human:maria`, `agent:support-bot` or `service:svc_…`.
    principal: String,
    /// `human`, `agent` or `service`.
    kind: &'static str,
    /// Its tenant.
    tenant: Option<String>,
    /// Its scopes, narrowest first.
    scopes: Vec<String>,
    /// Its role in its tenant.
    role: Option<&'static str>,
    /// Whether it administers the installation.
    global_admin: bool,
    /// Its elevation, while it is in force.
    elevation: Option<Elevation>,
    /// The actor that it acts for.
    acts_for: Option<String>,
    /// When its credential ends, RFC 3339; null for API keys.
    expires_at: Option<String>,
}

/// An elevation that is in force.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Elevation {
    /// The scope.
    scope: String,
    /// When it ends, RFC 3339.
    expires_at: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Learn who you are")
        .tag("identity")
        .answer::<Answer>(StatusCode::OK)
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
) -> Result<Json<Answer>, Problem> {
    let identity = app.store.view(&caller, ReadIdentity).await?.into_inner();
    Ok(Json(Answer {
        principal: caller.principal_text().to_owned(),
        kind: match caller.kind() {
            PrincipalKind::Human => "human",
            PrincipalKind::Agent => "agent",
            PrincipalKind::Service => "service",
        },
        tenant: caller.tenant().map(ToString::to_string),
        scopes: caller.scopes().iter().map(ToString::to_string).collect(),
        role: identity.role,
        global_admin: identity.global_admin,
        elevation: identity.elevation.map(|(scope, expires_at)| Elevation {
            scope,
            expires_at: time(expires_at),
        }),
        acts_for: caller.acts_for().map(ToString::to_string),
        expires_at: caller.expires_at().map(crate::clock::Micros::rfc3339),
    }))
}
