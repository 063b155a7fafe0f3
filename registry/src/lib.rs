//! Vestry: a self-hosted, scoped skill registry with governance.
//!
//! The binary `vestry` is [`cli::main`]; tests start a [`server::Server`] in their own process.

pub mod built_in;
mod bundle;
pub mod checkpoint;
pub mod cli;
pub mod client;
pub mod clock;
pub mod content;
pub mod entropy;
pub mod http;
pub mod identity;
#[cfg(unix)]
pub mod instructions;
pub mod mcp;
pub mod prompts;
pub mod server;
pub mod store;
pub mod template;
pub mod world;
