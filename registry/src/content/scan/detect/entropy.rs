//! Tokens that look random.

use std::ops::Range;

use super::encoded::Block;
use super::{Detector, Found};
use crate::content::scan::document::Document;
use crate::content::scan::secret;

/// The lengths, in bytes, that keys have.
const LENGTHS: Range<usize> = 28..200;
/// The least entropy of one, in bits a byte. Of 32 random characters of base64 it is 4.5 and more; of hexadecimal digits,
/// which digests are made of, at most 4.
const LEAST: f64 = 4.3;

/// Finds tokens of upper-case and lower-case letters and digits in no order that words have.
pub(in crate::content::scan) fn find(
    document: &Document<'_>,
    blocks: &[Block],
    secrets: &[Range<usize>],
) -> Vec<Found> {
    let bytes = document.text().as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let length = bytes
            .iter()
            .skip(start)
            .take_while(|byte| is_part(**byte))
            .count();
        let place = start..start.saturating_add(length);
        if LENGTHS.contains(&length)
            && looks_random(bytes.get(place.clone()).unwrap_or_default())
            && !is_digest(bytes.get(..start).unwrap_or_default())
            && !overlaps(blocks, &place, |block| &block.place)
            && !overlaps(secrets, &place, |secret| secret)
        {
            found.push(Found::at(Detector::HighEntropy, place.clone()));
        }
        start = place.end.saturating_add(1);
    }
    found
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~')
}

/// Whether a place overlaps one of those of a list, which are in order.
fn overlaps<T>(list: &[T], place: &Range<usize>, of: impl Fn(&T) -> &Range<usize>) -> bool {
    let next = list.partition_point(|item| of(item).end <= place.start);
    list.get(next)
        .is_some_and(|item| of(item).start < place.end)
}

fn looks_random(token: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| token.iter().filter(|byte| is(byte)).count();
    let upper = count(u8::is_ascii_uppercase);
    let lower = count(u8::is_ascii_lowercase);
    let digits = count(u8::is_ascii_digit);
    let signs = token.len().saturating_sub(upper + lower + digits);
    // Paths and sentences in snake case have signs and long runs of lower-case letters.
    let longest = token
        .split(|byte| !byte.is_ascii_lowercase())
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0);
    upper >= 3
        && lower >= 3
        && digits >= 3
        && signs.saturating_mul(8) <= token.len()
        && longest <= 6
        && !secret::is_stand_in(token)
        && secret::entropy(token) >= LEAST
}

/// Whether what stands before says that a digest follows.
fn is_digest(before: &[u8]) -> bool {
    let from = before.len().saturating_sub(24);
    let near = before.get(from..).unwrap_or_default().to_ascii_lowercase();
    [
        b"sha1".as_slice(),
        b"sha256",
        b"sha384",
        b"sha512",
        b"integrity",
        b"base64,",
        b"ssh-rsa ",
        b"ssh-ed25519 ",
        b"checksum",
    ]
    .iter()
    .any(|word| near.windows(word.len()).any(|part| part == *word))
}
