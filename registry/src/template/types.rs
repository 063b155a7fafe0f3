//! What the checker knows of the type of a value.

use std::sync::Arc;

use super::facts::May;
use super::places::PlaceId;
use super::schema::types::{Object, Type};

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape<'a> {
    /// A text, of at most so many characters.
    Str(usize),
    /// A word of an enum.
    Enum(&'a [Arc<str>]),
    /// A whole number.
    Int,
    /// True or false.
    Bool,
    /// Null and nothing else.
    Null,
    /// An object.
    Object(&'a Object),
    /// A list of at most so many.
    List(&'a Type, usize),
    /// A map of at most so many, with keys of at most so many characters.
    Map(&'a Type, usize, usize),
}

/// Bytes of the longest whole number.
const INT_BYTES: u64 = 17;
/// Bytes of the longest character.
pub(super) const CHAR_BYTES: u64 = 4;

impl<'a> Shape<'a> {
    pub(super) fn of(ty: &'a Type) -> Shape<'a> {
        match ty {
            Type::Str { max } => Shape::Str(*max),
            Type::Enum { values } => Shape::Enum(values),
            Type::Int { .. } => Shape::Int,
            Type::Bool => Shape::Bool,
            Type::Object(object) => Shape::Object(object),
            Type::List { of, max } => Shape::List(of, *max),
            Type::Map { of, max, key_max } => Shape::Map(of, *max, *key_max),
        }
    }

    /// What a value of it may be when nothing is known.
    pub(super) fn may(self, nullable: bool, ty: Option<&Type>) -> May {
        let (falsy, truthy) = match self {
            Shape::Object(_) | Shape::Map(..) => (false, true),
            Shape::Enum(words) => (
                words.iter().any(|word| word.is_empty()),
                words.iter().any(|word| !word.is_empty()),
            ),
            Shape::Str(max) | Shape::List(_, max) => (true, max > 0),
            Shape::Int => match ty {
                Some(Type::Int { min, max }) => (*min <= 0 && *max >= 0, *min != 0 || *max != 0),
                _ => (true, true),
            },
            Shape::Bool => (true, true),
            Shape::Null => (false, false),
        };
        let words = match self {
            Shape::Enum(words) if words.len() < 64 => (1 << words.len()) - 1,
            _ => u64::MAX,
        };
        May {
            null: nullable || matches!(self, Shape::Null),
            falsy,
            truthy,
            words,
        }
    }

    /// In a sentence.
    pub(super) fn word(self) -> &'static str {
        match self {
            Shape::Str(_) => "a text",
            Shape::Enum(_) => "one of a few words",
            Shape::Int => "a number",
            Shape::Bool => "true or false",
            Shape::Null => "null",
            Shape::Object(_) => "an object",
            Shape::List(..) => "a list",
            Shape::Map(..) => "a map",
        }
    }

    /// Whether it is written as it is.
    pub(super) fn is_leaf(self) -> bool {
        !matches!(self, Shape::Object(_) | Shape::List(..) | Shape::Map(..))
    }

    /// Whether it is a text.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Shape::Str(_) | Shape::Enum(_))
    }

    /// The most characters that it is written with.
    pub(super) fn characters(self) -> u64 {
        match self {
            Shape::Str(max) => max as u64,
            Shape::Enum(words) => words
                .iter()
                .map(|word| word.chars().count() as u64)
                .max()
                .unwrap_or_default(),
            Shape::Int => INT_BYTES,
            Shape::Bool => 5,
            _ => 0,
        }
    }

    /// The most bytes that it is written with.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Shape::Str(max) => (max as u64).saturating_mul(CHAR_BYTES),
            Shape::Enum(words) => words
                .iter()
                .map(|word| word.len() as u64)
                .max()
                .unwrap_or_default(),
            _ => self.characters(),
        }
    }
}

/// A value of a template.
#[derive(Debug, Clone)]
pub(super) struct Value<'a> {
    pub(super) shape: Shape<'a>,
    pub(super) may: May,
    /// The place of the context that it is read from.
    pub(super) place: Option<PlaceId>,
    /// The text, when it is a literal.
    pub(super) literal: Option<&'a str>,
    /// The number, when it is a literal.
    pub(super) number: Option<i64>,
}

impl<'a> Value<'a> {
    pub(super) fn of(shape: Shape<'a>) -> Value<'a> {
        Value {
            shape,
            may: shape.may(false, None),
            place: None,
            literal: None,
            number: None,
        }
    }
}
