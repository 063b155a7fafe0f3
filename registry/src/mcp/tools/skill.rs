//! `skill`: the instructions of one skill.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, arguments, skill_file, tool as describe};
use crate::http::api::turns::context_node::ContextNode;
use crate::http::api::turns::load::in_words;
use crate::http::problem::Problem;
use crate::mcp::fault::meta;
use crate::mcp::request::Asked;
use crate::store::ReadyBody;
use crate::store::catalog::LoadRequest;

pub(super) const NAME: &str = "skill";

/// Which skill.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The name, as the list of skills has it.
    name: String,
}

pub(super) fn tool() -> Tool {
    describe::<Arguments>(
        NAME,
        "Load a skill",
        "Gives the instructions of a skill. Call it with the name from the list of skills before the task that the skill covers; never guess what a skill says.",
        Effect::Reads,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonObject) -> Result<CallToolResult, Problem> {
    let Arguments { name } = arguments::read(given)?;
    let turn = asked.standing().await?;
    let entries = turn.offered.catalog.snapshot()?.entries;
    let is_template = entries
        .iter()
        .any(|entry| entry.name == name && entry.templated);
    let context = if is_template {
        asked.run_context(&turn).given()?
    } else {
        None
    };

    let loaded = asked
        .app
        .store
        .load(
            &asked.caller,
            LoadRequest {
                offer: turn.offered.offer.clone(),
                name: name.clone(),
                have: Vec::new(),
                tool_call: asked.tool_call().map(str::to_owned),
                context: context.cloned(),
                template: false,
            },
        )
        .await
        .map_err(|error| in_words(error, name))?;
    let node = ContextNode::of(&loaded, asked.tool_call().map(str::to_owned));
    let block = loaded
        .body
        .map(ReadyBody::into_block)
        .transpose()?
        .unwrap_or_default();
    let mut content = vec![ContentBlock::text(block)];
    if !loaded.files.is_empty() {
        let files: Vec<&str> = loaded.files.iter().map(|file| file.path.as_str()).collect();
        content.push(ContentBlock::text(format!(
            "Files of this skill, read one with `{}`: {}",
            skill_file::NAME,
            files.join(", ")
        )));
    }
    let shadows: Vec<String> = loaded.shadows.iter().map(ToString::to_string).collect();
    let mut result = CallToolResult::success(content);
    result.meta = Some(meta([
        ("name", json!(loaded.name.as_str())),
        ("scope", json!(loaded.scope.to_string())),
        ("revision", json!(loaded.revision)),
        ("digest", json!(loaded.digest.to_string())),
        ("rendered_digest", json!(loaded.rendered_digest)),
        ("shadows", json!(shadows)),
        ("cut", json!(loaded.cut)),
        ("context_node", json!(node)),
    ]));
    Ok(result)
}
