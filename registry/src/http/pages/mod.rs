//! Pages for people: HTML that needs no script, under a content security policy that allows none.

mod docs;
mod examples;
mod parts;
mod reference;
mod schema;

pub(super) use docs::{docs_page, routes};
pub(super) use examples::with_examples;
pub(super) use parts::answer_page;
pub(super) use reference::reference_page;
