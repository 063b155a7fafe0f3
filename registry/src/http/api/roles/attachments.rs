//! `/v1/roles/{scope}/{role}/attachments`: the skills of a scope that are offered to a role, and to roles only.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::SkillName;

use super::RoleName;
use crate::http::api::words::{HowItComes, reason};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Body, IfMatch, Path, RequestId, ScopeText, Tags, present};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::actions::{AttachSkills, Attachment, Attachments, MAX_ATTACHMENTS};
use crate::store::queries::RoleAttachments;

/// A skill of the scope.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Attached {
    /// Its name.
    #[schemars(with = "String")]
    name: SkillName,
    /// How it reaches the role; as the skill itself says when it is left out.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "HowItComes")]
    mode: Option<HowItComes>,
}

/// All skills that the scope attaches to the role.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// At most 200, each once. With none the role has only what is for all.
    skills: Vec<Attached>,
    /// Why; one line, for the audit log.
    #[serde(default)]
    reason: Option<String>,
}

/// A skill that is attached.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct AttachedSkill {
    /// Its name.
    name: String,
    /// How it reaches the role; left out where the skill itself says.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
}

/// The skills that a scope attaches to a role.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The role.
    role: String,
    /// The scope.
    scope: String,
    /// By name.
    skills: Vec<AttachedSkill>,
    /// Changes whenever the list does; the entity tag.
    version: String,
    /// Whether nothing had to change.
    unchanged: bool,
}

type Tagged = ([(HeaderName, HeaderValue); 1], Json<Answer>);

pub(in crate::http) fn read_operation() -> Operation {
    Operation::new("Read which skills a role has")
        .tag("roles")
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::NotFound, Code::InvalidScope, Code::InvalidName])
}

pub(in crate::http) async fn read(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, RoleName(role))): Path<(ScopeText, RoleName)>,
) -> Result<Tagged, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let query = RoleAttachments { scope, role };
    answer(app.store.view(&caller, query).await?.into_inner())
}

pub(in crate::http) fn write_operation() -> Operation {
    Operation::new("Replace which skills a role has")
        .description("A skill that a scope attaches to roles is offered to those roles only; one without attachments is for all.")
        .tag("roles")
        .if_match()
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::PreconditionFailed,
            Code::InvalidContent,
            Code::InvalidScope,
            Code::InvalidName,
            Code::QuotaExceeded,
        ])
}

pub(in crate::http) async fn write(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, RoleName(role))): Path<(ScopeText, RoleName)>,
    request_id: RequestId,
    IfMatch(if_match): IfMatch,
    Body(request): Body<Request>,
) -> Result<Tagged, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let Request {
        skills,
        reason: why,
    } = request;
    if skills.len() > MAX_ATTACHMENTS {
        let detail = format!("Attach at most {MAX_ATTACHMENTS} skills to a role.");
        return Err(Problem::InvalidContent(Fault::at("skills", detail)));
    }
    let mut once = BTreeSet::new();
    for Attached { name, .. } in &skills {
        if !once.insert(name) {
            let detail = format!("The skill `{name}` is there twice; name it once.");
            return Err(Problem::InvalidContent(Fault::at("skills", detail)));
        }
    }
    let action = AttachSkills {
        scope,
        role,
        skills: skills
            .into_iter()
            .map(|Attached { name, mode }| Attachment {
                skill: name,
                mode: mode.map(Into::into),
            })
            .collect(),
        expected: match if_match {
            None | Some(Tags::Any) => None,
            Some(Tags::List(tags)) => Some(tags),
        },
        reason: why.map(reason).transpose()?.unwrap_or_default(),
    };
    answer(app.store.act(&caller, action, facts(&request_id)).await?)
}

fn answer(attachments: Attachments) -> Result<Tagged, Problem> {
    let Attachments {
        role,
        scope,
        skills,
        version,
        unchanged,
    } = attachments;
    let tag = HeaderValue::from_str(&format!("\"{version}\"")).map_err(Problem::internal)?;
    Ok((
        [(header::ETAG, tag)],
        Json(Answer {
            role,
            scope,
            skills: skills
                .into_iter()
                .map(|(name, mode)| AttachedSkill { name, mode })
                .collect(),
            version,
            unchanged,
        }),
    ))
}
