//! Prompt templates of workflows: which template a role of a workflow gets, and what becomes of it.
//!
//! A worker that runs a workflow asks for the prompt of one of its roles. [`select()`] says which of the templates that were
//! written for it applies, [`render()`] puts the data of the run into it. Reading files, frontmatter and databases is for others;
//! what they hand in is typed: a [`Repository`] compares as people mean it, a [`PromptRole`] is one word however it was written, a
//! [`TemplateKey`] is no path.

mod key;
mod render;
mod repository;
mod role;
mod select;
mod source;

pub use key::{KeyError, TemplateKey};
pub use render::{
    ContextKey, ContextKeyError, MAX_CONTEXT, MAX_PROMPT, Rendered, SUBTASK, TooLong, is_blank,
    render,
};
pub use repository::{Repository, RepositoryError};
pub use role::{PromptRole, RoleError};
pub use select::{
    Selected, Selectors, Specificity, Standing, Wanted, WorkflowError, WorkflowName, select,
    select_under_seals,
};
pub use source::{LabelError, ResolvedSource, SourceLabel};
