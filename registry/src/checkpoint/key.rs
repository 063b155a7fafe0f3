//! The key that signs checkpoints, its file, and the public half that verifies.
//!
//! The file and the public key are written as Go's `note` package writes them:
//! `PRIVATE+KEY+NAME+ID+BASE64(0x01 || seed)` and `NAME+ID+BASE64(0x01 || key)`.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

use super::CheckpointError;
use crate::entropy::Entropy;

/// The signature type of Ed25519 in notes.
const ED25519: u8 = 1;
const PRIVATE: &str = "PRIVATE+KEY+";
/// The most bytes of a key's file.
const MAX_FILE_BYTES: u64 = 4_096;

/// The key that signs. No `Debug` of the secret.
pub struct CheckpointKey {
    name: String,
    signing: SigningKey,
}

impl fmt::Debug for CheckpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckpointKey")
            .field("verifier", &self.verifier().to_string())
            .finish_non_exhaustive()
    }
}

/// The public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    verifying: VerifyingKey,
}

impl CheckpointKey {
    /// A new key of this name.
    ///
    /// # Errors
    /// When there are no random bytes.
    pub fn generate(name: &str, entropy: &dyn Entropy) -> Result<Self, CheckpointError> {
        Ok(Self {
            name: name.to_owned(),
            signing: SigningKey::from_bytes(&entropy.bytes::<32>()?),
        })
    }

    /// Reads the key's file, or makes it, mode 0600, with a name for the issuer. A key keeps the name that it was made with.
    ///
    /// # Errors
    /// A [`CheckpointError`] when the file cannot be read or made, others may read it, or it is no key.
    pub fn load_or_create(
        path: &Path,
        issuer: &str,
        entropy: &dyn Entropy,
    ) -> Result<Self, CheckpointError> {
        if !path
            .try_exists()
            .map_err(|error| failed(path, "read", &error))?
        {
            let key = Self::generate(&name_for(issuer), entropy)?;
            match key.create(path, entropy) {
                Ok(()) => return Ok(key),
                // Another process made it in between.
                Err(error) if !path.exists() => return Err(error),
                Err(_) => {}
            }
        }
        Self::load(path)
    }

    /// Reads the key's file.
    ///
    /// # Errors
    /// As [`CheckpointKey::load_or_create`].
    pub fn load(path: &Path) -> Result<Self, CheckpointError> {
        let file = File::open(path).map_err(|error| failed(path, "read", &error))?;
        check_mode(path, &file)?;
        let mut text = String::new();
        file.take(MAX_FILE_BYTES)
            .read_to_string(&mut text)
            .map_err(|error| failed(path, "read", &error))?;
        Self::parse(text.trim_end())
            .ok_or_else(|| CheckpointError::BadKeyFile(path.display().to_string()))
    }

    fn parse(text: &str) -> Option<Self> {
        let (name, id, seed) = fields(text.strip_prefix(PRIVATE)?)?;
        let key = Self {
            name,
            signing: SigningKey::from_bytes(&seed),
        };
        (key.verifier().id() == id).then_some(key)
    }

    /// Makes the file, complete and durable or not at all; one that exists is left alone.
    fn create(&self, path: &Path, entropy: &dyn Entropy) -> Result<(), CheckpointError> {
        let mut suffix = String::new();
        for byte in entropy.bytes::<6>()? {
            suffix.push_str(&format!("{byte:02x}"));
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{suffix}.new"));
        let draft = path.with_file_name(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let text = format!(
            "{PRIVATE}{}\n",
            written(&self.name, self.verifier().id(), &self.signing.to_bytes())
        );
        let made = options
            .open(&draft)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())
                    .and_then(|()| file.sync_all())
            })
            // A hard link, unlike a rename, fails when the name is taken.
            .and_then(|()| fs::hard_link(&draft, path));
        let removed = fs::remove_file(&draft);
        made.and(removed)
            .and_then(|()| super::place::sync_directory(path))
            .map_err(|error| failed(path, "created", &error))
    }

    /// The public half.
    #[must_use]
    pub fn verifier(&self) -> VerifierKey {
        VerifierKey {
            name: self.name.clone(),
            verifying: self.signing.verifying_key(),
        }
    }

    /// The name: the origin of the installation's checkpoints.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn signature_of(&self, text: &[u8]) -> [u8; 64] {
        self.signing.sign(text).to_bytes()
    }
}

