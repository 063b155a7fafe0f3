//! `propose_skill`: content put forward for a scope of others.

use axum::Json;
use axum::extract::State;
use rmcp::model::{CallToolResult, JsonObject, Tool};

use super::{Effect, arguments, document, tool as describe};
use crate::http::api::proposals::create;
use crate::http::authed::Authed;
use crate::http::mutation::Mutation;
use crate::http::problem::Problem;
use crate::mcp::request::Asked;

pub(super) const NAME: &str = "propose_skill";

pub(super) fn tool() -> Tool {
    describe::<create::Request>(
        NAME,
        "Propose a skill",
        "Puts a skill forward for everyone of your tenant, or for all; humans decide about it. Say in the rationale what you learned and what it is good for. The same content again is the same proposal.",
        Effect::Adds,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonObject) -> Result<CallToolResult, Problem> {
    let request = Mutation {
        body: arguments::read_kept(given)?,
        facts: asked.facts(),
    };
    let (_, _, Json(changed)) = create::handle(
        Authed(asked.caller.clone()),
        State(asked.app.clone()),
        request,
    )
    .await?;
    document(&changed)
}
