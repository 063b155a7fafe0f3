//! `POST /v1/openings`: what a run begins with.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vestry_policies::block::{OpeningPart as Block, render_opening};

use super::catalog::{turn_name, word};
use crate::content::sha256_text;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Body, RequestId, present, unique_map, without_null_defaults};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::OpeningPart;
use crate::store::openings::{Opening, OpeningRequest};

/// How many names of parts that are left out are listed.
const NAMED: usize = 50;

/// What a run begins with is asked for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults, rename = "OpeningRequest")]
pub(in crate::http) struct Request {
    /// The turn, 1 to 128 characters of `[A-Za-z0-9._:@+-]`; asked again with the same role and context it gives the same
    /// opening. Without one the server names the turn, which then cannot be resumed.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    turn: Option<String>,
    /// The agent's role: its instruction comes first, and what is attached to it is among the rest. Left out, there is no
    /// instruction, and only what is for all.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    role: Option<String>,
    /// The conversation; recorded only.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    session: Option<String>,
    /// The data of the run, whole, as `GET /v1/context-schema` describes it; `opening` says what kind of opening it is. It is
    /// not kept; of a named turn its digest is.
    #[serde(deserialize_with = "unique_map")]
    context: Map<String, Value>,
}

/// What a run begins with.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Opening")]
pub(in crate::http) struct Answer {
    /// The turn.
    turn: String,
    /// Which situation of the schema the context is of; left out where it does not tell them apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    situation: Option<String>,
    /// The instruction of the role, and then the ambient skills in the order of a catalog. What wrote nothing but white space is
    /// left out.
    parts: Vec<Part>,
    /// How many ambient skills are left out, because there are more than 100, or together more than 1 MiB.
    omitted: usize,
    /// The names of up to 50 of them.
    omitted_names: Vec<String>,
    /// All of it as one text: each part wrapped, an ambient skill under its heading. Data for a user-role message, never for the
    /// system prompt.
    text: String,
    /// The digest of the text.
    rendered_digest: String,
}

/// A part of an opening.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpeningPart")]
struct Part {
    /// `role-instruction` or `skill`.
    kind: &'static str,
    /// The name of the skill or of the role.
    name: String,
    /// Where it lives.
    scope: String,
    /// The number of the pinned revision; 0 for a skill of a read-only source.
    revision: u32,
    /// Its digest.
    digest: String,
    /// The scopes that it overrides, narrow to wide; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shadows: Vec<String>,
    /// Whether it is a template.
    templated: bool,
    /// The heading that it stands under in the text; absent for the instruction of a role.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// What it says.
    body: String,
    /// The digest of what it says.
    rendered_digest: String,
    /// What it says, wrapped so that it cannot close the wrapper.
    block: String,
    /// True when what a template wrote is too long, and its end was left out; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Open a run")
        .description(
            "Renders the instruction of the role and every ambient skill with the data of the run. Nothing half-rendered is answered: where one part fails, all does, and the problem names it.",
        )
        .tag("turns")
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::InvalidTurn,
            Code::TurnConflict,
            Code::InvalidContent,
            Code::InvalidContext,
            Code::SkillRecalled,
            Code::TemplateFailed,
            Code::BodyUnreadable,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    request_id: RequestId,
    Body(request): Body<Request>,
) -> Result<Json<Answer>, Problem> {
    let Request {
        turn,
        role,
        session,
        context,
    } = request;
    let request = OpeningRequest {
        turn: turn.as_deref().map(turn_name).transpose()?,
        role: role
            .map(|role| word("role", role))
            .transpose()?
            .map(Arc::from),
        session: session
            .map(|session| word("session", session))
            .transpose()?,
        context: Value::Object(context),
        request_id: facts(&request_id).request_id,
    };
    let Opening {
        turn,
        situation,
        parts,
        omitted,
    } = app.store.open_run(&caller, request).await?;
    let blocks: Vec<String> = parts.iter().map(OpeningPart::block).collect();
    let wrapped: Vec<Block<'_>> = parts
        .iter()
        .zip(&blocks)
        .map(|(part, block)| Block {
            item: &part.item,
            scope: &part.scope,
            block,
        })
        .collect();
    let text = render_opening(&wrapped);
    Ok(Json(Answer {
        turn: turn.to_string(),
        situation: situation.map(|situation| situation.to_string()),
        omitted: omitted.len(),
        omitted_names: omitted.into_iter().take(NAMED).collect(),
        rendered_digest: sha256_text(text.as_bytes()),
        text,
        parts: parts.iter().zip(blocks).map(shown).collect(),
    }))
}

fn shown((part, block): (&OpeningPart, String)) -> Part {
    Part {
        kind: part.item.kind().as_str(),
        name: part.item.name().to_string(),
        scope: part.scope.to_string(),
        revision: part.revision,
        digest: part.digest.to_string(),
        shadows: part.shadows.clone(),
        templated: part.templated,
        heading: part.heading(),
        body: part.text().to_owned(),
        rendered_digest: part.rendered_digest.clone(),
        block,
        cut: part.cut,
    }
}
