//! Whom an offer is for, as one digest.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// The SHA-256 of (kind, tenant, actor, agent): what an offer is bound to (design §5, invariant 13).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bind([u8; 32]);

impl Bind {
    /// The characters of its written form.
    pub const LEN: usize = 43;

    /// Every part is preceded by whether it is there and by its length, so that no two lists of parts give the
    /// same bytes.
    pub(super) fn of(kind: &str, tenant: Option<&str>, actor: &str, agent: Option<&str>) -> Self {
        let mut hash = Sha256::new_with_prefix(b"vestry offer bind 1\0");
        for part in [Some(kind), tenant, Some(actor), agent] {
            let text = part.unwrap_or_default();
            hash.update([u8::from(part.is_some())]);
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        }
        Self(hash.finalize().into())
    }

    pub(super) fn equals_text(&self, text: &str) -> bool {
        self.to_string().as_bytes().ct_eq(text.as_bytes()).into()
    }

    /// The digest.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // On the stack: it is written on every turn.
        let mut text = [0_u8; Self::LEN];
        URL_SAFE_NO_PAD
            .encode_slice(self.0, &mut text)
            .map_err(|_| fmt::Error)?;
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bind({self})")
    }
}
