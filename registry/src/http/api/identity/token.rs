//! `POST /v1/token`: a service mints a token for an agent.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::{ActorId, AgentId};

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::Body;
use crate::http::extract::object;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::identity::DEFAULT_AGENT_TTL_SECONDS;

/// For whom.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The actor that the agent acts for; the tenant is the service's.
    #[serde(deserialize_with = "object")]
    actor: Actor,
    /// The agent.
    #[schemars(with = "String")]
    agent: AgentId,
    /// How long, 1 to 3,600 seconds; 900 when left out.
    #[serde(default)]
    ttl_seconds: Option<i64>,
}

/// An actor of the service's tenant.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Actor {
    /// Its id.
    #[schemars(with = "String")]
    id: ActorId,
}

/// The agent's token.
#[derive(Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The access token.
    access_token: String,
    /// When it ends, RFC 3339.
    expires_at: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Mint a token for an agent")
        .description("With a service's key. 409 for an actor whose authority has ended.")
        .tag("identity")
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::Conflict,
            Code::InvalidId,
            Code::InvalidContent,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Body(request): Body<Request>,
) -> Result<Json<Answer>, Problem> {
    let Request {
        actor: Actor { id: actor },
        agent,
        ttl_seconds,
    } = request;
    let ttl_seconds = ttl_seconds.unwrap_or(DEFAULT_AGENT_TTL_SECONDS);
    let minted = app
        .store
        .mint_agent(&caller, actor, agent, ttl_seconds)
        .await?;
    Ok(Json(Answer {
        access_token: minted.token,
        expires_at: minted.expires_at.rfc3339(),
    }))
}
