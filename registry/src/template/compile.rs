//! Compiles a checked template with the `handlebars` crate, which renders it.

use std::sync::{Arc, LazyLock};

use handlebars::{Handlebars, Template};

use super::check::Checked;
use super::lockstep;

/// The crate does not read a template as the checker does, so that what was proved does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the template engine does not read this template as it was checked: {0}")]
pub struct Refused(String);

/// A template that renders. It is compiled once and shared; compiling takes some milliseconds for a long text, so it belongs on a blocking thread.
#[derive(Debug, Clone)]
pub struct Compiled {
    pub(super) template: Arc<Template>,
}

/// Helpers are those of a render, which count its steps; this one has the options only.
pub(super) static REGISTRY: LazyLock<Handlebars<'static>> = LazyLock::new(|| {
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    registry.register_escape_fn(handlebars::no_escape);
    for name in [
        "lookup", "log", "raw", "if", "unless", "with", "each", "eq", "ne", "gt", "gte", "lt",
        "lte", "and", "or", "not", "len",
    ] {
        registry.unregister_helper(name);
    }
    registry
});

impl Compiled {
    /// Compiles a template, and compares what the crate reads with what was checked.
    ///
    /// # Errors
    /// [`Refused`] when they differ, or the crate does not read it at all.
    pub fn new(checked: &Checked) -> Result<Compiled, Refused> {
        Compiled::of(checked.source(), checked.tree())
    }

    /// As [`Compiled::new`], for a tree that was not checked: for the tests of the lockstep alone.
    ///
    /// # Errors
    /// As [`Compiled::new`].
    #[cfg(feature = "planted-faults")]
    pub fn unchecked(source: &str, tree: &super::tree::Tree) -> Result<Compiled, Refused> {
        Compiled::of(source, tree)
    }

    fn of(source: &str, tree: &super::tree::Tree) -> Result<Compiled, Refused> {
        let mut template = Template::compile(source).map_err(|error| Refused(error.to_string()))?;
        lockstep::body(&tree.body, &mut template).map_err(Refused)?;
        Ok(Compiled {
            template: Arc::new(template),
        })
    }
}
