//! `skill_file`: a file of one skill.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use vestry_policies::SkillName;

use super::{Effect, arguments, tool as describe};
use crate::content::SkillUri;
use crate::http::api::turns::load::in_words;
use crate::http::problem::Problem;
use crate::mcp::request::Asked;
use crate::mcp::skills::{contents_of, kind_of_text};
use crate::store::catalog::LoadFileRequest;

pub(super) const NAME: &str = "skill_file";

/// Which file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The name of the skill.
    name: String,
    /// The path of the file, as the skill names it.
    path: String,
}

pub(super) fn tool() -> Tool {
    describe::<Arguments>(
        NAME,
        "Read a file of a skill",
        "Gives a file that comes with a skill. Call it when the instructions of a skill that you loaded name one of its files.",
        Effect::Reads,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonObject) -> Result<CallToolResult, Problem> {
    let Arguments { name, path } = arguments::read(given)?;
    let turn = asked.standing().await?;
    let file = asked
        .app
        .store
        .load_file(
            &asked.caller,
            LoadFileRequest {
                offer: turn.offered.offer.clone(),
                name: name.clone(),
                path,
            },
        )
        .await
        .map_err(|error| in_words(error, name.clone()))?;
    let content = match file.text() {
        Some(text) => ContentBlock::text(text),
        None => {
            let entries = turn.offered.catalog.snapshot()?.entries;
            let scope = entries.iter().find(|entry| entry.name == name);
            let uri = SkillUri {
                kind: scope.map_or("", |entry| kind_of_text(&entry.scope)),
                name: SkillName::parse(&name).ok(),
                path: file.path().to_owned(),
            };
            ContentBlock::resource(contents_of(&uri.to_string(), &file))
        }
    };
    asked.holding.keep(file);
    Ok(CallToolResult::success(vec![content]))
}
