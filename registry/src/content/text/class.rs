//! The class of a code point: whether a reviewer sees it.

use unicode_properties::{GeneralCategory, UnicodeEmoji as _, UnicodeGeneralCategory as _};

/// Whether a character shows when a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::content) enum Class {
    /// It shows, or it is the white space that texts are laid out with.
    Shown,
    /// It shows in some places: a carriage return, a joiner, an emoji's presentation selector.
    Contextual,
    /// It does not show.
    Hidden,
}

/// The class of a character.
pub(in crate::content) fn class_of(character: char) -> Class {
    match character {
        '\t' | '\n' | ' '..='~' => Class::Shown,
        '\r' | '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => Class::Contextual,
        other if is_hidden(other) => Class::Hidden,
        _ => Class::Shown,
    }
}

/// By its general category (Unicode Standard, section 4.5), or because its glyph is blank although its category says
/// letter, mark or symbol.
fn is_hidden(character: char) -> bool {
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

/// Whether a character is an emoji by itself, as digits are not.
pub(super) fn is_emoji(character: char) -> bool {
    !character.is_ascii() && character.is_emoji_char()
}

/// Whether a character makes a keycap: `1`, a selector, U+20E3.
pub(super) fn is_keycap_base(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '#' | '*')
}
