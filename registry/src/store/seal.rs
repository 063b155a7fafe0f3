//! The seal of a backup: the SHA-256 of every byte before it, at the end of the file.
//!
//! Digests inside the database speak of content and of the audit log. The seal speaks of everything, settings and password
//! hashes included: a backup that lay on a disk for years is the one that was written, or it is not. It protects from
//! damage, not from whoever can write the file: checkpoints that are kept elsewhere are for that.
//!
//! SQLite reads as many pages as its header counts, so that a sealed file is a database as it is. A page has 512 bytes at
//! least and a power of two of them, so that the length tells whether there is a seal.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};
use vestry_policies::Digest;

/// What a seal begins with; its number is that of the form.
const MARK: &str = "vestry-backup 1 ";
/// `sha256:`, the digest and a line break.
const DIGEST_LENGTH: usize = 7 + 64 + 1;
const LENGTH: u64 = (MARK.len() + DIGEST_LENGTH) as u64;
/// The smallest page that SQLite has.
const PAGE: u64 = 512;
/// The first bytes of every SQLite database (<https://sqlite.org/fileformat.html>).
const HEADER: &[u8] = b"SQLite format 3\0";
/// How much is read at once.
const STEP: usize = 1 << 20;

/// What a file says of itself by its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seal {
    /// It has a seal, and its bytes are those that were sealed.
    Whole,
    /// It is a database that nobody sealed.
    Missing,
    /// It has a seal of other bytes, or something at its end that is no seal: it was changed or cut off.
    Broken,
    /// It does not begin as a database does.
    NoDatabase,
}

/// A file after it was sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sealed {
    /// Its length, the seal included.
    pub(super) bytes: u64,
    /// The SHA-256 of all of it, the seal included.
    pub(super) digest: Digest,
}

/// Seals a file, and makes it durable. Takes time: all of it is read.
pub(super) fn seal(path: &Path) -> Result<Sealed> {
    let mut file = OpenOptions::new().read(true).append(true).open(path)?;
    let length = file.metadata()?.len();
    if length % PAGE != 0 {
        return Err(Error::new(ErrorKind::InvalidData, "it has no whole pages"));
    }
    let mut hash = Sha256::new();
    pass(&mut file, length, &mut hash, &mut std::io::sink())?;
    let text = text_of(&hash);
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    hash.update(text.as_bytes());
    Ok(Sealed {
        bytes: length.saturating_add(LENGTH),
        digest: Digest(hash.finalize().into()),
    })
}

/// Compares a file with its seal. Takes time: all of it is read.
pub(super) fn check(path: &Path) -> Result<Seal> {
    copy(&mut File::open(path)?, &mut std::io::sink())
}

/// Writes what was sealed, without the seal, to `to`; says whether it is whole. What is broken is not written to its end.
pub(super) fn copy(from: &mut File, to: &mut impl Write) -> Result<Seal> {
    let length = from.metadata()?.len();
    let mut header = [0; HEADER.len()];
    if length < PAGE || from.read_exact(&mut header).is_err() || header != *HEADER {
        return Ok(Seal::NoDatabase);
    }
    let sealed = match length % PAGE {
        0 => length,
        rest if rest == LENGTH => length - LENGTH,
        _ => return Ok(Seal::Broken),
    };
    let mut hash = Sha256::new();
    hash.update(header);
    to.write_all(&header)?;
    let rest = sealed.saturating_sub(HEADER.len() as u64);
    pass(from, rest, &mut hash, to)?;
    if sealed == length {
        return Ok(Seal::Missing);
    }
    let mut said = Vec::new();
    from.read_to_end(&mut said)?;
    Ok(if said == text_of(&hash).as_bytes() {
        Seal::Whole
    } else {
        Seal::Broken
    })
}

fn text_of(hash: &Sha256) -> String {
    let digest = Digest(hash.clone().finalize().into());
    format!("{MARK}{digest}\n")
}

/// Reads so many bytes, hashes them and hands them on.
fn pass(from: &mut File, length: u64, hash: &mut Sha256, to: &mut impl Write) -> Result<()> {
    let mut buffer = vec![0; STEP];
    let mut left = length;
    while left > 0 {
        let most = usize::try_from(left).map_or(STEP, |left| left.min(STEP));
        let read = from.read(buffer.get_mut(..most).unwrap_or_default())?;
        let Some(some) = buffer.get(..read).filter(|some| !some.is_empty()) else {
            return Err(Error::new(ErrorKind::UnexpectedEof, "it became shorter"));
        };
        hash.update(some);
        to.write_all(some)?;
        left = left.saturating_sub(some.len() as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> (tempfile::TempDir, std::path::PathBuf, Sealed) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        let mut bytes = HEADER.to_vec();
        bytes.resize(3 * 512, 7);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(check(&path).unwrap(), Seal::Missing);
        let sealed = seal(&path).unwrap();
        (directory, path, sealed)
    }

    #[test]
    fn no_byte_and_no_length_but_that_of_the_database_goes_unseen() {
        let (_directory, path, sealed) = sealed();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len() as u64, sealed.bytes);
        assert_eq!(crate::content::digest::of_bytes(&bytes), sealed.digest);
        assert_eq!(check(&path).unwrap(), Seal::Whole);
        let other = path.with_extension("other");
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            std::fs::write(&other, &changed).unwrap();
            let found = check(&other).unwrap();
            assert!(matches!(found, Seal::Broken | Seal::NoDatabase), "{at}");
        }
        for length in 0..bytes.len() {
            std::fs::write(&other, &bytes[..length]).unwrap();
            let found = check(&other).unwrap();
            match length % 512 {
                // Whether pages are missing, SQLite's header says.
                0 if length > 0 => assert_eq!(found, Seal::Missing),
                _ => assert!(matches!(found, Seal::Broken | Seal::NoDatabase), "{length}"),
            }
        }
    }

    #[test]
    fn what_is_copied_is_what_was_sealed() {
        let (_directory, path, _) = sealed();
        let mut copied = Vec::new();
        let found = copy(&mut File::open(&path).unwrap(), &mut copied).unwrap();
        assert_eq!(found, Seal::Whole);
        assert_eq!(copied, std::fs::read(&path).unwrap()[..3 * 512]);
    }
}
