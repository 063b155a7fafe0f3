//! The key rings that sign what this server gives out.
//!
//! A key belongs to one ring, and the ring decides what kind of principal a token speaks for. That is why a
//! token's kind is never a claim: whoever could sign with a ring's key could say anything else too.
//! Rings are immutable once loaded; rotation edits the file (see [`super::key_file`]) and needs a restart.

use std::collections::HashMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _};
use jsonwebtoken::{DecodingKey, EncodingKey};
use sha2::{Digest as _, Sha256};

use super::key_error::KeyError;

/// The fewest bytes of a key: as many as SHA-256 gives (RFC 7518 §3.2).
pub const MIN_KEY_BYTES: usize = 32;

/// The most characters of a key id; it is part of every token, so it is kept short.
pub const MAX_KID_LEN: usize = 16;

/// The fewest different bytes that a key must have; a random key of 32 bytes has fewer with a chance below 10⁻³⁰.
const MIN_DISTINCT_BYTES: usize = 8;

/// What a key signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ring {
    /// Access tokens of humans.
    Human,
    /// Access tokens of humans that are elevated for one scope.
    Elevated,
    /// Access tokens of agents.
    Agent,
    /// Offers, which are no access tokens at all.
    Offer,
    /// Cursors of lists, which are no JWTs at all.
    Cursor,
}

impl Ring {
    /// Every ring, in the order of the key file.
    pub const ALL: [Self; 5] = [
        Self::Human,
        Self::Elevated,
        Self::Agent,
        Self::Offer,
        Self::Cursor,
    ];

    /// The name in the key file and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Elevated => "elevated",
            Self::Agent => "agent",
            Self::Offer => "offer",
            Self::Cursor => "cursor",
        }
    }

    /// The ring of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ring| ring.as_str() == text)
    }
}

impl fmt::Display for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a key is used for at present. Rotation is `Accept`, then `Sign`, then out, so that no replica ever
/// meets a token whose key it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyState {
    /// Tokens that it signed are accepted.
    Accept,
    /// New tokens are signed with it; accepted too.
    Sign,
}

/// A key as it stands in the file. No `Debug`: it holds the secret.
#[derive(Clone)]
pub(super) struct RawKey {
    pub(super) ring: Ring,
    pub(super) kid: String,
    pub(super) secret: Vec<u8>,
    pub(super) state: KeyState,
}

/// One key, ready for use.
pub(super) struct Key {
    ring: Ring,
    kid: String,
    state: KeyState,
    fingerprint: String,
    decoding: DecodingKey,
    encoding: EncodingKey,
    /// HMAC-SHA256 keyed with the secret, before any message.
    mac: Hmac<Sha256>,
}

impl Key {
    pub(super) fn ring(&self) -> Ring {
        self.ring
    }
    pub(super) fn kid(&self) -> &str {
        &self.kid
    }
    pub(super) fn decoding(&self) -> &DecodingKey {
        &self.decoding
    }
    pub(super) fn encoding(&self) -> &EncodingKey {
        &self.encoding
    }
    pub(super) fn mac(&self) -> Hmac<Sha256> {
        self.mac.clone()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("ring", &self.ring)
            .field("kid", &self.kid)
            .field("state", &self.state)
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

/// What may be shown of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFingerprint {
    /// Its ring.
    pub ring: Ring,
    /// Its id.
    pub kid: String,
    /// Whether it signs.
    pub state: KeyState,
    /// The first 96 bits of a SHA-256 of the secret, 16 characters of base64url: enough to compare replicas by.
    pub fingerprint: String,
}

/// All keys of this server.
#[derive(Debug)]
pub struct KeyRings {
    keys: HashMap<String, Key>,
    /// The ids of the signing keys, in the order of [`Ring::ALL`].
    signing: [String; 5],
}

impl KeyRings {
    /// Checks keys and makes them ready for use.
    pub(super) fn from_raw(raw: &[RawKey]) -> Result<Self, KeyError> {
        check_secrets(raw)?;
        let mut keys = HashMap::with_capacity(raw.len());
        for key in raw {
            let unusable = |reason: String| KeyError::Format {
                path: key.kid.clone(),
                reason,
            };
            let mac = Hmac::<Sha256>::new_from_slice(&key.secret)
                .map_err(|error| unusable(error.to_string()))?;
            let ready = Key {
                ring: key.ring,
                kid: key.kid.clone(),
                state: key.state,
                fingerprint: fingerprint(&key.secret),
                decoding: DecodingKey::from_secret(&key.secret)
                    .map_err(|error| unusable(error.to_string()))?,
                encoding: EncodingKey::from_secret(&key.secret)
                    .map_err(|error| unusable(error.to_string()))?,
                mac,
            };
            if keys.insert(key.kid.clone(), ready).is_some() {
                return Err(KeyError::DuplicateKid {
                    kid: key.kid.clone(),
                });
            }
        }
        let signer = |ring| one_signer(raw, ring);
        let signing = [
            signer(Ring::Human)?,
            signer(Ring::Elevated)?,
            signer(Ring::Agent)?,
            signer(Ring::Offer)?,
            signer(Ring::Cursor)?,
        ];
        Ok(Self { keys, signing })
    }

