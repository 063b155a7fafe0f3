//! Templates: what authors write against, and trying one before it is published.

pub(in crate::http) mod check;
pub(in crate::http) mod reference;
pub(in crate::http) mod render;
pub(in crate::http) mod schema;
