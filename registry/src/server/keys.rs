//! The keys of a server, and where they are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ServerOptions, StartError};
use crate::checkpoint::{CheckpointKey, Place};
use crate::entropy::Entropy;
use crate::identity::{Identity, KeyRings};
use crate::store::Database;

/// The file of the key rings in the data directory.
const KEYS: &str = "keys.json";
/// The file of the key that signs checkpoints in the data directory.
const CHECKPOINT_KEY: &str = "checkpoint.key";
/// Where checkpoints are written in the data directory, unless told otherwise.
const CHECKPOINTS: &str = "checkpoints";

pub(super) fn load_identity(options: &ServerOptions) -> Result<Identity, StartError> {
    crate::store::directory::create(&options.directory).map_err(|error| {
        StartError(format!(
            "cannot create {}: {error}",
            options.directory.display()
        ))
    })?;
    let file = keys_file(&options.directory);
    let rings = match options.database {
        Database::Sqlite => KeyRings::load_or_create(&file, options.entropy.as_ref()),
        // Replicas have the same keys: none makes its own.
        Database::Postgres(_) => {
            require_given(&file)?;
            KeyRings::load(&file)
        }
    }
    .map_err(|error| StartError(error.to_string()))?;
    Identity::new(
        Arc::new(rings),
        &options.issuer,
        Arc::clone(&options.clock),
        Arc::clone(&options.entropy),
        options.passwords,
    )
    .map_err(|error| StartError(error.to_string()))
}

pub(super) fn load_checkpoint_key(options: &ServerOptions) -> Result<CheckpointKey, StartError> {
    let file = checkpoint_key_file(&options.directory);
    match options.database {
        Database::Sqlite => {
            CheckpointKey::load_or_create(&file, &options.issuer, options.entropy.as_ref())
        }
        Database::Postgres(_) => {
            require_given(&file)?;
            CheckpointKey::load(&file)
        }
    }
    .map_err(|error| StartError(error.to_string()))
}

fn require_given(file: &Path) -> Result<(), StartError> {
    if file.exists() {
        return Ok(());
    }
    Err(StartError(format!(
        "{} is missing, and with PostgreSQL a server makes no keys of its own: run `vestry admin keys create` once, and give every replica \
         the same files",
        file.display()
    )))
}

/// Makes the keys of an installation in a data directory: those that sign tokens and offers, and the one that signs checkpoints.
/// What is there already stays.
///
/// # Errors
/// When a file cannot be made, or one that is there is no key file.
pub fn create_keys(
    directory: &Path,
    issuer: &str,
    entropy: &dyn Entropy,
) -> Result<(), StartError> {
    let failed = |error: String| StartError(error);
    crate::store::directory::create(directory)
        .map_err(|error| StartError(format!("cannot create {}: {error}", directory.display())))?;
    KeyRings::load_or_create(&keys_file(directory), entropy)
        .map_err(|error| failed(error.to_string()))?;
    CheckpointKey::load_or_create(&checkpoint_key_file(directory), issuer, entropy)
        .map_err(|error| failed(error.to_string()))?;
    Ok(())
}

/// The file of the key rings of a data directory.
#[must_use]
pub fn keys_file(directory: &Path) -> PathBuf {
    directory.join(KEYS)
}

/// The file of the key that signs checkpoints, of a data directory.
#[must_use]
pub fn checkpoint_key_file(directory: &Path) -> PathBuf {
    directory.join(CHECKPOINT_KEY)
}

/// Where the checkpoints of a data directory are written.
#[must_use]
pub fn checkpoint_place(directory: &Path, given: Option<PathBuf>) -> Place {
    Place::new(given.unwrap_or_else(|| directory.join(CHECKPOINTS)))
}
