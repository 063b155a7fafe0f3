//! What operators and auditors read.

pub(in crate::http) mod audit;
