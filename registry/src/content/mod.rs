//! What a skill is made of: checked text, a canonical SKILL.md, and the digest that pins it.
//!
//! The bytes of the SKILL.md are canonical: everything else about a revision is derived from them.

mod canonical;
pub mod digest;
mod text;

pub use canonical::{ContentError, Draft, PreparedSkill};
pub use digest::sha256_text;
pub use text::{TextError, check_line, check_text};
