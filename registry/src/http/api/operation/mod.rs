//! What operators and auditors read.

pub(in crate::http) mod audit;
pub(in crate::http) mod checkpoint;
