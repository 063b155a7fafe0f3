//! A file that is being made: in a directory of its own, beside its place, so that whatever SQLite puts beside it goes away
//! with it.

use std::fs::File;
use std::io::Result;
use std::path::Path;

use tempfile::{Builder, TempDir, TempPath};

/// A file under another name than its own, which only its owner may read. It goes away unless it gets its place.
#[derive(Debug)]
pub(super) struct Partial {
    // Dropped in this order.
    file: TempPath,
    directory: TempDir,
}

impl Partial {
    /// An empty one in the directory in which it is to have its place.
    pub(super) fn new(parent: &Path, name: &str) -> Result<(Self, File)> {
        let prefix = format!(".{name}.");
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".partial");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let directory = builder.tempdir_in(parent)?;
        let (file, path) = tempfile::NamedTempFile::new_in(directory.path())?.into_parts();
        let partial = Self {
            file: path,
            directory,
        };
        Ok((partial, file))
    }

    pub(super) fn path(&self) -> &Path {
        &self.file
    }

    /// Gives it its place, durably; nothing is written over.
    pub(super) fn place(self, place: &Path) -> Result<()> {
        self.file
            .persist_noclobber(place)
            .map_err(|failed| failed.error)?;
        // What cannot be removed keeps nobody from using the file.
        let _ = self.directory.close();
        sync_directory(place.parent().unwrap_or(Path::new("")))
    }
}

/// Makes the names in a directory durable.
pub(super) fn sync_directory(directory: &Path) -> Result<()> {
    // Only Unix opens directories as files.
    if cfg!(unix) {
        let directory = if directory.as_os_str().is_empty() {
            Path::new(".")
        } else {
            directory
        };
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}
