//! The MCP server (design §8): the same registry, for every host that speaks the Model Context Protocol.
//!
//! It is served without sessions, so that any replica answers any request. What a request needs to know of those before is
//! the [standing turn](crate::store::catalog::StandingTurn) of its access token. Nothing here decides anything: every call
//! goes through the store, as those over HTTP do, with the same rules and the same words.

mod access;
mod endpoint;
mod fault;
mod metadata;
mod request;
mod server;
mod skills;
mod tools;

use crate::http::app::App;
use crate::http::route::{Access, Operation, Route};

/// Where MCP is spoken.
pub const PATH: &str = "/mcp";

/// What keys in `_meta` that are ours begin with.
const PREFIX: &str = "dev.vestry/";

/// The key of the context of a run in the `_meta` of a request.
pub(crate) const CONTEXT_KEY: &str = "dev.vestry/context";

/// The key of the id of the tool call, as the model's conversation has it, in the `_meta` of a request. The protocol itself has
/// none: the id of a message is that of a connection.
pub(crate) const TOOL_CALL_KEY: &str = "dev.vestry/tool_call";

/// The rows of MCP. They are described by its own means, and stand in no OpenAPI document.
#[must_use]
pub fn routes() -> Vec<Route<App>> {
    let metadata = |path| {
        Route::get(
            path,
            Access::Public,
            metadata::handle,
            Operation::new("Metadata of the protected resource, RFC 9728"),
        )
    };
    vec![
        Route::post(
            PATH,
            Access::PerMessage,
            endpoint::handle,
            Operation::new("Speak MCP"),
        ),
        metadata("/.well-known/oauth-protected-resource"),
        metadata("/.well-known/oauth-protected-resource/mcp"),
    ]
}
