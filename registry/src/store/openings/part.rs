//! A part of an opening: the other way than a load in which agents get bodies of wider scopes.
//!
//! This compiles, and gives nobody a body:
//!
//! ```
//! fn text(part: &vestry::store::OpeningPart) -> &str {
//!     part.text()
//! }
//! ```
//!
//! This does not, because only an opening makes a part:
//!
//! ```compile_fail,E0451
//! fn with_text(part: vestry::store::OpeningPart, text: String) -> vestry::store::OpeningPart {
//!     vestry::store::OpeningPart { text, ..part }
//! }
//! ```

use vestry_policies::block::{heading, wrap_item};
use vestry_policies::{Digest, ItemName, Scope};

/// A part of an opening that wrote something.
#[derive(Debug, Clone)]
pub struct OpeningPart {
    /// A skill, or the instruction of the role.
    pub item: ItemName,
    /// Where it lives.
    pub scope: Scope,
    /// The pinned revision; 0 for a skill of a read-only source.
    pub revision: u32,
    /// Its digest.
    pub digest: Digest,
    /// The scopes that it overrides, narrow to wide.
    pub shadows: Vec<String>,
    /// Whether it is a template.
    pub templated: bool,
    /// The digest of the text.
    pub rendered_digest: String,
    /// Whether the end of what it wrote was left out, because it is too long.
    pub cut: bool,
    pub(super) text: String,
}

impl OpeningPart {
    /// What it wrote.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it wrote, wrapped so that it cannot close the wrapper.
    #[must_use]
    pub fn block(&self) -> String {
        wrap_item(&self.item, &self.scope, &self.digest, &self.text)
    }

    /// The heading that it stands under; none for the instruction of a role.
    #[must_use]
    pub fn heading(&self) -> Option<String> {
        heading(&self.item, &self.scope)
    }
}
