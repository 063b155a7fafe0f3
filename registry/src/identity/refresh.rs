//! Refresh tokens: opaque, random, stored as their SHA-256 only. Families and rotation are the store's.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::entropy::{Entropy, EntropyError};

const PREFIX: &str = "vrt_";

/// A refresh token, `vrt_` and 43 characters of base64url (256 random bits).
#[derive(Clone, PartialEq, Eq)]
pub struct RefreshToken(String);

/// A text is not a refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a refresh token; log in again")]
pub struct RefreshTokenError;

impl RefreshToken {
    /// A new token.
    ///
    /// # Errors
    /// When there are no random bytes.
    pub fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut bytes = [0_u8; 32];
        entropy.fill(&mut bytes)?;
        Ok(Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// Reads a token; one that cannot be ours is refused before any lookup.
    ///
    /// # Errors
    /// [`RefreshTokenError`] when it has another form.
    pub fn parse(text: &str) -> Result<Self, RefreshTokenError> {
        let random = text.strip_prefix(PREFIX).ok_or(RefreshTokenError)?;
        if random.len() != 43 {
            return Err(RefreshTokenError);
        }
        URL_SAFE_NO_PAD
            .decode(random)
            .map_err(|_| RefreshTokenError)?;
        Ok(Self(text.to_owned()))
    }

    /// The SHA-256 of the whole text: what is stored and looked up.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The token itself, for the answer that gives it out.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RefreshToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RefreshToken([redacted])")
    }
}
