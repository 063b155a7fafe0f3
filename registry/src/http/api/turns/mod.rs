//! What agents do every turn.

pub(in crate::http) mod catalog;
pub(in crate::http) mod load;
pub(in crate::http) mod load_file;
pub(in crate::http) mod openings;
