//! `my_proposals`: what became of what the caller put forward.

use axum::Json;
use axum::extract::State;
use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, arguments, document, tool as describe};
use crate::http::api::proposals::list::{self, Filter};
use crate::http::authed::Authed;
use crate::http::extract::{DEFAULT_LIMIT, Page, Paged, present, without_null_defaults};
use crate::http::problem::Problem;
use crate::mcp::request::Asked;

pub(super) const NAME: &str = "my_proposals";

/// Which proposals.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults)]
struct Arguments {
    /// Only those in this state.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "list::InState")]
    state: Option<list::InState>,
    /// The `next_cursor` of the page before.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    cursor: Option<String>,
}

pub(super) fn tool() -> Tool {
    describe::<Arguments>(
        NAME,
        "List your proposals",
        "Lists what you proposed, newest first, with what became of it.",
        Effect::Reads,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonObject) -> Result<CallToolResult, Problem> {
    let Arguments { state, cursor } = arguments::read(given)?;
    let Json(listed) = list::handle(
        Authed(asked.caller.clone()),
        State(asked.app.clone()),
        Paged {
            page: Page {
                limit: DEFAULT_LIMIT,
                cursor,
            },
            query: Filter::mine(state),
        },
    )
    .await?;
    document(&listed)
}
