//! Decoding, and what the decoded bytes are.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::content::scan::detect::files::utf16;

/// The bytes of hexadecimal digits.
pub(super) fn from_hex(signs: &[u8]) -> Vec<u8> {
    let value = |sign: u8| char::from(sign).to_digit(16).unwrap_or(0);
    signs
        .chunks_exact(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(value(*high) * 16 + value(*low)).unwrap_or_default(),
            _ => 0,
        })
        .collect()
}

/// The bytes of base64 of either alphabet, with or without padding.
pub(super) fn decode(signs: &[u8]) -> Vec<u8> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let whole = signs
        .len()
        .saturating_sub(usize::from(signs.len() % 4 == 1));
    let standard: Vec<u8> = signs
        .iter()
        .take(whole)
        .map(|sign| match sign {
            b'-' => b'+',
            b'_' => b'/',
            other => *other,
        })
        .collect();
    GeneralPurpose::new(&alphabet::STANDARD, config)
        .decode(standard)
        .unwrap_or_default()
}

/// The text that bytes are, if they are one.
pub(super) fn readable(bytes: &[u8]) -> Option<String> {
    if bytes.len() < 12 {
        return None;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // The last character may have been cut.
        Err(error) if error.valid_up_to().saturating_add(4) > bytes.len() => {
            String::from_utf8_lossy(bytes.get(..error.valid_up_to())?).into_owned()
        }
        Err(_) => return utf16(bytes).filter(|text| is_text(text)),
    };
    if text.contains('\0') {
        return utf16(bytes).filter(|text| is_text(text));
    }
    is_text(&text).then_some(text)
}

/// Whether nearly all of it is letters, digits, usual signs and spaces, with some of each of the first and last.
fn is_text(text: &str) -> bool {
    let count = text.chars().count();
    let usual = text
        .chars()
        .filter(|character| {
            matches!(character, '\n' | '\t' | ' '..='~') || character.is_alphanumeric()
        })
        .count();
    let letters = text
        .chars()
        .filter(|character| character.is_alphabetic())
        .count();
    usual.saturating_mul(20) >= count.saturating_mul(19)
        && letters.saturating_mul(2) >= count
        && text
            .chars()
            .all(|character| character.is_ascii() || character > '\u{bf}')
}

/// Images, sounds and fonts, by how they begin.
pub(super) fn is_media(bytes: &[u8]) -> bool {
    let kinds: [&[u8]; 14] = [
        b"\x89PNG",
        b"\xff\xd8\xff",
        b"GIF8",
        b"RIFF",
        b"wOFF",
        b"wOF2",
        b"\0\x01\0\0",
        b"OTTO",
        b"ID3",
        b"OggS",
        b"fLaC",
        b"<svg",
        b"\0\0\0 ftyp",
        b"BM",
    ];
    kinds.iter().any(|kind| bytes.starts_with(kind))
}

/// Whether what stands before says that a certificate or a public key follows.
pub(super) fn is_public(before: &[u8]) -> bool {
    let near = before
        .get(before.len().saturating_sub(48)..)
        .unwrap_or_default();
    [
        b"BEGIN CERTIFICATE".as_slice(),
        b"BEGIN PUBLIC KEY",
        b"BEGIN RSA PUBLIC KEY",
        b"BEGIN PGP PUBLIC KEY",
        b"BEGIN SSH SIGNATURE",
        b"BEGIN PGP SIGNATURE",
        b"ssh-rsa ",
    ]
    .iter()
    .any(|word| near.windows(word.len()).any(|part| part == *word))
}
