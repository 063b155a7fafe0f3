//! Equality: which values can be equal, and what that says.

use super::{Checker, suggest};
use crate::template::diagnostics::Finding;
use crate::template::facts::{May, Outcome};
use crate::template::places::Places;
use crate::template::planted::Fault;
use crate::template::schema::types::Known;
use crate::template::span::Span;
use crate::template::tree::{Expr, ExprKind};
use crate::template::types::{Shape, Value};

/// What a situation says about a place.
pub(super) fn known(shape: Shape<'_>, known: &Known) -> May {
    match known {
        Known::Null => May::NULL,
        Known::NonNull => May::NON_NULL,
        Known::Eq(word) => is_word(shape, word),
    }
}

/// Being this text.
fn is_word(shape: Shape<'_>, word: &str) -> May {
    let words = match shape {
        Shape::Enum(words) if words.len() < 64 => words
            .iter()
            .position(|known| &**known == word)
            .map_or(0, |at| 1 << at),
        _ => u64::MAX,
    };
    May {
        null: false,
        falsy: word.is_empty(),
        truthy: !word.is_empty(),
        words,
    }
}

/// Not being this text.
fn is_not_word(shape: Shape<'_>, word: &str) -> May {
    match shape {
        Shape::Enum(words) if words.len() < 64 => {
            let bit = words
                .iter()
                .position(|known| &**known == word)
                .map_or(0, |at| 1 << at);
            May {
                words: !bit,
                ..May::ANYTHING
            }
        }
        _ if word.is_empty() => May {
            falsy: false,
            ..May::ANYTHING
        },
        _ => May::ANYTHING,
    }
}

/// What a value is when it equals a literal, and when it does not.
fn literal(shape: Shape<'_>, literal: &ExprKind) -> Option<(May, May)> {
    let falsy = May {
        null: false,
        falsy: true,
        truthy: false,
        words: u64::MAX,
    };
    Some(match literal {
        ExprKind::Null => (May::NULL, May::NON_NULL),
        ExprKind::Str(text) => (is_word(shape, text), is_not_word(shape, text)),
        ExprKind::Bool(true) => (May::TRUTHY, May::FALSY),
        ExprKind::Bool(false) | ExprKind::Int(0) => (
            falsy,
            May {
                falsy: false,
                ..May::ANYTHING
            },
        ),
        ExprKind::Int(_) => (May::TRUTHY, May::ANYTHING),
        ExprKind::Path(_) | ExprKind::Call(_) => return None,
    })
}

impl<'a> Checker<'a> {
    /// `(eq one other)`
    pub(super) fn equal(&mut self, one: &'a Expr, other: &'a Expr, span: &Span) -> Outcome {
        let (first, second) = (self.value(one), self.value(other));
        let (Some(first), Some(second)) = (first, second) else {
            return Outcome::unknown();
        };
        if !self.comparable(&first, &second, span) {
            return Outcome::unknown();
        }
        let (value, literal_side, other_value) = if first.place.is_some() || second.place.is_none()
        {
            (&first, other, &second)
        } else {
            (&second, one, &first)
        };
        let Some(place) = value.place.filter(|place| *place != Places::ROOT) else {
            return Outcome::unknown();
        };
        let Some((is, is_not)) = literal(value.shape, &literal_side.kind) else {
            // Equal to what is never null is never null.
            let mut outcome = Outcome::unknown();
            if !other_value.may.null {
                outcome.when_true = vec![(place, May::NON_NULL)];
            }
            return outcome;
        };
        let null = matches!(literal_side.kind, ExprKind::Null);
        let (is, is_not) = if null && self.planted(Fault::EqNullSwapped) {
            (is_not, is)
        } else {
            (is, is_not)
        };
        let is_not = if !null && self.planted(Fault::EqFalseIsNonNull) {
            is_not.and(May::NON_NULL)
        } else {
            is_not
        };
        let is = if !null && self.planted(Fault::EqTrueIsNothing) {
            May::ANYTHING
        } else {
            is
        };
        Outcome {
            can_be_true: !value.may.and(is).impossible(),
            can_be_false: !value.may.and(is_not).impossible(),
            when_true: vec![(place, is)],
            when_false: vec![(place, is_not)],
        }
    }

    /// Whether two values can be equal at all; says why not.
    fn comparable(&mut self, one: &Value<'a>, other: &Value<'a>, span: &Span) -> bool {
        use Shape::{Bool, Enum, Int, Null};
        let (a, b) = (one.shape, other.shape);
        let words = match (a, b) {
            (Enum(words), _) => other.literal.map(|word| (words, word)),
            (_, Enum(words)) => one.literal.map(|word| (words, word)),
            _ => None,
        };
        if let Some((words, word)) = words
            && !words.iter().any(|known| &**known == word)
            && !self.planted(Fault::WordsUnchecked)
        {
            self.report(suggest::word(span.clone(), word, words));
            return false;
        }
        let fits = match (a, b) {
            (Null, _) | (_, Null) | (Int, Int) | (Bool, Bool) => true,
            (a, b) => a.is_text() && b.is_text(),
        };
        if !fits {
            let message = if a.is_leaf() && b.is_leaf() {
                format!("{} never equals {}.", capital(a.word()), b.word())
            } else {
                "Objects, lists and maps are not compared.".to_owned()
            };
            self.report(
                Finding::error("never-equal", span.clone(), message).suggest(
                    "compare a text with a text, a number with a number, or either with null",
                ),
            );
        }
        fits
    }
}

fn capital(word: &str) -> String {
    let mut characters = word.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}
