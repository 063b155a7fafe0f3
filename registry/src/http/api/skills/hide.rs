//! `POST /v1/skills/global/{name}/hide` and `/show`: what a tenant's members see of global skills.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::{SkillName, TenantId};

use crate::http::api::words::reason;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::Path;
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::{HideSkill, ShowSkill, Visibility};

/// For whom, and why.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The tenant.
    #[schemars(with = "String")]
    tenant: TenantId,
    /// Why; one line of 1 to 500 characters, for the audit log.
    reason: String,
}

/// What a tenant's members see of a global skill.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The global skill.
    name: String,
    /// The tenant.
    tenant: String,
    /// Whether it is hidden now.
    hidden: bool,
    /// Whether it was so already.
    unchanged: bool,
}

const PROBLEMS: &[Code] = &[
    Code::Refused,
    Code::NotFound,
    Code::Conflict,
    Code::InvalidContent,
    Code::InvalidName,
    Code::InvalidId,
    Code::IdempotencyMismatch,
];

fn operation(summary: &'static str) -> Operation {
    Operation::new(summary)
        .tag("skills")
        .idempotency_key()
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(PROBLEMS)
}

pub(in crate::http) fn hide_operation() -> Operation {
    operation("Hide a global skill from a tenant's members")
        .description("A sealed skill cannot be hidden.")
}

pub(in crate::http) fn show_operation() -> Operation {
    operation("Show a hidden skill again")
}

pub(in crate::http) async fn hide(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(name): Path<SkillName>,
    request: Mutation<Request>,
) -> Result<Json<Answer>, Problem> {
    let Request {
        tenant,
        reason: why,
    } = request.body;
    let action = HideSkill::new(tenant, name, reason(why)?);
    Ok(answer(app.store.act(&caller, action, request.facts).await?))
}

pub(in crate::http) async fn show(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(name): Path<SkillName>,
    request: Mutation<Request>,
) -> Result<Json<Answer>, Problem> {
    let Request {
        tenant,
        reason: why,
    } = request.body;
    let action = ShowSkill::new(tenant, name, reason(why)?);
    Ok(answer(app.store.act(&caller, action, request.facts).await?))
}

fn answer(visibility: Visibility) -> Json<Answer> {
    let Visibility {
        name,
        tenant,
        hidden,
        unchanged,
    } = visibility;
    Json(Answer {
        name,
        tenant,
        hidden,
        unchanged,
    })
}
