//! What every test stands on: a server in the test's own process, a client, and people to act as.

mod client;
mod directory;
mod knobs;
mod people;
pub(crate) mod postgres;
mod server;
mod spawned;
mod tap;
mod tools;

pub(crate) use client::{Client, Response};
pub(crate) use directory::{Directory, migrated};
pub(crate) use knobs::{blesses, knob, on_postgres, skipped, sqlite_only};
pub(crate) use people::{PASSWORD, People, content, context, elevate, login, try_elevate};
pub(crate) use server::{Builder, SOURCE_POLL, START, Shared, TestServer, copy_keys};
pub(crate) use spawned::{Spawned, make_keys, program, run, run_at};
pub(crate) use tap::Told;
pub(crate) use tools::{node_tools, python_tools};
