//! What is kept: crashes, freshness, turns, the load boundary, the journal, the audit chain.

mod blobs;
mod checkpoints;
mod crash;
pub(crate) mod database;
mod faults;
mod freshness;
mod idempotency;
mod impact;
mod journal;
mod oracle;
mod sources;
mod speed;
mod tamper;
mod traces;
mod triggers;
mod turns;
mod walls;
