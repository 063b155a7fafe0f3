//! The JSON form of a skill's content, the answer to every change, and preconditions.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vestry_policies::SkillName;

use crate::content::{ContentError, Draft, PreparedSkill};
use crate::http::extract::{IfMatch, IfNoneMatch, Tags, unique_map};
use crate::http::problem::{Fault, Problem};
use crate::store::actions::{Precondition, SkillChange};

/// The content of a skill.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Content {
    /// When to use it: one line of 1 to 1,024 characters.
    description: String,
    /// The instructions, in Markdown.
    body: String,
    /// Whether the body is a template; otherwise it is verbatim.
    #[serde(default)]
    templated: bool,
    /// Further keys of the frontmatter; inert data.
    #[serde(default, deserialize_with = "unique_map")]
    frontmatter: Map<String, Value>,
    /// What changed, one line, for the history.
    #[serde(default)]
    message: String,
}

impl Content {
    /// Checks the content and makes its SKILL.md.
    pub(super) fn prepare(self, name: &SkillName) -> Result<PreparedSkill, Problem> {
        let Self {
            description,
            body,
            templated,
            frontmatter,
            message,
        } = self;
        let draft = Draft {
            description,
            body,
            templated,
            frontmatter,
            message,
        };
        PreparedSkill::new(name, draft).map_err(|ContentError { field, detail }| {
            Problem::InvalidContent(Fault::at(field, detail))
        })
    }
}

/// What a skill is after a change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Changed {
    /// The name.
    name: String,
    /// The scope.
    scope: String,
    /// The number of the current revision.
    revision: u32,
    /// Its digest: the entity tag for `If-Match`.
    digest: String,
    /// `active`, `disabled`, `quarantined`, `revoked` or `archived`.
    status: String,
    /// Whether narrower scopes cannot override it.
    sealed: bool,
    /// Whether everything was so already, so that nothing was written.
    unchanged: bool,
}

/// A change with its status and entity tag.
pub(super) type ChangeAnswer = (StatusCode, [(HeaderName, HeaderValue); 1], Json<Changed>);

/// The answer to a change: 201 when it created the skill.
pub(super) fn changed(change: SkillChange) -> Result<ChangeAnswer, Problem> {
    let status = if change.created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let SkillChange {
        name,
        scope,
        revision,
        digest,
        status: state,
        sealed,
        created: _,
        unchanged,
    } = change;
    let tag = entity_tag(&digest)?;
    Ok((
        status,
        [(header::ETAG, tag)],
        Json(Changed {
            name,
            scope,
            revision,
            digest,
            status: state,
            sealed,
            unchanged,
        }),
    ))
}

/// A strong entity tag.
pub(super) fn entity_tag(text: &str) -> Result<HeaderValue, Problem> {
    HeaderValue::from_str(&format!("\"{text}\"")).map_err(Problem::internal)
}

/// The precondition that the headers make; at most one of them may be sent.
pub(super) fn precondition(
    IfMatch(if_match): IfMatch,
    IfNoneMatch(if_none_match): IfNoneMatch,
) -> Result<Precondition, Problem> {
    match (if_match, if_none_match) {
        (None, None) => Ok(Precondition::None),
        (Some(Tags::Any), None) => Ok(Precondition::Present),
        (Some(Tags::List(tags)), None) => Ok(Precondition::Digest(tags)),
        (None, Some(Tags::Any)) => Ok(Precondition::Absent),
        (None, Some(Tags::List(_))) => Err(Problem::Malformed(Fault::at(
            "If-None-Match",
            "Send `If-None-Match: *` to create; to update, send If-Match.",
        ))),
        (Some(_), Some(_)) => Err(Problem::malformed(
            "Send `If-None-Match: *` to create, or If-Match to update, not both.",
        )),
    }
}
