//! `write_own_skill`: a skill of the caller's own scope.

use axum::body::to_bytes;
use axum::extract::State;
use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use vestry_policies::{ItemName, Rule, SkillName};

use super::{Effect, arguments, document, tool as describe};
use crate::http::api::files::FileContent;
use crate::http::api::skills::content::{Beside, Content};
use crate::http::api::skills::publish;
use crate::http::authed::Authed;
use crate::http::extract::{
    BODY_LIMIT, IfMatch, IfNoneMatch, JsonOrMarkdown, Path, PathPart as _, Query, RequestId,
    ScopeText, Tags, present, without_null_defaults,
};
use crate::http::problem::{Fault, Problem};
use crate::mcp::request::Asked;
use crate::store::StoreError;

pub(super) const NAME: &str = "write_own_skill";

/// The skill.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults)]
struct Arguments {
    /// The name: 1 to 64 lower-case letters, digits and single hyphens between them.
    name: String,
    /// When to use it: one line of 1 to 1,024 characters.
    description: String,
    /// The instructions, in Markdown.
    body: String,
    /// The digest of the revision that this replaces. Leave it out for a new skill.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    replaces: Option<String>,
    /// Whether the body is a template; otherwise it is verbatim.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    templated: Option<bool>,
    /// The files that the skill bundles; left out, it keeps those that it has.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<FileContent>")]
    files: Option<Vec<FileContent>>,
    /// What changed, one line of up to 500 characters, for the history.
    #[serde(default)]
    message: String,
}

pub(super) fn tool() -> Tool {
    describe::<Arguments>(
        NAME,
        "Write a skill of your own",
        "Writes a skill that only you, and who acts for the same actor, are offered. Where it is to be reviewed, the answer is the proposal that it became. To share a skill with others use propose_skill.",
        Effect::Changes,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonObject) -> Result<CallToolResult, Problem> {
    let Arguments {
        name,
        description,
        body,
        replaces,
        templated,
        files,
        message,
    } = arguments::read_kept(given)?;
    let name = SkillName::parse(&name)
        .map(ItemName::from)
        .map_err(|error| {
            Problem::InvalidName(Fault::at(
                "name",
                format!("This is not the name of a skill: {error}."),
            ))
        })?;
    // Who has no actor has no scope of its own.
    let own = asked
        .caller
        .scopes()
        .first()
        .filter(|scope| !scope.is_shared())
        .ok_or(StoreError::Refused(Rule::NotInScope))?;
    let scope = ScopeText::parse(&own.to_string())?;
    let preconditions = match replaces {
        None => (IfMatch(None), IfNoneMatch(Some(Tags::Any))),
        Some(digest) => (IfMatch(Some(Tags::List(vec![digest]))), IfNoneMatch(None)),
    };
    let content = Content {
        description: Some(description),
        body: Some(body),
        templated,
        message,
        files,
        ..Content::default()
    };
    let response = publish::handle(
        Authed(asked.caller.clone()),
        State(asked.app.clone()),
        Path((scope, name)),
        RequestId(asked.facts().request_id.unwrap_or_default().into()),
        preconditions,
        Query(Beside::default()),
        JsonOrMarkdown::Json(content),
    )
    .await
    .map_err(in_words)?;
    let bytes = to_bytes(response.into_body(), BODY_LIMIT)
        .await
        .map_err(Problem::internal)?;
    let answer: Value = serde_json::from_slice(&bytes).map_err(Problem::internal)?;
    document(&answer)
}

/// Headers are what HTTP has; a tool has arguments.
fn in_words(problem: Problem) -> Problem {
    match problem {
        Problem::PreconditionFailed(detail) => Problem::PreconditionFailed(
            match detail.split('"').find(|part| part.starts_with("sha256:")) {
                Some(digest) => format!(
                    "You have a skill of this name, and its current digest is {digest}. Send that as `replaces` to write over it, or choose another name."
                ),
                None => "You have no skill of this name. Leave out `replaces` to write a new one.".to_owned(),
            }
            .into(),
        ),
        problem => problem,
    }
}
