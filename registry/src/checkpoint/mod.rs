//! Checkpoints of the audit log: how long each chain is and what it ends with, signed, to be kept outside the database.
//!
//! A hash chain shows that a record was changed. It does not show that its end was cut off, or that all of it was computed
//! anew, because nothing beside it remembers what it was. A checkpoint does.
//!
//! Checkpoints are signed notes (<https://c2sp.org/signed-note>) with Ed25519. Their text has the lines of a
//! tlog-checkpoint, origin, size and hash, but the hash is the end of a hash chain and not the root of a Merkle tree.
//! Nothing here touches the database: the store says where the chains end.

mod key;
mod note;
mod place;
mod text;

pub use key::{CheckpointKey, VerifierKey};
pub use note::{MAX_NOTE_BYTES, NoteError};
pub use place::{Held, Place};
pub use text::{ChainHead, Checkpoint, Covers};

/// Why keys and checkpoints are refused. Each sentence says what to do.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A key file or a checkpoint's file cannot be read or written.
    #[error("{path} cannot be {action}: {reason}; check the path and its permissions")]
    File {
        /// The file.
        path: String,
        /// `read`, `written` or `created`.
        action: &'static str,
        /// What the operating system said.
        reason: String,
    },
    /// The key file can be read by others.
    #[error("the key file {path} can be read by others (mode {mode:03o}); run `chmod 600 {path}`")]
    Permissions {
        /// The file.
        path: String,
        /// Its permission bits.
        mode: u32,
    },
    /// The key file is not what this server writes.
    #[error(
        "{0} is no key of checkpoints; restore it from a backup, or move it away so that a new one is made"
    )]
    BadKeyFile(String),
    /// A text is no public key.
    #[error(
        "this is no public key of checkpoints; give what `vestry audit key` prints, NAME+ID+KEY"
    )]
    BadVerifierKey,
    /// A checkpoint is not what it should be.
    #[error("{what}: {error}")]
    Note {
        /// Which.
        what: String,
        /// What is wrong with it.
        error: NoteError,
    },
    /// No random bytes.
    #[error(transparent)]
    Entropy(#[from] crate::entropy::EntropyError),
}
