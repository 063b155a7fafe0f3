//! What resolution knows of a skill: its [`Summary`], never its body.

use std::fmt;
use std::sync::Arc;

use crate::name::SkillName;
use crate::scope::Scope;

/// The SHA-256 of a revision's manifest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Reads the form `sha256:<64 hexadecimal digits>`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("sha256:")?.as_bytes();
        if hex.len() != 64 {
            return None;
        }
        let mut bytes = [0_u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            let &[high, low] = pair else { return None };
            *byte = (nibble(high)? << 4) | nibble(low)?;
        }
        Some(Self(bytes))
    }
}

/// One lower-case hexadecimal digit; upper case is refused so that a digest has one spelling.
fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How a skill reaches a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Catalogued, and loaded on demand.
    Triggered,
    /// Rendered into every opening; stands outside catalog and cap.
    Ambient,
}

impl Mode {
    /// The word for it: `triggered` or `ambient`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Triggered => "triggered",
            Self::Ambient => "ambient",
        }
    }

    /// The mode that a word names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "triggered" => Some(Self::Triggered),
            "ambient" => Some(Self::Ambient),
            _ => None,
        }
    }
}

/// Whether a skill takes part in catalogs: its own state and that of its current revision together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Offered.
    Active,
    /// Left out of new catalogs; what was offered still loads.
    Disabled,
    /// Left out, and refused to outstanding offers, until it is released, rolled back or published anew.
    Quarantined,
    /// As quarantined, for good.
    Revoked,
    /// Deleted by its owner; what was offered still loads.
    Archived,
}

/// One skill at one scope, without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The name; unique at its scope within one source.
    pub name: SkillName,
    /// Where it lives.
    pub scope: Scope,
    /// When to use it. Never shortened.
    pub description: Arc<str>,
    /// The number of the current revision, from 1.
    pub revision: u32,
    /// The digest of the current revision.
    pub digest: Digest,
    /// Whether narrower scopes cannot override it; honoured at shared scopes only.
    pub sealed: bool,
    /// Whether its body is a template.
    pub templated: bool,
    /// How it reaches a model.
    pub mode: Mode,
    /// Whether it takes part at all.
    pub status: Status,
    /// The agent roles that it is attached to; empty means all.
    pub roles: Arc<[Arc<str>]>,
    /// The position of the source that it comes from; of two with one name at one scope the smaller wins.
    pub source: u16,
}
