//! `skill_catalog`: which skills there are.

use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, arguments, text, tool as describe};
use crate::http::problem::Problem;
use crate::mcp::fault::meta;
use crate::mcp::request::Asked;

pub(super) const NAME: &str = "skill_catalog";

/// Nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

pub(super) fn tool() -> Tool {
    describe::<Arguments>(
        NAME,
        "List skills",
        "Lists the skills that you may load now, with what each is for. Call it once at the start, and again when you are told that skills have changed.",
        Effect::Reads,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonObject) -> Result<CallToolResult, Problem> {
    let Arguments {} = arguments::read(given)?;
    let turn = asked.list().await?;
    let catalog = &turn.offered.catalog;
    let block = catalog.block()?;
    let block = if block.is_empty() {
        "No skills are available to you now.".to_owned()
    } else {
        block
    };
    Ok(text(
        block,
        meta([
            ("turn", json!(turn.offered.turn.as_str())),
            ("etag", json!(catalog.etag())),
        ]),
    ))
}
