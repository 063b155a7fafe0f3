//! The signed-note form of C2SP (<https://c2sp.org/signed-note>): a text, an empty line, and signatures of the text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::key::{CheckpointKey, VerifierKey};

/// The most bytes of a note: a checkpoint of some 100,000 chains.
pub const MAX_NOTE_BYTES: usize = 16 << 20;
/// The most signatures that are looked at; the specification asks for 16 at least.
const MAX_SIGNATURES: usize = 100;

/// What is wrong with a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// It does not have the form.
    #[error("it is no signed note; give a file as the server wrote it")]
    Malformed,
    /// Nobody whose key is known signed it.
    #[error("the given key did not sign it; give the key of the server that wrote it")]
    UnknownKey,
    /// The signature is not one of the text.
    #[error("its signature does not fit its text; it was changed since it was signed")]
    BadSignature,
    /// The text is no checkpoint.
    #[error("it is signed, but is no checkpoint of an audit log")]
    NoCheckpoint,
}

/// Signs a text, which ends in a line feed.
#[must_use]
pub(super) fn sign(text: &str, key: &CheckpointKey) -> String {
    let verifier = key.verifier();
    let mut signature = Vec::with_capacity(68);
    signature.extend_from_slice(&verifier.id());
    signature.extend_from_slice(&key.signature_of(text.as_bytes()));
    format!(
        "{text}\n\u{2014} {} {}\n",
        verifier.name(),
        STANDARD.encode(signature)
    )
}

/// The text of a note that a key signed.
///
/// # Errors
/// A [`NoteError`] for whatever is no note of this key.
pub(super) fn open<'a>(note: &'a [u8], key: &VerifierKey) -> Result<&'a str, NoteError> {
    let (text, lines) = parts(note)?;
    let mut found = None;
    for (number, line) in lines.lines().enumerate() {
        let (name, signature) = line
            .strip_prefix("\u{2014} ")
            .and_then(|rest| rest.split_once(' '))
            .ok_or(NoteError::Malformed)?;
        let signature = STANDARD
            .decode(signature)
            .map_err(|_| NoteError::Malformed)?;
        let (id, signature) = signature
            .split_first_chunk::<4>()
            .ok_or(NoteError::Malformed)?;
        let is_named = !name.is_empty() && !name.contains([' ', '+']);
        if !is_named || signature.is_empty() || number >= MAX_SIGNATURES {
            return Err(NoteError::Malformed);
        }
        // Signatures of others are ignored; that of a known key has to hold.
        if name == key.name() && *id == key.id() && found.is_none() {
            if !key.holds(text.as_bytes(), signature) {
                return Err(NoteError::BadSignature);
            }
            found = Some(text);
        }
    }
    found.ok_or(NoteError::UnknownKey)
}

/// The text, with its line feed, and the lines of the signatures.
fn parts(note: &[u8]) -> Result<(&str, &str), NoteError> {
    if note.len() > MAX_NOTE_BYTES {
        return Err(NoteError::Malformed);
    }
    let note = std::str::from_utf8(note).map_err(|_| NoteError::Malformed)?;
    let has_controls = note.bytes().any(|byte| byte < b' ' && byte != b'\n');
    if has_controls || !note.ends_with('\n') {
        return Err(NoteError::Malformed);
    }
    let at = note.rfind("\n\n").ok_or(NoteError::Malformed)?;
    let (text, rest) = note.split_at_checked(at + 1).ok_or(NoteError::Malformed)?;
    let lines = rest.strip_prefix('\n').ok_or(NoteError::Malformed)?;
    if lines.is_empty() {
        return Err(NoteError::Malformed);
    }
    Ok((text, lines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SeededEntropy;

    fn key(seed: u64) -> CheckpointKey {
        CheckpointKey::generate("example.org/audit", &SeededEntropy::new(seed)).unwrap()
    }

    #[test]
    fn what_is_signed_opens_with_its_key_only() {
        let key = key(1);
        let note = sign("a\n\nb\n", &key);
        assert_eq!(open(note.as_bytes(), &key.verifier()), Ok("a\n\nb\n"));
        assert_eq!(
            open(note.as_bytes(), &self::key(2).verifier()),
            Err(NoteError::UnknownKey)
        );
        let other = format!("{note}\u{2014} other AAAAAAAA\n");
        assert_eq!(open(other.as_bytes(), &key.verifier()), Ok("a\n\nb\n"));
    }

    #[test]
    fn every_changed_byte_is_seen() {
        let key = key(1);
        let note = sign("origin\n3\nhash\n", &key).into_bytes();
        for at in 0..note.len() {
            for change in [1_u8, 0x20, 0x80] {
                let mut changed = note.clone();
                changed[at] ^= change;
                assert!(open(&changed, &key.verifier()).is_err(), "byte {at}");
            }
            assert!(open(&note[..at], &key.verifier()).is_err(), "cut at {at}");
        }
    }

    /// The example of the specification, and what it says must not be taken.
    #[test]
    fn notes_of_others_have_the_same_form() {
        let note = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned \u{e8} subito sera.\n\n\
            \u{2014} quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";
        let key = key(1).verifier();
        assert_eq!(open(note.as_bytes(), &key), Err(NoteError::UnknownKey));
        for bad in [
            note.replace('\u{2014}', "-"),
            note.replace("NnugS", "Nnu gS"),
            note.replace("sole", "so\tle"),
            note.trim_end().to_owned(),
            "text\n\n".to_owned(),
            "\u{2014} a AAAAAAAA\n".to_owned(),
            note.replace("quasimodo", "quasi+modo"),
        ] {
            assert_eq!(
                open(bad.as_bytes(), &key),
                Err(NoteError::Malformed),
                "{bad}"
            );
        }
    }
}
