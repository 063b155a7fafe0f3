//! Vestry: a self-hosted, scoped skill registry with governance.

pub mod clock;
pub mod content;
pub mod entropy;
pub mod identity;
pub mod store;
