//! Where a joiner changes what a reader sees: the contextual rules of RFC 5892, appendices A.1 and A.2.
//!
//! Persian, Urdu and the scripts of India are not written correctly without them. Elsewhere a joiner is nothing but a
//! place to hide bits in.

use unicode_joining_type::{JoiningType, get_joining_type};
use unicode_normalization::char::canonical_combining_class;

/// The canonical combining class of a virama (Unicode Character Database, `Canonical_Combining_Class`).
const VIRAMA: u8 = 9;

/// Whether the character before the joiner is a virama, whose form it chooses.
pub(super) fn follows_virama(previous: Option<char>) -> bool {
    previous.is_some_and(|character| canonical_combining_class(character) == VIRAMA)
}

/// Whether two letters would be joined if there were nothing between them. Marks between are looked through.
pub(super) fn breaks_cursive(before: &str, after: &str) -> bool {
    let is_base = |joining: &JoiningType| *joining != JoiningType::Transparent;
    let joins_on = before.chars().rev().map(get_joining_type).find(is_base);
    let joins_back = after.chars().map(get_joining_type).find(is_base);
    matches!(
        joins_on,
        Some(JoiningType::LeftJoining | JoiningType::DualJoining)
    ) && matches!(
        joins_back,
        Some(JoiningType::RightJoining | JoiningType::DualJoining)
    )
}