    /// The key of that id; its ring comes with it.
    pub(super) fn by_kid(&self, kid: &str) -> Option<&Key> {
        self.keys.get(kid)
    }

    /// The key that signs for a ring. Always there in rings that were loaded; the option spares a panic.
    pub(super) fn signer(&self, ring: Ring) -> Option<&Key> {
        let [human, elevated, agent, offer, cursor] = &self.signing;
        let kid = match ring {
            Ring::Human => human,
            Ring::Elevated => elevated,
            Ring::Agent => agent,
            Ring::Offer => offer,
            Ring::Cursor => cursor,
        };
        self.keys.get(kid)
    }

    /// What may be shown of every key, by ring and id: for `vestry admin keys show`, and for the database row that a
    /// replica with other keys is refused by.
    #[must_use]
    pub fn fingerprints(&self) -> Vec<KeyFingerprint> {
        let mut shown: Vec<_> = self
            .keys
            .values()
            .map(|key| KeyFingerprint {
                ring: key.ring,
                kid: key.kid.clone(),
                state: key.state,
                fingerprint: key.fingerprint.clone(),
            })
            .collect();
        shown.sort_by(|a, b| (a.ring, &a.kid).cmp(&(b.ring, &b.kid)));
        shown
    }
}

fn one_signer(raw: &[RawKey], ring: Ring) -> Result<String, KeyError> {
    let signers: Vec<_> = raw
        .iter()
        .filter(|key| key.ring == ring && key.state == KeyState::Sign)
        .collect();
    match signers.as_slice() {
        [only] => Ok(only.kid.clone()),
        others => Err(KeyError::SignKeys {
            ring,
            count: others.len(),
        }),
    }
}

fn check_secrets(raw: &[RawKey]) -> Result<(), KeyError> {
    let mut seen: HashMap<&[u8], &str> = HashMap::new();
    for key in raw {
        let kid_is_valid = (1..=MAX_KID_LEN).contains(&key.kid.len())
            && key
                .kid
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        if !kid_is_valid {
            return Err(KeyError::Kid { ring: key.ring });
        }
        if key.secret.len() < MIN_KEY_BYTES {
            return Err(KeyError::Short {
                kid: key.kid.clone(),
                bytes: key.secret.len(),
            });
        }
        let distinct: std::collections::HashSet<u8> = key.secret.iter().copied().collect();
        if distinct.len() < MIN_DISTINCT_BYTES {
            return Err(KeyError::Weak {
                kid: key.kid.clone(),
            });
        }
        if let Some(first) = seen.insert(&key.secret, &key.kid) {
            return Err(KeyError::SameSecret {
                first: first.to_owned(),
                second: key.kid.clone(),
            });
        }
    }
    Ok(())
}

fn fingerprint(secret: &[u8]) -> String {
    let digest = Sha256::new()
        .chain_update(b"vestry key fingerprint\0")
        .chain_update(secret)
        .finalize();
    URL_SAFE_NO_PAD.encode(digest.get(..12).unwrap_or_default())
}
