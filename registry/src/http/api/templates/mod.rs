//! Templates: what authors write against, trying one before it is published, and activating what they are written against.

pub(in crate::http) mod activate;
pub(in crate::http) mod check;
pub(in crate::http) mod check_schema;
pub(in crate::http) mod reference;
pub(in crate::http) mod render;
pub(in crate::http) mod schema;
