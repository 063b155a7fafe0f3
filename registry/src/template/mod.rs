//! The template engine: strict Handlebars over a typed context, checked when saved so that it cannot fail when used.
//!
//! [`check_in`] parses with byte spans, proves by types and flow that no valid context makes the template fail, and bounds what it may cost.
//! [`Compiled`] is the same template compiled by the `handlebars` crate, refused unless the trees are equal.

mod active;
pub mod builder;
pub mod check;
mod compile;
pub mod cost;
pub mod diagnostics;
pub mod evolve;
mod facts;
pub mod helpers;
pub mod limits;
mod lockstep;
pub mod parse;
mod places;
pub mod planted;
pub mod reference;
pub mod render;
pub mod samples;
pub mod schema;
pub mod span;
pub mod tree;
mod types;

pub use active::check;
pub use check::{Checked, World, check_in};
pub use compile::{Compiled, Refused};
pub use diagnostics::{Diagnostic, Diagnostics, Severity};
pub use render::{Bounds, MOST_OUTPUT, RenderFailure, Rendered};
