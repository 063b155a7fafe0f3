//! How large a schema, and what it describes, may be.

/// The most bytes of a schema's text.
pub const MAX_TEXT_BYTES: usize = 256 << 10;
/// The most fields, those of a definition counted wherever it is used.
pub const MAX_FIELDS: usize = 500;
/// The most levels of objects, lists and maps, the context itself not counted.
pub const MAX_DEPTH: usize = 10;
/// The most definitions that refer to one another in a row.
pub(super) const MAX_REFERENCES: usize = 16;
/// The most characters of a text field.
pub(super) const MAX_CHARACTERS: i64 = 100_000;
/// The most items of a list and entries of a map.
pub(super) const MAX_ITEMS: i64 = 1_000;
/// The most characters of a map's keys.
pub(super) const MAX_KEY_CHARACTERS: i64 = 200;
/// The most words of an enum.
pub(super) const MAX_WORDS: usize = 100;
/// The most characters of a name, of a word of an enum and of a situation's name.
pub(super) const MAX_NAME_CHARACTERS: usize = 64;
/// The most characters of a description.
pub(super) const MAX_DESCRIPTION_CHARACTERS: usize = 1_000;
/// The most situations, each of which costs a run of the checker.
pub(super) const MAX_SITUATIONS: usize = 32;
/// The largest whole number that every reader of JSON keeps: 2⁵³ − 1.
pub(super) const MAX_INT: i64 = 9_007_199_254_740_991;
