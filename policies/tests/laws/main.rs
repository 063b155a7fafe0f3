//! The laws of the rules, each cited by the number that the design gives its invariant, held against
//! models that were written from the design alone: slow, obvious, and sharing no code with the rules.
//!
//! `VESTRY_CASES=1000000 cargo test --release -p vestry-policies --test laws` runs a million cases a
//! property; `VESTRY_SEED` chooses others than the usual ones.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "this is all tests: the models and builders too, which clippy does not take for such"
)]

mod block;
mod budget;
mod case_format;
mod cases;
mod catalog;
mod cells;
mod explain;
mod hops;
mod impact;
mod matrix;
mod naive_catalog;
mod naive_power;
mod near;
mod original;
mod overlay;
mod prompts;
mod public;
mod review;
mod support;
mod words;
mod world;
mod wrap;
