//! Who may do what, over HTTP.

#[path = "../../../policies/tests/laws/case_format.rs"]
mod case_format;
mod cases;
pub(crate) mod cast;
mod explained;
pub(crate) mod matrix;
pub(crate) mod twins;
