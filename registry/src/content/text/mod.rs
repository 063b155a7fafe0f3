//! Which characters content may have. Whatever a reviewer could not see is refused (design §9).
//!
//! Every code point has a [`Class`]; `code_points.txt` beside this file lists the class of all of them, and a test
//! compares it with the rule and with a second source of Unicode's properties.

mod class;
mod joiner;

#[cfg(test)]
mod tests;

use unicode_normalization::{IsNormalized, is_nfc, is_nfc_quick};

pub(super) use class::{Class, class_of};

/// Why a text is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A character that does not show, at this line and column (both from 1).
    #[error(
        "the character U+{code:04X} at line {line}, column {column} does not show when read; remove it"
    )]
    Invisible {
        /// The code point.
        code: u32,
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
    },
    /// A line break in a text of one line.
    #[error("it has a line break; write it on one line")]
    LineBreak,
    /// The text is not in Normalization Form C.
    #[error(
        "line {line} is not in Unicode Normalization Form C; normalise it (NFC) and send it again"
    )]
    NotNormalised {
        /// The first line that is not, from 1.
        line: usize,
    },
}

impl TextError {
    /// The line, from 1.
    pub(crate) fn line(&self) -> usize {
        match self {
            Self::Invisible { line, .. } | Self::NotNormalised { line } => *line,
            Self::LineBreak => 1,
        }
    }

    /// What is wrong and what to do, for a text whose line is said otherwise.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Invisible { code, column, .. } => {
                format!(
                    "the character U+{code:04X} at column {column} does not show when read; remove it"
                )
            }
            Self::LineBreak => self.to_string(),
            Self::NotNormalised { .. } => {
                "the text is not in Unicode Normalization Form C; normalise it (NFC)".to_owned()
            }
        }
    }
}

/// Checks a text of many lines.
///
/// # Errors
/// The first [`TextError`], with its place.
pub fn check_text(text: &str) -> Result<(), TextError> {
    // Most texts are plain ASCII, which is in NFC, and whose characters show but for a few.
    let is_plain = |byte: &u8| matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    if text.as_bytes().iter().all(is_plain) {
        return Ok(());
    }
    let mut line: usize = 1;
    let mut column: usize = 0;
    let mut before = None;
    for (at, character) in text.char_indices() {
        column = column.saturating_add(1);
        let shows = match class_of(character) {
            Class::Shown => true,
            Class::Hidden => false,
            Class::Contextual => {
                let after = text.get(at.saturating_add(character.len_utf8())..);
                shows_here(
                    character,
                    before,
                    text.get(..at).unwrap_or_default(),
                    after.unwrap_or_default(),
                )
            }
        };
        if !shows {
            return Err(TextError::Invisible {
                code: u32::from(character),
                line,
                column,
            });
        }
        if character == '\n' {
            line = line.saturating_add(1);
            column = 0;
        }
        before = Some(character);
    }
    check_normalised(text)
}

/// Checks a text of one line.
///
/// # Errors
/// The first [`TextError`].
pub fn check_line(text: &str) -> Result<(), TextError> {
    if text.contains([
        '\n', '\r', '\u{2028}', '\u{2029}', '\u{85}', '\u{b}', '\u{c}',
    ]) {
        return Err(TextError::LineBreak);
    }
    check_text(text)
}

/// Whether a character that shows in some places only shows in this one.
fn shows_here(character: char, previous: Option<char>, before: &str, after: &str) -> bool {
    let next = after.chars().next();
    match character {
        '\r' => next == Some('\n'),
        // A presentation selector shows after an emoji, or in a keycap: `1`, the selector, U+20E3.
        '\u{fe0e}' | '\u{fe0f}' => previous.is_some_and(|previous| {
            class::is_emoji(previous)
                || (class::is_keycap_base(previous) && next == Some('\u{20e3}'))
        }),
        '\u{200d}' => {
            // An emoji before the joiner may end in a selector; a skin tone is an emoji itself.
            let joins_emoji = previous
                .is_some_and(|previous| class::is_emoji(previous) || previous == '\u{fe0f}')
                && next.is_some_and(class::is_emoji);
            joins_emoji || joiner::follows_virama(previous)
        }
        '\u{200c}' => joiner::follows_virama(previous) || joiner::breaks_cursive(before, after),
        _ => false,
    }
}

/// Line breaks begin a new normalisation, so a text is normalised if its lines are.
fn check_normalised(text: &str) -> Result<(), TextError> {
    if is_nfc_quick(text.chars()) == IsNormalized::Yes || is_nfc(text) {
        return Ok(());
    }
    let first = text.split('\n').position(|line| !is_nfc(line));
    Err(TextError::NotNormalised {
        line: first.unwrap_or(0).saturating_add(1),
    })
}
