//! Passwords: argon2id (RFC 9106), two at a time.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization as _;

use crate::entropy::{Entropy, EntropyError};

/// The fewest characters of a password (NIST SP 800-63B-4 asks for 15 or for 8 with a second factor; this lies between).
pub const MIN_PASSWORD_CHARS: usize = 12;

/// The most characters of a password.
pub const MAX_PASSWORD_CHARS: usize = 256;

/// The most bytes of a password in UTF-8.
pub const MAX_PASSWORD_BYTES: usize = 1024;

/// How many hashes are computed at once: each takes its memory and a core.
const AT_ONCE: usize = 2;

/// The bytes of a hash.
const OUTPUT_LEN: usize = 32;

/// How dear a hash is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordParams {
    /// Memory, in KiB.
    memory_kib: u32,
    /// Passes.
    passes: u32,
    /// Lanes.
    lanes: u32,
}

impl Default for PasswordParams {
    /// 19 MiB, two passes, one lane: the least that OWASP's Password Storage Cheat Sheet recommends for argon2id.
    fn default() -> Self {
        Self {
            memory_kib: 19_456,
            passes: 2,
            lanes: 1,
        }
    }
}

impl PasswordParams {
    /// The least that the algorithm allows. Protects nothing; for tests.
    #[must_use]
    pub fn cheap_for_tests() -> Self {
        Self {
            memory_kib: 8,
            passes: 1,
            lanes: 1,
        }
    }
}

/// A password that may not be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordRule {
    /// Too short.
    #[error("a password has at least {MIN_PASSWORD_CHARS} characters; a few random words do well")]
    TooShort,
    /// Too long.
    #[error(
        "a password has at most {MAX_PASSWORD_CHARS} characters and {MAX_PASSWORD_BYTES} bytes"
    )]
    TooLong,
}

/// Why a password is not hashed or compared.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The password may not be set.
    #[error(transparent)]
    Rule(#[from] PasswordRule),
    /// No random bytes.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// argon2 failed: no memory, or the stored hash is damaged.
    #[error("the password could not be hashed: {0}")]
    Hash(String),
}

/// Hashes and compares passwords.
pub struct Passwords {
    params: Params,
    entropy: Arc<dyn Entropy>,
    /// A hash that no password has, for users that do not exist.
    dummy: Arc<str>,
    turns: Arc<Semaphore>,
    memory: Arc<WorkingMemory>,
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passwords")
            .field("params", &self.params)
            .finish_non_exhaustive()
    }
}

impl Passwords {
    /// Passwords with these parameters.
    ///
    /// # Errors
    /// When there are no random bytes.
    pub fn new(params: PasswordParams, entropy: Arc<dyn Entropy>) -> Result<Self, PasswordError> {
        let PasswordParams {
            memory_kib,
            passes,
            lanes,
        } = params;
        let params = Params::new(memory_kib, passes, lanes, None)
            .map_err(|error| PasswordError::Hash(error.to_string()))?;
        let mut random = [0_u8; 16 + OUTPUT_LEN];
        entropy.fill(&mut random)?;
        let (salt, output) = random.split_at(16);
        let dummy = phc_string(&params, salt, output);
        Ok(Self {
            params,
            entropy,
            dummy: Arc::from(dummy),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            memory: Arc::default(),
        })
    }

    /// Whether a password may be set.
    ///
    /// # Errors
    /// The [`PasswordRule`] that it breaks.
    pub fn check(password: &str) -> Result<(), PasswordRule> {
        normalised(password).map(drop)
    }

    /// The hash of a new password, as a PHC string.
    ///
    /// # Errors
    /// [`PasswordError::Rule`] when it may not be set; else when the machine fails.
    pub async fn hash(&self, password: &str) -> Result<String, PasswordError> {
        let password = normalised(password)?;
        let mut salt = [0_u8; 16];
        self.entropy.fill(&mut salt)?;
        let params = self.params.clone();
        let memory = Arc::clone(&self.memory);
        self.in_turn(move || {
            let mut output = [0_u8; OUTPUT_LEN];
            memory.hash(&params, password.as_bytes(), &salt, &mut output)?;
            Ok(phc_string(&params, &salt, &output))
        })
        .await
    }

