//! Reading a skill from the disk, within the limits of skills.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use vestry_policies::Digest;

use super::LocalSkill;
use crate::content::MAX_SKILL_MD;
use crate::content::digest::{ManifestFile, of_bytes, of_manifest};
use crate::content::files::{MAX_FILES, MAX_SKILL_BYTES};

/// Why a skill cannot be read, in one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unreadable(pub(crate) String);

/// A file of a skill.
#[derive(Debug, Clone)]
pub(crate) struct BundledFile {
    /// The path below the skill, with `/`.
    pub(crate) path: String,
    /// The bytes.
    pub(crate) bytes: Bytes,
    /// Their SHA-256.
    pub(crate) digest: Digest,
}

/// A skill, read.
#[derive(Debug, Clone)]
pub(crate) struct Bundle {
    /// The SKILL.md, as it is.
    pub(crate) skill_md: String,
    /// The files; none to keep those that the skill has.
    pub(crate) files: Option<Vec<BundledFile>>,
}

impl Bundle {
    /// Reads a skill.
    ///
    /// # Errors
    /// When a file cannot be read, or there are too many, or too much of them.
    pub(crate) fn read(skill: &LocalSkill) -> Result<Self, Unreadable> {
        if skill.files.len() > MAX_FILES {
            return Err(Unreadable(format!(
                "it has {} files, and a skill has at most {MAX_FILES}; leave some out",
                skill.files.len()
            )));
        }
        let skill_md = text(
            read_at_most(&skill.skill_md, MAX_SKILL_MD as u64)?,
            &skill.skill_md,
        )?;
        let mut room = MAX_SKILL_BYTES.saturating_sub(skill_md.len() as u64);
        let mut files = Vec::with_capacity(skill.files.len());
        for (path, place) in &skill.files {
            let bytes = read_at_most(place, room).map_err(|error| match error {
                TooLarge::Unreadable(unreadable) => unreadable,
                TooLarge::Beyond(_) => Unreadable(format!(
                    "it has more than {MAX_SKILL_BYTES} bytes, SKILL.md and files together; leave files out"
                )),
            })?;
            room = room.saturating_sub(bytes.len() as u64);
            files.push(BundledFile {
                path: path.clone(),
                digest: of_bytes(&bytes),
                bytes: bytes.into(),
            });
        }
        Ok(Self {
            skill_md,
            files: Some(files),
        })
    }

    /// A skill of a SKILL.md alone, which keeps its files.
    ///
    /// # Errors
    /// When it is no text.
    pub(crate) fn of_skill_md(bytes: Vec<u8>) -> Result<Self, Unreadable> {
        Ok(Self {
            skill_md: text(bytes, Path::new("the SKILL.md"))?,
            files: None,
        })
    }

    /// The digest that the revision would have; none when it depends on the files that the skill has.
    pub(crate) fn digest(&self) -> Option<Digest> {
        let files: Vec<ManifestFile> = self
            .files
            .as_ref()?
            .iter()
            .map(|file| ManifestFile {
                path: file.path.clone(),
                size: file.bytes.len() as u64,
                digest: file.digest,
            })
            .collect();
        Some(of_manifest(of_bytes(self.skill_md.as_bytes()), &files))
    }
}

enum TooLarge {
    Beyond(PathBuf),
    Unreadable(Unreadable),
}

impl From<TooLarge> for Unreadable {
    fn from(error: TooLarge) -> Self {
        match error {
            TooLarge::Unreadable(unreadable) => unreadable,
            TooLarge::Beyond(path) => Self(format!(
                "{} has more than {MAX_SKILL_MD} bytes; move parts of it to files",
                path.display()
            )),
        }
    }
}

/// Reads a file that may grow while it is read.
fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, TooLarge> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(|error| {
            TooLarge::Unreadable(Unreadable(format!(
                "{} cannot be read: {error}",
                path.display()
            )))
        })?;
    if bytes.len() as u64 > most {
        return Err(TooLarge::Beyond(path.to_owned()));
    }
    Ok(bytes)
}

fn text(bytes: Vec<u8>, path: &Path) -> Result<String, Unreadable> {
    String::from_utf8(bytes).map_err(|error| {
        let line = error
            .as_bytes()
            .iter()
            .take(error.utf8_error().valid_up_to())
            .filter(|byte| **byte == b'\n')
            .count();
        Unreadable(format!(
            "{} is not UTF-8 (line {}); save it as UTF-8",
            path.display(),
            line + 1
        ))
    })
}
