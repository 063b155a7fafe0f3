//! The extension `io.modelcontextprotocol/skills` (SEP-2640): what is served is what the caller was offered.

pub(super) mod directory;
mod entry;
pub(super) mod get;
pub(super) mod list;
mod media;
mod offered;
mod page;
pub(super) mod read;
pub(super) mod resources;

pub(super) use offered::kind_of_text;
pub(super) use read::contents_of;
