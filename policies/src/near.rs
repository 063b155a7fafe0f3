//! Names that are taken for one another (threat 19).
//!
//! Names are ASCII, so there are no foreign look-alikes. What is left: digits that look like letters, letters that look
//! like others together (`rn`, `m`), hyphens in other places, a plural, and a slip of one key.

use std::fmt;

use crate::name::SkillName;

/// The fewest characters of names that are compared by slips: among shorter ones too many differ by one.
const LEAST_FOR_SLIP: usize = 5;

/// Why two names are near each other. Of several reasons the first of this order is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nearness {
    /// Equal without hyphens: `refunds`, `re-funds`.
    Hyphens,
    /// Equal to a quick look: `refunds`, `refund5`; `modem`, `rnodem`.
    LookAlike,
    /// Equal but for a plural: `refund`, `refunds`.
    Plural,
    /// One letter more, less, other, or two in another order: `refunds`, `refudns`.
    Slip,
}

impl fmt::Display for Nearness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hyphens => "they differ in hyphens only",
            Self::LookAlike => "they look alike",
            Self::Plural => "they differ in a plural only",
            Self::Slip => "they differ by one slip of a key",
        })
    }
}

/// Why two names are near each other; nothing when they are the same, or when they are not.
///
/// It is the same in both directions. Names that differ in the digits of a number only (`step-1`, `step-2`) are a series,
/// and not near: unless a digit looks like a letter that the other has.
#[must_use]
pub fn nearness(a: &SkillName, b: &SkillName) -> Option<Nearness> {
    let (a, b) = (a.as_str(), b.as_str());
    if a == b {
        return None;
    }
    let (bare_a, bare_b) = (bare(a), bare(b));
    if bare_a == bare_b {
        return Some(Nearness::Hyphens);
    }
    if is_series(a, b) {
        return None;
    }
    let (seen_a, seen_b) = (seen(&bare_a), seen(&bare_b));
    if seen_a == seen_b {
        return Some(Nearness::LookAlike);
    }
    if singular(a) == singular(b) {
        return Some(Nearness::Plural);
    }
    let long = bare_a.len().min(bare_b.len()) >= LEAST_FOR_SLIP;
    (long && differ_by_one(bare_a.as_bytes(), bare_b.as_bytes())).then_some(Nearness::Slip)
}

/// Those of `names` that `name` is near to, the most alike first, at most `most`.
#[must_use]
pub fn near<'a>(
    name: &SkillName,
    names: impl IntoIterator<Item = &'a SkillName>,
    most: usize,
) -> Vec<(SkillName, Nearness)> {
    let mut found: Vec<(SkillName, Nearness)> = names
        .into_iter()
        .filter_map(|other| nearness(name, other).map(|why| (other.clone(), why)))
        .collect();
    found.sort_unstable_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    found.dedup();
    found.truncate(most);
    found
}

/// Without hyphens.
fn bare(name: &str) -> String {
    name.chars().filter(|one| *one != '-').collect()
}

/// Whether both are equal once every run of digits is one and the same.
fn is_series(a: &str, b: &str) -> bool {
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let runs = |text: &str| {
        let mut shape: Vec<u8> = Vec::with_capacity(text.len());
        for byte in text.bytes() {
            let byte = if byte.is_ascii_digit() { b'0' } else { byte };
            if byte != b'0' || shape.last() != Some(&b'0') {
                shape.push(byte);
            }
        }
        shape
    };
    has_digit(a) && has_digit(b) && runs(a) == runs(b)
}

/// What a quick look makes of it: characters that look alike are one, and so are pairs that look like one.
fn seen(bare: &str) -> String {
    bare.replace("rn", "m")
        .replace("vv", "w")
        .replace("cl", "d")
        .chars()
        .map(|one| match one {
            '0' => 'o',
            '1' | 'i' => 'l',
            '2' => 'z',
            '3' => 'e',
            '4' => 'a',
            '5' => 's',
            '6' | '9' | 'q' => 'g',
            '7' => 't',
            '8' => 'b',
            other => other,
        })
        .collect()
}

/// Every word without the ending of a plural. `files` is of `file` and `boxes` of `box`: both lose the `e` as well.
fn singular(name: &str) -> Vec<String> {
    let stem = |word: &str| {
        if word.len() > 4
            && let Some(stem) = word.strip_suffix("ies")
        {
            return format!("{stem}y");
        }
        let is_plural = word.len() > 2 && !word.ends_with("ss");
        let one = word.strip_suffix('s').filter(|_| is_plural).unwrap_or(word);
        one.strip_suffix('e').unwrap_or(one).to_owned()
    };
    name.split('-').map(stem).collect()
}

/// Whether one insertion, deletion, substitution or swap of neighbours makes one of the other.
fn differ_by_one(a: &[u8], b: &[u8]) -> bool {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (Some(a), Some(b)) = (a.get(start..), b.get(start..)) else {
        return false;
    };
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let middle_a = a.get(..a.len() - end).unwrap_or_default();
    let middle_b = b.get(..b.len() - end).unwrap_or_default();
    match (middle_a, middle_b) {
        ([_], [] | [_]) | ([], [_]) => true,
        ([a, c], [d, b]) => a == b && c == d,
        _ => false,
    }
}
