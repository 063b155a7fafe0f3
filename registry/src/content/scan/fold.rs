//! What a character is compared as: without case, accents and the alphabet that it borrows its shape from.

use std::collections::HashMap;

use unicode_normalization::char::decompose_compatible;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};
use unicode_security::confusable_detection::skeleton;

use crate::content::text::{Class, class_of};

/// Folds characters; keeps what it has folded, because texts repeat their letters.
#[derive(Debug, Default)]
pub(super) struct Folder {
    known: HashMap<char, Folded>,
}

/// What a character is compared as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Folded {
    /// A part of a word.
    Letters(Box<str>),
    /// No part of a word, and not this or that letter either.
    Other,
    /// Nothing: it does not show.
    Nothing,
}

impl Folder {
    /// What a character beyond ASCII is compared as.
    pub(super) fn fold(&mut self, character: char) -> &Folded {
        self.known
            .entry(character)
            .or_insert_with(|| fold(character))
    }

    /// A text, folded letter by letter; for patterns, whose own signs are ASCII.
    pub(super) fn pattern(&mut self, pattern: &str) -> String {
        let mut folded = String::with_capacity(pattern.len());
        for character in pattern.chars() {
            if character.is_ascii() {
                folded.push(character);
            } else if let Folded::Letters(letters) = self.fold(character) {
                folded.push_str(letters);
            }
        }
        folded
    }
}

fn fold(character: char) -> Folded {
    if character.is_whitespace() {
        return Folded::Other;
    }
    if class_of(character) == Class::Hidden || matches!(character, '\u{200c}' | '\u{200d}') {
        return Folded::Nothing;
    }
    let mut letters = String::new();
    let mut is_word = false;
    decompose_compatible(character, |part| {
        is_word |= is_word_part(part);
        if !is_latin_mark(part) {
            letters.push_str(&look_alike(part));
        }
    });
    if letters.is_empty() {
        // A combining mark by itself.
        return Folded::Nothing;
    }
    if is_word || letters.chars().all(|part| part.is_ascii_alphanumeric()) {
        Folded::Letters(letters.into())
    } else {
        Folded::Other
    }
}

/// The ASCII letter or digit that a character looks like in either case; else the character in lower case.
fn look_alike(part: char) -> String {
    if part.is_ascii() {
        return part.to_ascii_lowercase().to_string();
    }
    let lower: String = part.to_lowercase().collect();
    let upper: String = part.to_uppercase().collect();
    for text in [&lower, &upper] {
        let shape: String = skeleton(text)
            .filter(|part| !is_latin_mark(*part))
            .collect();
        let is_plain = shape.chars().all(|part| part.is_ascii_alphanumeric());
        if is_plain && !shape.is_empty() && shape.len() <= 2 {
            return shape.to_ascii_lowercase();
        }
    }
    lower
}

/// Accents of Latin, Greek and Cyrillic letters.
fn is_latin_mark(part: char) -> bool {
    matches!(part, '\u{300}'..='\u{36f}')
}

fn is_word_part(part: char) -> bool {
    matches!(
        part.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark | GeneralCategoryGroup::Number
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        Folder::default().pattern(text)
    }

    #[test]
    fn look_alikes_are_the_letters_that_they_look_like() {
        // Cyrillic, Greek, full width, mathematical, circled, with accents.
        assert_eq!(folded("іgnоrе"), "ignore");
        assert_eq!(folded("ΙΟΡ"), "iop");
        assert_eq!(folded("ｉｇｎｏｒｅ"), "ignore");
        assert_eq!(folded("𝗶𝗴𝗻𝗼𝗿𝗲 𝒾𝓰𝓷"), "ignore ign");
        assert_eq!(folded("ⓘⓖⓝ"), "ign");
        assert_eq!(folded("ìgnörę ł đ ø"), "ignore l d o");
    }

    #[test]
    fn case_makes_no_difference_in_any_script() {
        for (upper, lower) in [
            ("ИГНОРИРУЙ ВСЕ", "игнорируй все"),
            ("ΑΓΝΌΗΣΕ", "αγνόησε"),
            ("ÄÖÜ", "äöü"),
        ] {
            assert_eq!(folded(upper), folded(lower));
        }
    }

    #[test]
    fn what_does_not_show_is_nothing() {
        assert_eq!(fold('\u{200b}'), Folded::Nothing);
        assert_eq!(fold('\u{ad}'), Folded::Nothing);
        assert_eq!(fold('\u{301}'), Folded::Nothing);
        assert_eq!(fold('\u{e0041}'), Folded::Nothing);
        assert_eq!(fold('—'), Folded::Other);
        assert_eq!(fold('\u{a0}'), Folded::Other);
    }
}
