//! Randomness as a parameter, for the same reason as time.

use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// Where random bytes come from.
pub trait Entropy: Send + Sync + 'static {
    /// Fills `bytes` with bytes that nobody can guess.
    ///
    /// # Errors
    /// When the operating system gives none.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError>;
}

/// The operating system gave no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gave no random bytes: {0}")]
pub struct EntropyError(String);

impl dyn Entropy {
    /// `N` random bytes.
    ///
    /// # Errors
    /// As [`Entropy::fill`].
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], EntropyError> {
        let mut bytes = [0_u8; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// A random id of 128 bits, 22 characters of base64url, after `prefix`.
    ///
    /// # Errors
    /// As [`Entropy::fill`].
    pub fn id(&self, prefix: &str) -> Result<String, EntropyError> {
        let bytes: [u8; 16] = self.bytes()?;
        Ok(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes)))
    }
}

/// The operating system's generator.
#[derive(Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that asks the operating system"
    )]
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        getrandom::fill(bytes).map_err(|error| EntropyError(error.to_string()))
    }
}

/// A generator that gives the same bytes for the same seed; for tests only.
#[derive(Debug)]
pub struct SeededEntropy {
    seed: u64,
    drawn: Mutex<u64>,
}

impl SeededEntropy {
    /// A generator with this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            drawn: Mutex::new(0),
        }
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let mut drawn = self
            .drawn
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for chunk in bytes.chunks_mut(32) {
            *drawn += 1;
            let block = Sha256::new()
                .chain_update(self.seed.to_be_bytes())
                .chain_update(drawn.to_be_bytes())
                .finalize();
            for (to, from) in chunk.iter_mut().zip(block.iter()) {
                *to = *from;
            }
        }
        Ok(())
    }
}
