//! `/v1/tenants/{tenant}/settings`: what a tenant sets for itself. Settings only ever tighten.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::TenantId;
use vestry_policies::resolve::MAX_CAP;

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Body, IfMatch, Path, RequestId, Tags, word};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::actions::{TenantSettings, WriteSettings};
use crate::store::queries::Settings;

/// The largest number of skills or revisions that a quota may name.
const MAX_QUOTA: u32 = 1_000_000;

/// The settings of a tenant. All of them are sent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The largest cap that a catalog request may ask for, 1 to 200.
    max_cap: u32,
    /// What agents may do in their own scope.
    #[serde(deserialize_with = "word")]
    agent_own_scope: OwnScope,
    /// Skills that an actor may keep.
    skills_per_actor: u32,
    /// Skills that the tenant may keep.
    skills_per_tenant: u32,
    /// Revisions that a skill may have.
    revisions_per_skill: u32,
}

/// What agents may do in their own scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum OwnScope {
    /// Write it.
    Allow,
    /// Nothing.
    Deny,
}

/// The settings of a tenant.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The largest cap that a catalog request may ask for.
    max_cap: u32,
    /// What agents may do in their own scope.
    agent_own_scope: OwnScope,
    /// Skills that an actor may keep.
    skills_per_actor: u32,
    /// Skills that the tenant may keep.
    skills_per_tenant: u32,
    /// Revisions that a skill may have.
    revisions_per_skill: u32,
}

type Tagged = ([(HeaderName, HeaderValue); 1], Json<Answer>);

pub(in crate::http) fn read_operation() -> Operation {
    Operation::new("Read the settings of a tenant")
        .tag("directory")
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::Refused, Code::NotFound, Code::InvalidId])
}

pub(in crate::http) async fn read(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(tenant): Path<TenantId>,
) -> Result<Tagged, Problem> {
    let seen = app.store.view(&caller, Settings { tenant }).await?;
    answer(&seen.into_inner())
}

pub(in crate::http) fn write_operation() -> Operation {
    Operation::new("Replace the settings of a tenant")
        .description(
            "For a publisher elevated for the tenant, or an elevated global administrator.",
        )
        .tag("directory")
        .if_match()
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::PreconditionFailed,
            Code::InvalidId,
            Code::InvalidContent,
        ])
}

pub(in crate::http) async fn write(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(tenant): Path<TenantId>,
    request_id: RequestId,
    IfMatch(if_match): IfMatch,
    Body(request): Body<Request>,
) -> Result<Tagged, Problem> {
    let action = WriteSettings {
        tenant,
        settings: checked(request)?,
        expected_version: match if_match {
            None | Some(Tags::Any) => None,
            Some(Tags::List(tags)) => Some(tags),
        },
    };
    answer(&app.store.act(&caller, action, facts(&request_id)).await?)
}

fn checked(request: Request) -> Result<TenantSettings, Problem> {
    let Request {
        max_cap,
        agent_own_scope,
        skills_per_actor,
        skills_per_tenant,
        revisions_per_skill,
    } = request;
    let within = |field: &'static str, value: u32, most: u32| {
        if (1..=most).contains(&value) {
            Ok(value)
        } else {
            let detail = format!("Send a whole number from 1 to {most}.");
            Err(Problem::InvalidContent(Fault::at(field, detail)))
        }
    };
    Ok(TenantSettings {
        max_cap: within(
            "max_cap",
            max_cap,
            u32::try_from(MAX_CAP).unwrap_or(u32::MAX),
        )?,
        agents_write_own_scope: agent_own_scope == OwnScope::Allow,
        skills_per_actor: within("skills_per_actor", skills_per_actor, MAX_QUOTA)?,
        skills_per_tenant: within("skills_per_tenant", skills_per_tenant, MAX_QUOTA)?,
        revisions_per_skill: within("revisions_per_skill", revisions_per_skill, MAX_QUOTA)?,
        version: 0,
    })
}

fn answer(settings: &TenantSettings) -> Result<Tagged, Problem> {
    let tag =
        HeaderValue::from_str(&format!("\"{}\"", settings.version)).map_err(Problem::internal)?;
    Ok((
        [(header::ETAG, tag)],
        Json(Answer {
            max_cap: settings.max_cap,
            agent_own_scope: if settings.agents_write_own_scope {
                OwnScope::Allow
            } else {
                OwnScope::Deny
            },
            skills_per_actor: settings.skills_per_actor,
            skills_per_tenant: settings.skills_per_tenant,
            revisions_per_skill: settings.revisions_per_skill,
        }),
    ))
}
