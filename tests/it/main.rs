//! Every end-to-end test of Vestry, in one binary: it links once.
//!
//! Tests go through the public surfaces only: HTTP, and the program `vestry`.

// The futures of a whole server inside those of its tests are deep.
#![recursion_limit = "256"]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "this is a test: a failure is how it speaks"
)]

mod access;
mod api;
mod cli;
mod clients;
mod contract;
mod corpus;
mod discovery;
mod examples;
mod harness;
mod instructions;
mod laws;
mod mcp;
mod migrations;
mod postgres_harness;
mod replicas;
mod scanner;
mod store;
mod templates;
