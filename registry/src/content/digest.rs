//! Digests: SHA-256 over bytes, and over a revision's manifest.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use vestry_policies::Digest;

/// `sha256:` and the digest of `bytes` in hexadecimal.
#[must_use]
pub fn sha256_text(bytes: &[u8]) -> String {
    of_bytes(bytes).to_string()
}

/// The SHA-256 of `bytes`.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

/// A file of a revision, as its manifest names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestFile {
    /// The path below the skill.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 of the bytes.
    pub digest: Digest,
}

/// The digest of a revision: the SHA-256 of its manifest, which names the digest of the SKILL.md and path, size and
/// digest of each file, one a line, sorted by path.
#[must_use]
pub fn of_manifest<'a>(
    skill_md: Digest,
    files: impl IntoIterator<Item = &'a ManifestFile>,
) -> Digest {
    let mut sorted: Vec<&ManifestFile> = files.into_iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let mut manifest = format!("vestry-manifest 1\n{skill_md} SKILL.md\n");
    for file in sorted {
        // Writing to a String cannot fail.
        let _ = writeln!(manifest, "{} {} {}", file.digest, file.size, file.path);
    }
    of_bytes(manifest.as_bytes())
}
