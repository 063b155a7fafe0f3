//! What a skill is made of: checked text, a canonical SKILL.md, and the digest that pins it.
//!
//! The bytes of the SKILL.md are canonical: everything else about a revision is derived from them.

pub mod archive;
pub mod digest;
pub mod files;
mod hidden;
pub mod paths;
mod prepare;
pub mod scan;
pub(crate) mod skill_md;
mod text;
mod uri;

pub use digest::sha256_text;
pub use files::{FileDraft, FileSource, FilesError, PreparedBlob, PreparedFiles};
pub use prepare::{ContentError, Draft, MAX_SKILL_MD, PreparedSkill, mode_of_frontmatter};
pub(crate) use skill_md::{PromptFile, selectors};
pub use skill_md::{SkillMd, SkillMdError, Warning, frontmatter};
pub use text::{TextError, check_line, check_text};
pub(crate) use uri::{SKILL_MD, SkillUri, kind_of};