    /// Whether a password has the hash `phc`. `None`, for a user that does not exist, takes as long and is false.
    ///
    /// # Errors
    /// When the stored hash is damaged or the machine fails; a wrong password is `Ok(false)`.
    pub async fn verify(&self, password: &str, phc: Option<&str>) -> Result<bool, PasswordError> {
        // A password that cannot have been set is compared all the same, with a hash that it cannot have.
        let (password, phc) = match (normalised(password), phc) {
            (Ok(password), Some(phc)) => (password, Arc::from(phc)),
            (Ok(password), None) => (password, Arc::clone(&self.dummy)),
            (Err(_), _) => (String::new(), Arc::clone(&self.dummy)),
        };
        let memory = Arc::clone(&self.memory);
        self.in_turn(move || {
            let damaged = || PasswordError::Hash("a stored hash is damaged".to_owned());
            let stored = PasswordHash::new(&phc).map_err(|_| damaged())?;
            if stored.algorithm.as_str() != "argon2id"
                || stored.version != Some(Version::V0x13.into())
            {
                return Err(damaged());
            }
            let params = Params::try_from(&stored).map_err(|_| damaged())?;
            let (Some(salt), Some(expected)) = (stored.salt, stored.hash) else {
                return Err(damaged());
            };
            let mut output = vec![0_u8; expected.as_bytes().len()];
            memory.hash(&params, password.as_bytes(), salt.as_ref(), &mut output)?;
            Ok(bool::from(output.ct_eq(expected.as_bytes())))
        })
        .await
    }

    /// Runs `work` on the blocking pool when its turn comes. The turn moves into the work, so that a client that
    /// leaves does not let a third one start.
    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PasswordError> + Send + 'static,
    ) -> Result<T, PasswordError> {
        let failed = |error: &dyn fmt::Display| PasswordError::Hash(error.to_string());
        let turn = Arc::clone(&self.turns)
            .acquire_owned()
            .await
            .map_err(|error| failed(&error))?;
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop(turn);
            result
        })
        .await
        .map_err(|error| failed(&error))?
    }
}

/// The memory that hashing works in, kept and used again: blocks of 19 MiB that come and go would each stay with the
/// allocator, by thread.
#[derive(Default)]
struct WorkingMemory(Mutex<Vec<Vec<Block>>>);

impl WorkingMemory {
    fn hash(
        &self,
        params: &Params,
        password: &[u8],
        salt: &[u8],
        output: &mut [u8],
    ) -> Result<(), PasswordError> {
        let mut blocks = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default();
        blocks.resize(params.block_count(), Block::default());
        let hashed = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone())
            .hash_password_into_with_memory(password, salt, output, &mut blocks)
            .map_err(|error| PasswordError::Hash(error.to_string()));
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(blocks);
        hashed
    }
}

/// A hash in the PHC string format.
fn phc_string(params: &Params, salt: &[u8], output: &[u8]) -> String {
    format!(
        "$argon2id$v=19$m={},t={},p={}${}${}",
        params.m_cost(),
        params.t_cost(),
        params.p_cost(),
        STANDARD_NO_PAD.encode(salt),
        STANDARD_NO_PAD.encode(output)
    )
}

/// The password in NFC, so that a keyboard that composes and one that does not give the same one. Never trimmed.
fn normalised(password: &str) -> Result<String, PasswordRule> {
    // Before the work, because what comes in is a stranger's.
    if password.len() > 4 * MAX_PASSWORD_BYTES {
        return Err(PasswordRule::TooLong);
    }
    let text: String = password.nfc().collect();
    let chars = text.chars().count();
    if chars < MIN_PASSWORD_CHARS {
        return Err(PasswordRule::TooShort);
    }
    if chars > MAX_PASSWORD_CHARS || text.len() > MAX_PASSWORD_BYTES {
        return Err(PasswordRule::TooLong);
    }
    Ok(text)
}
