//! Putting a backup in place as the database of a new data directory.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::{StoreError, StoreResult};
use super::open::DATABASE;
use super::partial::{Partial, sync_directory};
use super::seal::{self, Seal};
use super::verify::{Verification, live_files, verify_copy};

/// A backup that was put in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The size of the database.
    pub bytes: u64,
    /// Whether the file had a seal; a copy that another program made has none.
    pub sealed: bool,
    /// What was checked before.
    pub verification: Verification,
}

/// Copies a backup into a data directory that is empty or not there, verifies the copy whole, and makes it the database. What
/// is verified is what is put in place: the file itself is read once. When that fails the directory is left as it was.
///
/// # Errors
/// When the directory has anything in it, the file does not verify (the error names what is wrong), or cannot be copied.
pub async fn restore(file: &Path, directory: &Path) -> StoreResult<Restored> {
    let (file, directory) = (file.to_owned(), directory.to_owned());
    let source = file.clone();
    let target = directory.clone();
    let copied = tokio::task::spawn_blocking(move || {
        let made = prepare(&target)?;
        Copied::make(&source, &target, made)
    });
    let copied = copied
        .await
        .map_err(|error| StoreError::Internal(error.to_string()))??;
    let verification = verify_copy(copied.path(), &file).await?;
    if let Some(fault) = verification.first_fault() {
        return Err(refused(&file, &fault));
    }
    let sealed = copied.sealed;
    let placed = tokio::task::spawn_blocking(move || copied.place());
    let bytes = placed
        .await
        .map_err(|error| StoreError::Internal(error.to_string()))??;
    Ok(Restored {
        bytes,
        sealed,
        verification,
    })
}

/// The directories that were made for the restored database, the innermost last.
struct Made {
    directories: Vec<PathBuf>,
    keep: bool,
}

impl Drop for Made {
    fn drop(&mut self) {
        if !self.keep {
            for directory in self.directories.iter().rev() {
                // Only what is empty goes.
                let _ = std::fs::remove_dir(directory);
            }
        }
    }
}

/// Makes the directory, unless it is there and empty.
fn prepare(directory: &Path) -> StoreResult<Made> {
    let mut made = Made {
        directories: Vec::new(),
        keep: false,
    };
    match std::fs::read_dir(directory) {
        Ok(mut entries) => match entries.next() {
            None => Ok(made),
            Some(Ok(entry)) => Err(StoreError::Internal(format!(
                "{} is not empty ({} is in it), and nothing is written over: give a new directory or an empty one",
                directory.display(),
                entry.file_name().display()
            ))),
            Some(Err(error)) => Err(cannot("look into", directory, &error)),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut missing: Vec<PathBuf> = directory
                .ancestors()
                .take_while(|one| !one.as_os_str().is_empty() && !one.exists())
                .map(Path::to_owned)
                .collect();
            missing.reverse();
            super::directory::create(directory)
                .map_err(|error| cannot("create", directory, &error))?;
            made.directories = missing;
            Ok(made)
        }
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(StoreError::Internal(
            format!("{} is no directory", directory.display()),
        )),
        Err(error) => Err(cannot("look into", directory, &error)),
    }
}

/// A copy of a backup that is not the database yet.
struct Copied {
    // Dropped in this order: the copy before the directory that it is in.
    copy: Partial,
    directory: PathBuf,
    sealed: bool,
    made: Made,
}

impl Copied {
    fn make(file: &Path, directory: &Path, made: Made) -> StoreResult<Self> {
        if let Some(live) = live_files(file) {
            return Err(StoreError::Internal(format!(
                "{} is the database of a server and no backup ({} is beside it): make a backup of it with `vestry backup`",
                file.display(),
                live.display()
            )));
        }
        let mut source = File::open(file).map_err(|error| cannot("read", file, &error))?;
        if !source.metadata().is_ok_and(|found| found.is_file()) {
            return Err(refused(file, "it is no file"));
        }
        let (copy, mut bytes) = Partial::new(directory, DATABASE)
            .map_err(|error| cannot("write into", directory, &error))?;
        let found = seal::copy(&mut source, &mut bytes)
            .and_then(|found| bytes.sync_all().map(|()| found))
            .map_err(|error| cannot("copy", file, &error))?;
        let sealed = match found {
            Seal::Whole => true,
            Seal::Missing => false,
            Seal::Broken => {
                return Err(refused(
                    file,
                    "its bytes are not those that were sealed when the backup was made, so that it was changed or cut off",
                ));
            }
            Seal::NoDatabase => return Err(refused(file, "it is not a database")),
        };
        Ok(Self {
            copy,
            directory: directory.to_owned(),
            sealed,
            made,
        })
    }

    fn path(&self) -> &Path {
        self.copy.path()
    }

    /// Makes it the database; gives its size.
    fn place(mut self) -> StoreResult<u64> {
        let database = self.directory.join(DATABASE);
        let failed = |error: &std::io::Error| cannot("write", &database, error);
        let bytes = std::fs::metadata(self.copy.path()).map_err(|error| failed(&error))?;
        self.copy.place(&database).map_err(|error| failed(&error))?;
        self.made.keep = true;
        // The names of new directories are in those that they are in.
        let above = self
            .made
            .directories
            .iter()
            .filter_map(|made| made.parent());
        for directory in above {
            sync_directory(directory).map_err(|error| failed(&error))?;
        }
        Ok(bytes.len())
    }
}

fn refused(file: &Path, why: &str) -> StoreError {
    StoreError::Internal(format!(
        "{} is not restored: {why}; take another backup",
        file.display()
    ))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Internal(format!(
        "cannot {what} {}: {error}; check the path and how much is free there",
        path.display()
    ))
}
