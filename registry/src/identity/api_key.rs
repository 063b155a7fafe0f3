//! API keys: `vst_<svc|usr>_<30 base62><6 base62 of CRC32>`.
//!
//! The prefix lets secret scanners find leaked keys, the checksum lets a mistyped one be refused without a
//! lookup, and 178 random bits make SHA-256 enough at rest.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::entropy::{Entropy, EntropyError};

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LEN: usize = 30;
const CHECKSUM_LEN: usize = 6;

/// Whose key it is; part of the key's text, and of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// A service's.
    Service,
    /// A human's.
    User,
}

impl KeyKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Service => "vst_svc_",
            Self::User => "vst_usr_",
        }
    }
}

/// A text is not an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not an API key of this server; check that it was copied whole")]
pub struct ApiKeyError;

/// An API key.
#[derive(Clone)]
pub struct ApiKey {
    kind: KeyKind,
    text: String,
}

/// Proof that a presented key equals a stored one; only [`ApiKey::matches`] makes it.
#[derive(Debug)]
#[must_use]
pub struct VerifiedKey {
    kind: KeyKind,
}

impl VerifiedKey {
    /// Whose key it is.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.kind
    }
}

impl ApiKey {
    /// Whether a bearer token is meant to be an API key, and not a JWT.
    #[must_use]
    pub fn looks_like(text: &str) -> bool {
        text.starts_with("vst_")
    }

    /// A new key.
    ///
    /// # Errors
    /// When there are no random bytes.
    pub fn generate(kind: KeyKind, entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut text = String::from(kind.prefix());
        let full = text.len() + RANDOM_LEN;
        while text.len() < full {
            let mut bytes = [0_u8; 48];
            entropy.fill(&mut bytes)?;
            for byte in bytes {
                // 248 is the largest multiple of 62 in a byte: taking more would favour the first digits.
                if byte < 248 && text.len() < full {
                    text.push(digit(u32::from(byte) % 62));
                }
            }
        }
        let checksum = checksum(&text);
        text.push_str(&checksum);
        Ok(Self { kind, text })
    }

    /// Reads a key and checks its checksum; the caller looks it up only after that.
    ///
    /// # Errors
    /// [`ApiKeyError`] when it has another form or its checksum is wrong.
    pub fn parse(text: &str) -> Result<Self, ApiKeyError> {
        let kind = [KeyKind::Service, KeyKind::User]
            .into_iter()
            .find(|kind| text.starts_with(kind.prefix()))
            .ok_or(ApiKeyError)?;
        let full = kind.prefix().len() + RANDOM_LEN + CHECKSUM_LEN;
        if text.len() != full {
            return Err(ApiKeyError);
        }
        let (signed, sum) = text
            .split_at_checked(full - CHECKSUM_LEN)
            .ok_or(ApiKeyError)?;
        let random_is_valid = signed
            .bytes()
            .skip(kind.prefix().len())
            .all(|b| b.is_ascii_alphanumeric());
        if !random_is_valid || checksum(signed) != sum {
            return Err(ApiKeyError);
        }
        Ok(Self {
            kind,
            text: text.to_owned(),
        })
    }

    /// Whose key it says to be.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The SHA-256 of the whole text: what is stored and looked up.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.text.as_bytes()).into()
    }

    /// Compares with a stored hash, in constant time.
    #[must_use]
    pub fn matches(&self, stored_hash: &[u8; 32]) -> Option<VerifiedKey> {
        let equal: bool = self.hash().ct_eq(stored_hash).into();
        equal.then_some(VerifiedKey { kind: self.kind })
    }

    /// The prefix and the first four random characters: what people recognise a key by.
    #[must_use]
    pub fn hint(&self) -> String {
        self.text
            .chars()
            .take(self.kind.prefix().len() + 4)
            .collect()
    }

    /// The key itself, for the one answer that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({}…)", self.hint())
    }
}

fn digit(value: u32) -> char {
    let index = usize::try_from(value % 62).unwrap_or_default();
    char::from(ALPHABET.get(index).copied().unwrap_or(b'0'))
}

/// The CRC32 of the prefix and the random part, six base62 digits, most significant first.
fn checksum(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut digits: Vec<char> = Vec::with_capacity(CHECKSUM_LEN);
    for _ in 0..CHECKSUM_LEN {
        digits.push(digit(rest));
        rest /= 62;
    }
    digits.into_iter().rev().collect()
}
