//! What agents do every turn.

pub(crate) mod catalog;
pub(crate) mod context_node;
pub(crate) mod load;
pub(crate) mod load_file;
pub(crate) mod openings;
