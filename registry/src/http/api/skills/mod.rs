//! Skills: listing, reading, writing, recalling.

pub(in crate::http) mod archive;
pub(in crate::http) mod blame;
pub(crate) mod changed;
pub(in crate::http) mod check;
pub(crate) mod content;
pub(in crate::http) mod diff;
pub(in crate::http) mod file;
pub(in crate::http) mod findings;
pub(in crate::http) mod get;
pub(in crate::http) mod hide;
pub(in crate::http) mod impact;
pub(in crate::http) mod list;
pub(crate) mod publish;
pub(in crate::http) mod recall;
pub(in crate::http) mod recall_report;
pub(in crate::http) mod revision;
pub(in crate::http) mod revisions;
pub(in crate::http) mod rollback;
pub(in crate::http) mod row;
pub(in crate::http) mod seal;
pub(in crate::http) mod shown;
pub(in crate::http) mod switch;
pub(in crate::http) mod withdraw;