impl VerifierKey {
    /// Reads `NAME+ID+KEY`.
    ///
    /// # Errors
    /// [`CheckpointError::BadVerifierKey`] for anything else.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let parsed = fields(text.trim()).and_then(|(name, id, key)| {
            let verifying = VerifyingKey::from_bytes(&key).ok()?;
            let key = Self { name, verifying };
            (key.id() == id && !key.verifying.is_weak()).then_some(key)
        });
        parsed.ok_or(CheckpointError::BadVerifierKey)
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first four bytes of SHA-256 over name, line feed, signature type and key.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        let hash = Sha256::new()
            .chain_update(self.name.as_bytes())
            .chain_update([b'\n', ED25519])
            .chain_update(self.verifying.as_bytes())
            .finalize();
        hash.first_chunk().copied().unwrap_or_default()
    }

    pub(super) fn holds(&self, text: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.verifying.verify_strict(text, &signature).is_ok())
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(&self.name, self.id(), self.verifying.as_bytes()))
    }
}

fn written(name: &str, id: [u8; 4], key: &[u8; 32]) -> String {
    let mut typed = vec![ED25519];
    typed.extend_from_slice(key);
    format!(
        "{name}+{:08x}+{}",
        u32::from_be_bytes(id),
        STANDARD.encode(typed)
    )
}

/// Name, id and 32 bytes. The base64 may have plus signs, the others may not.
fn fields(text: &str) -> Option<(String, [u8; 4], [u8; 32])> {
    let (name, rest) = text.split_once('+')?;
    let (id, key) = rest.split_once('+')?;
    let is_name = !name.is_empty() && !name.chars().any(|c| c.is_whitespace() || c.is_control());
    let is_id = id.len() == 8 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if !is_name || !is_id {
        return None;
    }
    let id = u32::from_str_radix(id, 16).ok()?.to_be_bytes();
    let key = STANDARD.decode(key).ok()?;
    let (kind, key) = key.split_first()?;
    (*kind == ED25519)
        .then(|| key.try_into().ok())
        .flatten()
        .map(|key| (name.to_owned(), id, key))
}

/// The name of an issuer's key: a URL without its scheme, as the specification recommends, and `/audit`.
fn name_for(issuer: &str) -> String {
    let bare = issuer
        .split_once("://")
        .map_or(issuer, |(_, rest)| rest)
        .trim_end_matches('/');
    let bare: String = bare
        .chars()
        .map(|c| {
            if c.is_whitespace() || c.is_control() || c == '+' {
                '-'
            } else {
                c
            }
        })
        .collect();
    let bare = if bare.is_empty() { "vestry" } else { &bare };
    format!("{bare}/audit")
}

fn failed(path: &Path, action: &'static str, error: &std::io::Error) -> CheckpointError {
    CheckpointError::File {
        path: path.display().to_string(),
        action,
        reason: error.to_string(),
    }
}

#[cfg(unix)]
fn check_mode(path: &Path, file: &File) -> Result<(), CheckpointError> {
    use std::os::unix::fs::PermissionsExt as _;
    // Asked of the open file, not of the path, so that nobody swaps it in between.
    let metadata = file
        .metadata()
        .map_err(|error| failed(path, "read", &error))?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(CheckpointError::Permissions {
        path: path.display().to_string(),
        mode,
    })
}

#[cfg(not(unix))]
fn check_mode(_: &Path, _: &File) -> Result<(), CheckpointError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SeededEntropy;

    #[test]
    fn a_public_key_is_read_as_it_is_written() {
        let key = CheckpointKey::generate("example.org/audit", &SeededEntropy::new(3)).unwrap();
        let text = key.verifier().to_string();
        assert_eq!(VerifierKey::parse(&text).unwrap(), key.verifier());
        for bad in [
            "",
            "a+b",
            &text.replace("example", "exa mple"),
            &text.replace("example", "other"),
            &text.replace("+A", "+B"),
            text.get(..text.len() - 4).unwrap(),
        ] {
            assert!(VerifierKey::parse(bad).is_err(), "{bad}");
        }
        // The example of the Go package: name, id and key belong together.
        let known = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        assert_eq!(VerifierKey::parse(known).unwrap().to_string(), known);
    }

    #[test]
    fn names_have_neither_spaces_nor_plus_signs() {
        for (issuer, name) in [
            ("vestry", "vestry/audit"),
            ("https://vestry.example.org/", "vestry.example.org/audit"),
            ("a+b", "a-b/audit"),
            ("https://", "vestry/audit"),
        ] {
            assert_eq!(name_for(issuer), name);
        }
    }
}
