//! Why keys are refused.

use super::keys::{MAX_KID_LEN, MIN_KEY_BYTES, Ring};

/// Why keys are refused. Each sentence says what to do.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("the key file {path} cannot be {action}: {reason}; check the path and its permissions")]
    File {
        /// The file.
        path: String,
        /// `read`, `created` or `replaced`.
        action: &'static str,
        /// What the operating system said.
        reason: String,
    },
    /// Others than the owner may read the file.
    #[error("the key file {path} can be read by others (mode {mode:03o}); run `chmod 600 {path}`")]
    Permissions {
        /// The file.
        path: String,
        /// Its permission bits.
        mode: u32,
    },
    /// The file is not what this server writes.
    #[error(
        "the key file {path} is not a valid key file ({reason}); restore it from a backup, or move it away so that a new one is made"
    )]
    Format {
        /// The file.
        path: String,
        /// What is wrong, without any secret.
        reason: String,
    },
    /// A key id breaks its grammar.
    #[error(
        "a key id of the {ring} ring is not 1 to {MAX_KID_LEN} letters, digits, `-` or `_`; rename it"
    )]
    Kid {
        /// The ring.
        ring: Ring,
    },
    /// Two keys have one id.
    #[error(
        "the key id {kid} is used twice; give every key an id of its own, because the id decides the ring"
    )]
    DuplicateKid {
        /// The id.
        kid: String,
    },
    /// A key is too short.
    #[error(
        "the key {kid} has {bytes} bytes, and {MIN_KEY_BYTES} are the fewest; replace it by random bytes (`openssl rand 32`)"
    )]
    Short {
        /// The key.
        kid: String,
        /// Its length.
        bytes: usize,
    },
    /// A key is not random.
    #[error(
        "the key {kid} is too regular to be random; replace it by random bytes (`openssl rand 32`)"
    )]
    Weak {
        /// The key.
        kid: String,
    },
    /// Two keys have one secret.
    #[error(
        "the keys {first} and {second} have the same secret; give every key a secret of its own"
    )]
    SameSecret {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// A ring does not have exactly one signing key.
    #[error(
        "the {ring} ring has {count} keys with state `sign`, and needs exactly one; set the others to `accept`"
    )]
    SignKeys {
        /// The ring.
        ring: Ring,
        /// How many it has.
        count: usize,
    },
    /// There is nothing to promote.
    #[error(
        "the {ring} ring has no key newer than the one that signs; begin the rotation first, and restart every replica in between"
    )]
    NothingToPromote {
        /// The ring.
        ring: Ring,
    },
    /// No random bytes.
    #[error(transparent)]
    Entropy(#[from] crate::entropy::EntropyError),
}
