//! Text that nobody vouches for, made safe for a terminal.

use std::borrow::Cow;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// On one line: line breaks and tabs are escaped too.
pub(in crate::cli) fn line(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// On several lines: line breaks and tabs stay, and Windows line ends become plain ones.
pub(in crate::cli) fn text(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        let plain = text.replace("\r\n", "\n");
        return Cow::Owned(escape(&plain, is_layout).into_owned());
    }
    escape(text, is_layout)
}

fn is_layout(character: char) -> bool {
    matches!(character, '\n' | '\t')
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_kept = |character: char| keep(character) || !acts(character);
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' if !is_kept('\n') => safe.push_str("\\n"),
            '\t' if !is_kept('\t') => safe.push_str("\\t"),
            '\r' => safe.push_str("\\r"),
            _ if is_kept(character) => safe.push(character),
            _ => safe.extend(character.escape_unicode()),
        }
    }
    Cow::Owned(safe)
}

/// Whether a character does something, or may, other than to be seen. The joiners are part of emoji and of scripts.
fn acts(character: char) -> bool {
    !matches!(character, '\u{200c}' | '\u{200d}')
        && matches!(
            character.general_category(),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::PrivateUse
                | GeneralCategory::Unassigned
        )
}

#[cfg(test)]
mod tests {
    use super::{line, text};

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(line("plain – ünï 👩‍💻"), "plain – ünï 👩‍💻");
        assert_eq!(
            line("\u{1b}[2J\u{9b}1A\u{7}\r\n"),
            "\\u{1b}[2J\\u{9b}1A\\u{7}\\r\\n"
        );
        assert_eq!(line("a\u{202e}b\u{e0041}"), "a\\u{202e}b\\u{e0041}");
        assert_eq!(text("a\r\n\tb\rc\n"), "a\n\tb\\rc\n");
    }

    #[test]
    fn no_control_character_passes_anywhere() {
        for character in (0..=0x10_ffff).filter_map(char::from_u32) {
            let written = character.to_string();
            for safe in [line(&written), text(&written)] {
                let passes = safe
                    .chars()
                    .any(|c| c.is_control() && c != '\n' && c != '\t');
                assert!(!passes, "{character:?}");
            }
            assert!(!line(&written).chars().any(char::is_control));
        }
    }
}
