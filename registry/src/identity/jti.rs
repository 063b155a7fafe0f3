//! The id of a token or an offer (`jti`, RFC 7519 §4.1.7).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::entropy::{Entropy, EntropyError};

/// 128 random bits, written as 22 characters of base64url.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Jti([u8; 16]);

impl Jti {
    /// The characters of its written form.
    pub const LEN: usize = 22;

    /// A new id.
    ///
    /// # Errors
    /// When there are no random bytes.
    pub fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut bytes = [0_u8; 16];
        entropy.fill_id(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Reads the written form; each id has exactly one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// The bits.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for Jti {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // On the stack: it is written on every turn.
        let mut text = [0_u8; Self::LEN];
        URL_SAFE_NO_PAD
            .encode_slice(self.0, &mut text)
            .map_err(|_| fmt::Error)?;
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Jti {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Jti({self})")
    }
}
