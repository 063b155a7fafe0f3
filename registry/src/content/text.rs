//! Which characters content may have. Whatever a reviewer could not see is refused (design §9).

use unicode_normalization::is_nfc;
use unicode_properties::{GeneralCategory, UnicodeEmoji as _, UnicodeGeneralCategory as _};

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
    #[error("it is not in Unicode Normalization Form C; normalise it (NFC) and send it again")]
    NotNormalised,
}

/// Checks a text of many lines.
///
/// # Errors
/// The first [`TextError`], with its place.
pub fn check_text(text: &str) -> Result<(), TextError> {
    let mut line = 1;
    let mut column = 0;
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        column += 1;
        let after = characters.peek().copied();
        let shows = match character {
            '\n' => {
                line += 1;
                column = 0;
                true
            }
            '\t' => true,
            '\r' => after == Some('\n'),
            // A joiner shows between two emoji, a presentation selector after one, and both as nothing elsewhere.
            '\u{200d}' => before.is_some_and(ends_emoji) && after.is_some_and(is_emoji),
            '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|before| {
                is_emoji(before) || (is_keycap_base(before) && after == Some('\u{20e3}'))
            }),
            other => !is_invisible(other),
        };
        if !shows {
            return Err(TextError::Invisible {
                code: u32::from(character),
                line,
                column,
            });
        }
        before = Some(character);
    }
    if is_nfc(text) {
        Ok(())
    } else {
        Err(TextError::NotNormalised)
    }
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

/// Whether a character is an emoji by itself, as digits are not.
fn is_emoji(character: char) -> bool {
    !character.is_ascii() && character.is_emoji_char()
}

/// Whether a character can end the emoji before a joiner: the emoji, its presentation selector, or its skin tone, which is
/// an emoji itself.
fn ends_emoji(character: char) -> bool {
    is_emoji(character) || character == '\u{fe0f}'
}

/// Whether a character makes a keycap: `1`, a selector, U+20E3.
fn is_keycap_base(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '#' | '*')
}

/// Whether a character shows as nothing: by its general category (Unicode Standard, section 4.5), or because its glyph is
/// blank although its category says letter, mark or symbol.
fn is_invisible(character: char) -> bool {
    use GeneralCategory as Category;
    let has_no_glyph = matches!(
        character.general_category(),
        Category::Control
            | Category::Format
            | Category::Surrogate
            | Category::PrivateUse
            | Category::Unassigned
            | Category::LineSeparator
            | Category::ParagraphSeparator
    );
    has_no_glyph
        || matches!(u32::from(character),
            // Joiners, fillers and variation selectors.
            0x34f | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x3164 | 0xffa0
            | 0xfe00..=0xfe0f | 0xe0100..=0xe01ef
            // Blank symbols and marks.
            | 0x2800 | 0x2d7f | 0xfffc | 0x1107f | 0x16fe4 | 0x1d159)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_show_is_refused_with_its_place() {
        assert_eq!(check_text("plain\n\ttext \u{2014} caf\u{e9}\r\n"), Ok(()));
        assert_eq!(
            check_text("family \u{1f468}\u{200d}\u{1f469} \u{2764}\u{fe0f}"),
            Ok(())
        );
        for hidden in [
            '\u{0}',
            '\u{1b}',
            '\u{200b}',
            '\u{202e}',
            '\u{e0041}',
            '\u{e000}',
            '\u{3164}',
            '\u{feff}',
        ] {
            assert_eq!(
                check_text(&format!("ab\nc{hidden}")),
                Err(TextError::Invisible {
                    code: u32::from(hidden),
                    line: 2,
                    column: 2
                })
            );
        }
        for hidden in [
            "a\u{200d}b",
            "1\u{200d}0",
            "\u{304b}\u{200d}\u{304b}",
            "1\u{fe0f}",
            "1\u{fe0f}\u{fe0f}",
            "\u{2764}\u{fe0f}\u{fe0f}",
            "\u{378}",
            "\u{50000}",
            "\u{2800}",
            "\u{fffc}",
        ] {
            assert!(check_text(hidden).is_err(), "{}", hidden.escape_unicode());
        }
        for shown in [
            "1\u{fe0f}\u{20e3}",
            "\u{1f44d}\u{1f3fd}",
            "\u{1f9d1}\u{1f3fd}\u{200d}\u{1f4bb}",
            "\u{3b1}\u{5d0}\u{4e2d}",
        ] {
            assert_eq!(check_text(shown), Ok(()), "{}", shown.escape_unicode());
        }
        assert!(check_text("a\rb").is_err());
        assert_eq!(check_text("e\u{301}"), Err(TextError::NotNormalised));
        assert_eq!(check_line("a\nb"), Err(TextError::LineBreak));
    }
}
