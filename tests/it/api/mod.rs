//! The API, part by part.

mod bad_bodies;
mod bad_input;
mod bad_paths;
mod bad_queries;
mod events;
mod explain;
pub(crate) mod files;
mod forge;
mod forged_claims;
mod forged_corpus;
mod forged_headers;
mod forged_offers;
mod forged_tokens;
mod fuzz;
mod identity;
mod main_job;
mod original;
mod original_ids;
pub(crate) mod original_turns;
pub(crate) mod proposals;
mod recall_report;
pub(crate) mod samples;
pub(crate) mod schemas;
mod skills;
mod state;
mod templates;
