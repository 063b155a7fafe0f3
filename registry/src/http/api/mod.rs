//! The endpoints, one a file: the request, the answer, the handler, and the operation that documents it.

pub(super) mod blobs;
pub(super) mod directory;
pub(super) mod discovery;
pub(crate) mod files;
pub(super) mod identity;
pub(super) mod operation;
pub(super) mod prompts;
pub(crate) mod proposals;
pub(super) mod roles;
pub(crate) mod skills;
pub(super) mod templates;
pub(crate) mod turns;
pub(super) mod words;
