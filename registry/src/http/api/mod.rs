//! The endpoints, one a file: the request, the answer, the handler, and the operation that documents it.

pub(super) mod blobs;
pub(super) mod directory;
mod files;
pub(super) mod identity;
pub(super) mod operation;
pub(super) mod proposals;
pub(super) mod roles;
pub(super) mod skills;
pub(super) mod templates;
pub(super) mod turns;
pub(super) mod words;
