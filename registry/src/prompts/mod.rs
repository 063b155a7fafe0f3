//! Prompts for roles of workflows, on the machine of the worker that runs one.
//!
//! The result replaces the worker's user prompt and nothing else: neither its guardrails nor its output schema. Which template
//! applies is decided by the first layer that has one: the explicit input of the launch; the registry's templates and those of the
//! user's own library together; a committed file of the repository; the default that comes with Vestry; the prompt that the
//! workflow has itself. A layer that has something which cannot be read ends it: what was meant to be used is never passed over
//! in silence.
//!
//! The rules are in [`vestry_policies::prompt`]; here files are read.

mod bundled;
mod context;
mod input;
#[cfg(unix)]
mod library;
#[cfg(unix)]
mod resolve;
mod trust;
#[cfg(unix)]
mod worktree;

pub use bundled::bundled;
pub use context::{Context, ContextError};
pub use input::{Input, InputError};
#[cfg(unix)]
pub use library::{Library, LibraryError, LibraryFile, Listed};
#[cfg(unix)]
pub use resolve::{Choice, Launch, Prompt, PromptError, choose_of_library, resolve};
pub use trust::takes_repository_templates;
#[cfg(unix)]
pub use worktree::{Worktree, WorktreeError};

use crate::content::sha256_text;

/// The most bytes of a template.
pub const MAX_TEMPLATE: usize = 1 << 20;

/// The SHA-256 of a text's bytes, in hexadecimal digits.
#[must_use]
pub fn sha256(text: &str) -> String {
    let digest = sha256_text(text.as_bytes());
    digest
        .strip_prefix("sha256:")
        .map(str::to_owned)
        .unwrap_or(digest)
}
