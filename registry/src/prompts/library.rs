//! A user's own library: a directory of templates, one a file.

use std::fmt::Display;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use vestry_policies::prompt::Selectors;

use super::MAX_TEMPLATE;
use super::worktree::text;
use crate::content::PromptFile;

/// What the names of templates end with.
pub(super) const EXTENSION: &str = ".md";
/// The most files of a library.
const MAX_FILES: usize = 200;

/// Why a library, or a file of it, is not read, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LibraryError(pub(super) String);

/// A template of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryFile {
    /// The name of the file.
    pub file: String,
    /// What it is for.
    pub selectors: Selectors,
    /// The frontmatter, without its fences; none where it has none.
    pub frontmatter: Option<String>,
    /// The template: what is below the frontmatter.
    pub template: String,
}

/// The name of a file, and what it says, or why it is refused.
pub type Listed = (String, Result<LibraryFile, LibraryError>);

/// A directory of templates. It need not be there.
#[derive(Debug, Clone)]
pub struct Library(PathBuf);

impl Library {
    /// The library in this directory.
    #[must_use]
    pub fn at(directory: PathBuf) -> Self {
        Self(directory)
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// Its files by name, and what each says, or why it is refused. What begins with a dot, or does not end with `.md`, is none.
    ///
    /// # Errors
    /// When the directory cannot be read, or has too many.
    pub fn files(&self) -> Result<Vec<Listed>, LibraryError> {
        let unreadable = |error: std::io::Error| {
            LibraryError(format!(
                "the library {} cannot be read: {error}",
                self.0.display()
            ))
        };
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(unreadable)?.file_name();
            let Some(name) = name.to_str() else {
                return Err(LibraryError(format!(
                    "the library {} has a file whose name is no text, {}; rename it",
                    self.0.display(),
                    name.to_string_lossy()
                )));
            };
            if !name.starts_with('.') && name.ends_with(EXTENSION) {
                names.push(name.to_owned());
            }
        }
        if names.len() > MAX_FILES {
            return Err(LibraryError(format!(
                "the library {} has more than {MAX_FILES} templates; move some away",
                self.0.display()
            )));
        }
        names.sort();
        Ok(names
            .into_iter()
            .map(|name| {
                let read = self.read(&name);
                (name, read)
            })
            .collect())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// What cannot be read of it, with its line.
    pub fn read(&self, file: &str) -> Result<LibraryFile, LibraryError> {
        Self::parse(file, self.bytes(file)?)
    }

    /// The bytes of a file, whatever they say.
    ///
    /// # Errors
    /// When it is no regular file (which a link may lead to), or too large.
    pub fn bytes(&self, file: &str) -> Result<Vec<u8>, LibraryError> {
        let path = self.0.join(file);
        // A pipe would be waited for.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(&path, flags, Mode::empty())
            .map(fs::File::from)
            .map_err(|error| refused(file, io::Error::from(error)))?;
        let kind = opened.metadata().map_err(|error| refused(file, error))?;
        if !kind.is_file() {
            return Err(refused(file, "it is no regular file"));
        }
        let mut bytes = Vec::new();
        opened
            .take(MAX_TEMPLATE as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| refused(file, error))?;
        if bytes.len() > MAX_TEMPLATE {
            return Err(refused(
                file,
                format!("it has more than {MAX_TEMPLATE} bytes; shorten it"),
            ));
        }
        Ok(bytes)
    }

    /// Reads what a file shall have.
    ///
    /// # Errors
    /// As [`Library::read`].
    pub fn parse(file: &str, bytes: Vec<u8>) -> Result<LibraryFile, LibraryError> {
        let text = text(bytes).map_err(|why| refused(file, why))?;
        let PromptFile {
            selectors,
            frontmatter,
            template,
        } = PromptFile::read(&text).map_err(|error| refused(file, error))?;
        Ok(LibraryFile {
            file: file.to_owned(),
            selectors,
            frontmatter: frontmatter.map(str::to_owned),
            template: template.to_owned(),
        })
    }
}

fn refused(file: &str, why: impl Display) -> LibraryError {
    LibraryError(format!("the file {file} of your library is refused, {why}"))
}
