//! Skills on this machine's disk: finding and reading them, for those who import and for those who mount.

mod find;
mod read;

use std::path::{Path, PathBuf};

pub(crate) use find::{Skipped, find};
pub(crate) use read::{Bundle, BundledFile};

/// A skill that was found, and not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalSkill {
    /// Its name: that of its folder, or of its file without the extension.
    pub(crate) name: String,
    /// Its SKILL.md.
    pub(crate) skill_md: PathBuf,
    /// The files below its folder, by their path with `/`. A skill that is one file has none.
    pub(crate) files: Vec<(String, PathBuf)>,
    /// What is below its folder and is left out, by its path with `/`: a file, or a directory with all that is in it.
    pub(crate) left_out: Vec<String>,
}

impl LocalSkill {
    /// Whether a file of this path, were it below the skill's folder, is or would be left out.
    pub(crate) fn leaves_out(&self, path: &str) -> bool {
        self.left_out.iter().any(|left| {
            path.strip_prefix(left.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Where it is: its folder, or its file.
    pub(crate) fn place(&self) -> &Path {
        let is_folder = self
            .skill_md
            .file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        match self.skill_md.parent() {
            Some(folder) if is_folder => folder,
            _ => &self.skill_md,
        }
    }
}
