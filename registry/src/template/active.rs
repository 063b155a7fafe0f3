//! The engine over a schema and the contexts of its builder: what the rest of the program calls.

use super::builder::Context;
use super::check::{Checked, World, check_in};
use super::compile::Compiled;
use super::diagnostics::Diagnostics;
use super::render::{Bounds, RenderFailure, Rendered};
use super::schema::Schema;

/// Checks a template against a schema: an accepted one cannot fail for any context of the schema, in any of its situations.
///
/// # Errors
/// All that is wrong, warnings included.
pub fn check(source: &str, schema: &Schema) -> Result<Checked, Diagnostics> {
    check_in(
        source,
        World {
            root: schema.root(),
            situations: schema.situations(),
        },
    )
}

impl Compiled {
    /// Renders the template over a context that was built by the schema that the template was checked against.
    ///
    /// # Errors
    /// [`RenderFailure`], when the schema has changed since or the time is out; nothing half-rendered is given.
    pub fn render(&self, context: &Context, bounds: Bounds) -> Result<Rendered, RenderFailure> {
        self.render_value(context.value(), bounds)
    }
}
