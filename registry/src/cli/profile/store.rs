//! The file of a profile: for its owner only, whole or not at all, and written by one process at a time.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::{Profile, ProfileName};
use crate::cli::failure::{Failure, Outcome};
use crate::store::directory;

/// The most bytes that are read as a profile.
const MAX_BYTES: u64 = 256 * 1024;

/// Where a profile is.
#[derive(Debug, Clone)]
pub(in crate::cli) struct ProfileFile {
    directory: PathBuf,
    name: ProfileName,
}

impl ProfileFile {
    pub(super) fn new(directory: PathBuf, name: ProfileName) -> Self {
        Self { directory, name }
    }

    /// The name of the profile.
    pub(in crate::cli) fn name(&self) -> &ProfileName {
        &self.name
    }

    /// The file.
    pub(in crate::cli) fn path(&self) -> PathBuf {
        self.directory.join(format!("{}.profile.json", self.name))
    }

    /// The file of the last catalog's offer.
    pub(in crate::cli) fn offer_path(&self) -> PathBuf {
        self.directory.join(format!("{}.offer.json", self.name))
    }

    /// The profile; none when nobody has logged in.
    ///
    /// # Errors
    /// When the file cannot be read, others may read it, or it is no profile.
    pub(in crate::cli) fn read(&self) -> Result<Option<Profile>, Failure> {
        let path = self.path();
        let Some(bytes) = read_private(&path)? else {
            return Ok(None);
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            Failure::new(format!(
                "{} is no profile ({error}); remove it and run `vestry login`",
                path.display()
            ))
        })
    }

    /// Writes the profile.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(in crate::cli) fn write(&self, profile: &Profile) -> Outcome {
        write_private(&self.path(), &serde_json::to_vec_pretty(profile)?)
    }

    /// Forgets the profile and its offer.
    ///
    /// # Errors
    /// When a file is there and cannot be removed.
    pub(in crate::cli) fn remove(&self) -> Outcome {
        for path in [self.path(), self.offer_path()] {
            match std::fs::remove_file(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(Failure::new(format!(
                        "cannot remove {}: {error}",
                        path.display()
                    )));
                }
            }
        }
        Ok(())
    }

    /// Waits until no other process changes this profile. A refresh token works once: two processes that used one
    /// would end the session. The lock lasts as long as what is given.
    ///
    /// # Errors
    /// When the lock's file cannot be made.
    pub(in crate::cli) async fn lock(&self) -> Result<File, Failure> {
        let path = self.directory.join(format!("{}.lock", self.name));
        let directory = self.directory.clone();
        let locked = tokio::task::spawn_blocking(move || {
            directory::create(&directory)?;
            let mut options = OpenOptions::new();
            options.create(true).truncate(false).write(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = options.open(&path)?;
            file.lock().map(|()| file)
        });
        locked.await?.map_err(|error| {
            Failure::new(format!(
                "cannot lock the profile in {}: {error}",
                self.directory.display()
            ))
        })
    }

    /// Reads, changes and writes the profile under the lock, when it is there.
    ///
    /// # Errors
    /// As reading, locking and writing.
    pub(in crate::cli) async fn change(&self, change: impl FnOnce(&mut Profile)) -> Outcome {
        let _lock = self.lock().await?;
        if let Some(mut profile) = self.read()? {
            change(&mut profile);
            self.write(&profile)?;
        }
        Ok(())
    }
}

/// Reads a file that nobody else may read; none when it is not there.
fn read_private(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    use std::io::Read as _;
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(format!("cannot read {}: {error}", path.display()))
    };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file
            .metadata()
            .map_err(|error| failed(&error))?
            .permissions()
            .mode();
        if mode & 0o077 != 0 {
            return Err(Failure::new(format!(
                "others can read {0}, which holds tokens; run `chmod 600 {0}`, then `vestry login` again",
                path.display()
            )));
        }
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(&error))?;
    Ok(Some(bytes))
}

/// Writes a file that nobody else may read. It appears whole and durable, or not at all.
///
/// # Errors
/// When it cannot be written.
pub(in crate::cli) fn write_private(path: &Path, bytes: &[u8]) -> Outcome {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(format!("cannot write {}: {error}", path.display()))
    };
    let parent = path.parent().unwrap_or(Path::new("."));
    directory::create(parent).map_err(|error| failed(&error))?;
    // Temporary files are made with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(parent).map_err(|error| failed(&error))?;
    file.write_all(bytes).map_err(|error| failed(&error))?;
    file.as_file().sync_all().map_err(|error| failed(&error))?;
    file.persist(path).map_err(|error| failed(&error))?;
    Ok(())
}
