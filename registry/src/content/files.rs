//! The files that a skill bundles: which may be sent together, and what is known of them before anything is stored.

use std::borrow::Cow;

use vestry_policies::Digest;

use super::digest;
use super::paths::{FilePath, check_distinct};
use super::text::{TextError, check_text};

/// The most files of a skill.
pub const MAX_FILES: usize = 512;
/// The most bytes of a skill: its SKILL.md and its files together; also the most of one upload.
pub const MAX_SKILL_BYTES: u64 = 16 << 20;

/// Why files are refused: the field, and a sentence that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct FilesError {
    /// The field, such as `files[3].path`.
    pub field: Cow<'static, str>,
    /// What to do.
    pub detail: String,
}

/// Where the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSource {
    /// They came with the request.
    Bytes(Vec<u8>),
    /// They were uploaded before, or the skill has them already.
    Digest(Digest),
}

/// A file as an author sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDraft {
    /// The path, as sent.
    pub path: String,
    /// The bytes.
    pub source: FileSource,
}

/// The files of a publication, checked as far as they can be without looking at what is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PreparedFiles {
    /// Those that the skill has now.
    #[default]
    Keep,
    /// These, and no others.
    These(Vec<PreparedFile>),
}

/// A checked file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedFile {
    pub(crate) path: FilePath,
    pub(crate) digest: Digest,
    pub(crate) blob: Option<PreparedBlob>,
}

/// Bytes with what is known of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedBlob {
    pub(crate) digest: Digest,
    pub(crate) bytes: Vec<u8>,
    pub(crate) finding: Option<String>,
}

impl PreparedBlob {
    /// Hashes bytes, and looks for what does not show in them. Takes time with large ones.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self {
            digest: digest::of_bytes(&bytes),
            finding: finding(&bytes),
            bytes,
        }
    }

    /// The SHA-256 of the bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        u64::try_from(self.bytes.len()).unwrap_or(u64::MAX)
    }
}

impl PreparedFiles {
    /// Checks the files of a request; none at all keeps those that the skill has.
    ///
    /// # Errors
    /// The first [`FilesError`].
    pub fn new(drafts: Option<Vec<FileDraft>>) -> Result<Self, FilesError> {
        let Some(drafts) = drafts else {
            return Ok(Self::Keep);
        };
        if drafts.len() > MAX_FILES {
            return Err(FilesError {
                field: "files".into(),
                detail: format!(
                    "A skill has at most {MAX_FILES} files, and these are {}; leave some out.",
                    drafts.len()
                ),
            });
        }
        let mut sent: u64 = 0;
        let mut files = Vec::with_capacity(drafts.len());
        for (position, FileDraft { path, source }) in drafts.into_iter().enumerate() {
            let path = FilePath::parse(&path).map_err(|error| at_path(position, &error))?;
            let file = match source {
                FileSource::Digest(digest) => PreparedFile {
                    path,
                    digest,
                    blob: None,
                },
                FileSource::Bytes(bytes) => {
                    sent = sent.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
                    if sent > MAX_SKILL_BYTES {
                        return Err(too_large(sent));
                    }
                    let blob = PreparedBlob::new(bytes);
                    PreparedFile {
                        path,
                        digest: blob.digest,
                        blob: Some(blob),
                    }
                }
            };
            files.push(file);
        }
        check_distinct(files.iter().map(|file| &file.path))
            .map_err(|(position, error)| at_path(position, &error))?;
        Ok(Self::These(files))
    }
}

fn at_path(position: usize, error: &super::paths::PathError) -> FilesError {
    FilesError {
        field: format!("files[{position}].path").into(),
        detail: error.to_string(),
    }
}

/// The refusal of a skill that is too large.
pub(crate) fn too_large(size: u64) -> FilesError {
    FilesError {
        field: "files".into(),
        detail: format!(
            "A skill has at most {MAX_SKILL_BYTES} bytes, its SKILL.md and files together, and this one has {size} or more; leave files out."
        ),
    }
}

/// The warning about a file in which something does not show.
pub(crate) fn warning(path: &str, finding: &str) -> String {
    format!("The file `{path}` is text with something that a reviewer may not see: {finding}.")
}

/// Bytes as a text; none where they are no UTF-8 or have a NUL, which no text has.
fn decoded(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))
}

/// What does not show in bytes that are text.
fn finding(bytes: &[u8]) -> Option<String> {
    let text = decoded(bytes)?;
    match check_text(text) {
        // Names of files have one form; what is in them may have any.
        Ok(()) | Err(TextError::NotNormalised { .. }) => None,
        Err(error) => Some(error.to_string()),
    }
}

/// The text that bytes are, when a reader can be shown all of it.
#[must_use]
pub fn as_text(bytes: &[u8]) -> Option<&str> {
    decoded(bytes).filter(|_| finding(bytes).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(path: &str, bytes: &[u8]) -> FileDraft {
        FileDraft {
            path: path.to_owned(),
            source: FileSource::Bytes(bytes.to_vec()),
        }
    }

    #[test]
    fn as_many_files_as_allowed_and_not_one_more() {
        let files = |count: usize| {
            PreparedFiles::new(Some(
                (0..count).map(|n| draft(&format!("f{n}"), b"")).collect(),
            ))
        };
        assert!(files(MAX_FILES).is_ok());
        let error = files(MAX_FILES + 1).unwrap_err();
        assert_eq!(error.field, "files");
        assert!(error.detail.contains("512") && error.detail.contains("513"));
    }

    #[test]
    fn the_file_that_is_at_fault_is_named() {
        let error =
            PreparedFiles::new(Some(vec![draft("a", b""), draft("../b", b"")])).unwrap_err();
        assert_eq!(error.field, "files[1].path");
        let error = PreparedFiles::new(Some(vec![draft("a", b""), draft("A", b"")])).unwrap_err();
        assert_eq!(error.field, "files[1].path");
        assert_eq!(PreparedFiles::new(None), Ok(PreparedFiles::Keep));
        assert_eq!(
            PreparedFiles::new(Some(Vec::new())),
            Ok(PreparedFiles::These(Vec::new()))
        );
    }

    #[test]
    fn what_does_not_show_is_found_in_text_only() {
        assert_eq!(finding(b"plain\n"), None);
        assert_eq!(finding(b"\xff\x00"), None);
        assert_eq!(finding("e\u{301}".as_bytes()), None);
        assert!(
            finding("a\nb\u{200b}".as_bytes())
                .unwrap()
                .contains("line 2, column 2")
        );
        assert_eq!(as_text(b"plain\n"), Some("plain\n"));
        assert_eq!(as_text(b"\0"), None);
        assert_eq!(as_text(b"\xff"), None);
    }
}
