//! Pages for people: HTML that needs no script, under a content security policy that allows none.

mod docs;
mod examples;
mod schema;

pub(super) use docs::{docs_page, routes};
pub(super) use examples::with_examples;
