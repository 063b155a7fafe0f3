//! Randomness as a parameter, for the same reason as time.

use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

/// Where random bytes come from.
pub trait Entropy: Send + Sync + 'static {
    /// Fills `bytes` with bytes that nobody can guess.
    ///
    /// # Errors
    /// When the operating system gives none.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError>;

    /// Fills `bytes` for an id: nobody can guess them either, but they are no secret and guard nothing by themselves, so
    /// that they may come from a generator in memory.
    ///
    /// # Errors
    /// As [`Entropy::fill`].
    fn fill_id(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.fill(bytes)
    }
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
        let mut bytes = [0_u8; 16];
        self.fill_id(&mut bytes)?;
        let mut id = String::with_capacity(prefix.len() + 22);
        id.push_str(prefix);
        URL_SAFE_NO_PAD.encode_string(bytes, &mut id);
        Ok(id)
    }
}

/// How many bytes a generator in memory gives before it takes a new seed.
const RESEED_AFTER: u32 = 1 << 20;

/// The operating system's generator. Ids come from a generator in memory (ChaCha20) that it seeds, and seeds again after
/// every mebibyte: asking the operating system for each costs as much as signing an offer.
#[derive(Default)]
pub struct SystemEntropy {
    ids: Mutex<Option<IdGenerator>>,
}

struct IdGenerator {
    generator: ChaCha20Rng,
    left: u32,
}

impl std::fmt::Debug for SystemEntropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SystemEntropy")
    }
}

impl Entropy for SystemEntropy {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that asks the operating system"
    )]
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        getrandom::fill(bytes).map_err(|error| EntropyError(error.to_string()))
    }

    fn fill_id(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let drawn = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.as_ref().is_none_or(|ids| ids.left < drawn) {
            let mut seed = [0_u8; 32];
            self.fill(&mut seed)?;
            *ids = Some(IdGenerator {
                generator: ChaCha20Rng::from_seed(seed),
                left: RESEED_AFTER.max(drawn),
            });
        }
        if let Some(ids) = &mut *ids {
            ids.generator.fill_bytes(bytes);
            ids.left -= drawn;
        }
        Ok(())
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
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_differ_also_across_seeds() {
        let entropy = SystemEntropy::default();
        let mut seen = HashSet::new();
        // More than one seed gives.
        let draws = RESEED_AFTER / 16 + 1_000;
        for _ in 0..draws {
            let mut bytes = [0_u8; 16];
            entropy.fill_id(&mut bytes).unwrap();
            assert!(seen.insert(bytes));
        }
        let left = entropy.ids.lock().unwrap().as_ref().unwrap().left;
        assert!(
            left > RESEED_AFTER - 17_000,
            "{left}: no new seed was taken"
        );
    }

    #[test]
    fn an_id_longer_than_a_seed_lasts_is_filled() {
        let entropy = SystemEntropy::default();
        let mut bytes = vec![0_u8; RESEED_AFTER as usize + 1];
        entropy.fill_id(&mut bytes).unwrap();
        assert!(bytes.iter().any(|byte| *byte != 0));
    }
}
