//! `POST /v1/load`: the body of an offered skill.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::context_node::ContextNode;
use crate::http::api::files::{File, listed};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::Body;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::catalog::LoadRequest;
use crate::store::{ReadyBody, StoreError};

/// The most digests that a conversation says it has.
const MAX_HAVE: usize = 1_000;
/// The most characters of a tool call's id.
pub(crate) const MAX_TOOL_CALL: usize = 256;

/// What to load.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The offer of the turn, as `POST /v1/catalog` gave it.
    offer: String,
    /// The name of an offered skill.
    name: String,
    /// The digests of the bodies that are in the conversation right now.
    #[serde(default)]
    have: Vec<String>,
    /// The tool call that asked: recorded, and given back in `context_node`.
    #[serde(default)]
    tool_call: Option<String>,
    /// The data of the run, as `GET /v1/context-schema` describes it: a template is rendered with it. Of the fields that must be
    /// given those suffice that the template reads. It is never kept.
    #[serde(default)]
    context: Option<Map<String, Value>>,
    /// Whether the source of a template is wanted, as it was written.
    #[serde(default)]
    template: bool,
}

/// An offered skill with its body.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The name.
    name: String,
    /// When to use it.
    description: String,
    /// Where it lives.
    scope: String,
    /// The number of the pinned revision.
    revision: u32,
    /// Its digest.
    digest: String,
    /// The scopes that it overrides; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shadows: Vec<String>,
    /// Whether the body is a template.
    templated: bool,
    /// The instructions; absent when the conversation has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    body: Option<Arc<RawValue>>,
    /// The digest of the body as it is handed out.
    rendered_digest: String,
    /// The body wrapped for a user-role message; absent when the conversation has it. Data, never for the system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    block: Option<Arc<RawValue>>,
    /// The bundled files.
    files: Vec<File>,
    /// Whether the conversation has the body already.
    already_loaded: bool,
    /// True when the conversation has another revision of this skill, by `have`: this body replaces it. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    changed: bool,
    /// What a host that keeps its conversation as nodes puts beside the skill.
    context_node: ContextNode,
    /// True when what a template wrote is too long, and its end was left out; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Load an offered skill")
        .description(
            "A name that is not in the offer gets one and the same answer, whether or not such a skill exists.",
        )
        .tag("turns")
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::OfferInvalid,
            Code::OfferExpired,
            Code::Refused,
            Code::SkillNotOffered,
            Code::SkillRecalled,
            Code::InvalidContent,
            Code::InvalidContext,
            Code::TemplateFailed,
            Code::BodyUnreadable,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Body(request): Body<Request>,
) -> Result<Json<Answer>, Problem> {
    let Request {
        offer,
        name,
        have,
        tool_call,
        context,
        template,
    } = request;
    if have.len() > MAX_HAVE {
        let detail = format!("Send at most {MAX_HAVE} digests.");
        return Err(Problem::InvalidContent(Fault::at("have", detail)));
    }
    if tool_call
        .as_ref()
        .is_some_and(|id| id.chars().count() > MAX_TOOL_CALL)
    {
        let detail = format!("Send at most {MAX_TOOL_CALL} characters.");
        return Err(Problem::InvalidContent(Fault::at("tool_call", detail)));
    }
    if tool_call.as_ref().is_some_and(|id| id.contains('\0')) {
        let detail = "Leave the character U+0000 out, which no text may have.";
        return Err(Problem::InvalidContent(Fault::at("tool_call", detail)));
    }
    let asked = name.clone();
    let loaded = app
        .store
        .load(
            &caller,
            LoadRequest {
                offer,
                name,
                have,
                tool_call: tool_call.clone(),
                context: context.map(Value::Object),
                template,
            },
        )
        .await
        .map_err(|error| in_words(error, asked))?;
    let context_node = ContextNode::of(&loaded, tool_call);
    let (body, block) = loaded.body.map(ReadyBody::into_texts).unzip();
    Ok(Json(Answer {
        already_loaded: body.is_none(),
        body,
        block,
        name: loaded.name.to_string(),
        description: loaded.description.to_string(),
        scope: loaded.scope.to_string(),
        revision: loaded.revision,
        digest: loaded.digest.to_string(),
        shadows: loaded.shadows.iter().map(ToString::to_string).collect(),
        templated: loaded.templated,
        rendered_digest: loaded.rendered_digest.to_string(),
        files: listed(&loaded.files),
        cut: loaded.cut,
        changed: loaded.changed,
        context_node,
    }))
}

/// Why a load failed, with the name that was asked for.
pub(crate) fn in_words(error: StoreError, name: String) -> Problem {
    match error {
        StoreError::NotOffered(available) => Problem::SkillNotOffered { name, available },
        StoreError::Recalled => Problem::SkillRecalled { name },
        StoreError::Corrupt => Problem::BodyUnreadable {
            name,
            cause: Box::new(StoreError::Corrupt),
        },
        error => error.into(),
    }
}
