//! Where checkpoints of all chains are kept: one current file and dated ones.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::note::MAX_NOTE_BYTES;
use super::{Checkpoint, CheckpointError, CheckpointKey};
use crate::clock::Micros;

/// The newest checkpoint.
const CURRENT: &str = "checkpoint";
/// What dated files begin with.
const DATED: &str = "checkpoint-";
/// Locked by whoever writes.
const LOCK: &str = "lock";
/// What is not complete yet.
const DRAFT: &str = "draft";
/// How many dated files are kept: a week of one an hour.
const KEPT: usize = 168;

/// A directory of checkpoints.
#[derive(Debug, Clone)]
pub struct Place(PathBuf);

/// Keeps others from writing at the same time, for as long as it lives.
#[derive(Debug)]
pub struct Held {
    place: Place,
    _lock: File,
}

impl Place {
    /// This directory; it is made when something is written.
    #[must_use]
    pub fn new(directory: PathBuf) -> Self {
        Self(directory)
    }

    /// The file of the newest checkpoint.
    #[must_use]
    pub fn current(&self) -> PathBuf {
        self.0.join(CURRENT)
    }

    /// Waits until nobody else writes here.
    ///
    /// # Errors
    /// When the directory cannot be made or locked.
    pub fn hold(&self) -> Result<Held, CheckpointError> {
        let path = self.0.join(LOCK);
        let lock = fs::create_dir_all(&self.0)
            .and_then(|()| {
                OpenOptions::new()
                    .create(true)
                    .truncate(false)
                    .write(true)
                    .open(&path)
            })
            .and_then(|file| file.lock().map(|()| file))
            .map_err(|error| failed(&path, "written", &error))?;
        Ok(Held {
            place: self.clone(),
            _lock: lock,
        })
    }

    /// The newest checkpoint, if there is one.
    ///
    /// # Errors
    /// When it cannot be read, or this key did not sign it.
    pub fn read(&self, key: &CheckpointKey) -> Result<Option<Checkpoint>, CheckpointError> {
        let path = self.current();
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&path, "read", &error)),
        };
        let mut bytes = Vec::new();
        file.take(MAX_NOTE_BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| failed(&path, "read", &error))?;
        Checkpoint::open(&bytes, &key.verifier())
            .map(Some)
            .map_err(|error| CheckpointError::Note {
                what: format!("the last checkpoint, {}", path.display()),
                error,
            })
    }
}

impl Held {
    /// The newest checkpoint, if there is one.
    ///
    /// # Errors
    /// As [`Place::read`].
    pub fn read(&self, key: &CheckpointKey) -> Result<Option<Checkpoint>, CheckpointError> {
        self.place.read(key)
    }

    /// Writes a note as the newest and as a dated file, both complete and durable or not at all, and drops the oldest
    /// dated ones.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn write(&self, note: &str, at: Micros) -> Result<PathBuf, CheckpointError> {
        let directory = &self.place.0;
        let name: String = at
            .rfc3339()
            .chars()
            .filter(|c| !matches!(c, '-' | ':'))
            .collect();
        let dated = directory.join(format!("{DATED}{name}"));
        let current = self.place.current();
        for path in [&dated, &current] {
            replace(path, note.as_bytes()).map_err(|error| failed(path, "written", &error))?;
        }
        sync_directory(&current).map_err(|error| failed(&current, "written", &error))?;
        // What is not dropped today is dropped next time.
        let _ = drop_oldest(directory);
        Ok(current)
    }
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // Whoever writes holds the lock, so that the name is nobody else's.
    let draft = path.with_file_name(DRAFT);
    let mut file = File::create(&draft)?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&draft, path))
}

fn drop_oldest(directory: &Path) -> std::io::Result<()> {
    let mut dated: Vec<PathBuf> = fs::read_dir(directory)?
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(DATED))
        .map(|entry| entry.path())
        .collect();
    // Their names are times, so that they sort by age.
    dated.sort();
    let surplus = dated.len().saturating_sub(KEPT);
    for path in dated.into_iter().take(surplus) {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Makes a new name durable. Only unix can open a directory for that.
pub(super) fn sync_directory(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        File::open(parent.unwrap_or_else(|| Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

fn failed(path: &Path, action: &'static str, error: &std::io::Error) -> CheckpointError {
    CheckpointError::File {
        path: path.display().to_string(),
        action,
        reason: error.to_string(),
    }
}
