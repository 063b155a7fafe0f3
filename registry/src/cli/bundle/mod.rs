//! A skill on this machine's disk: finding it, reading it, and sending it.

mod find;
mod read;
mod send;

use std::path::{Path, PathBuf};

pub(super) use find::{Skipped, find};
pub(super) use read::Bundle;
pub(super) use send::{check_call, publish_call, upload};

/// A skill that was found, and not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocalSkill {
    /// Its name: that of its folder, or of its file without the extension.
    pub(super) name: String,
    /// Its SKILL.md.
    pub(super) skill_md: PathBuf,
    /// The files below its folder, by their path with `/`. A skill that is one file has none.
    pub(super) files: Vec<(String, PathBuf)>,
}

impl LocalSkill {
    /// Where it is: its folder, or its file.
    pub(super) fn place(&self) -> &Path {
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
