//! What operators and auditors read, and what anybody follows and asks about itself.

pub(in crate::http) mod audit;
pub(in crate::http) mod checkpoint;
pub(in crate::http) mod events;
pub(in crate::http) mod explain;
pub(in crate::http) mod explain_catalog;
