//! What is there and is not looked at: text behind white space, and characters that do not show.

use super::{Detector, Found};
use crate::content::scan::document::Document;
use crate::content::text::{Class, class_of};

/// So many columns of white space in a line push what follows out of a window.
const COLUMNS: usize = 200;
/// So many empty lines push what follows below the end.
const LINES: usize = 60;

/// Finds both.
pub(in crate::content::scan) fn find(document: &Document<'_>) -> Vec<Found> {
    let text = document.text();
    let mut found = Vec::new();
    let mut columns: usize = 0;
    let mut lines: usize = 0;
    let mut first_hidden = None;
    let mut hidden: usize = 0;
    for (at, character) in text.char_indices() {
        if character == '\n' {
            lines = lines.saturating_add(1);
            columns = 0;
        } else if character.is_whitespace() {
            columns = columns.saturating_add(1);
        } else {
            // The break that ends the line before is one of them.
            if columns >= COLUMNS || lines > LINES {
                let end = at.saturating_add(character.len_utf8());
                found.push(Found::at(Detector::PushedOutOfSight, at..end));
            }
            columns = 0;
            lines = 0;
        }
        let is_mark_at_start = at == 0 && character == '\u{feff}';
        if class_of(character) == Class::Hidden && !is_mark_at_start && character != '\0' {
            hidden = hidden.saturating_add(1);
            first_hidden.get_or_insert(at..at.saturating_add(character.len_utf8()));
        }
    }
    if let Some(place) = first_hidden {
        found.push(Found {
            detector: Detector::InvisibleCharacters,
            place,
            more: Some(format!("There are {hidden}.")),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detectors(text: &str) -> Vec<Detector> {
        find(&Document::new(text))
            .into_iter()
            .map(|found| found.detector)
            .collect()
    }

    #[test]
    fn text_behind_white_space_is_found() {
        assert_eq!(
            detectors(&format!("a{}b", " ".repeat(200))),
            [Detector::PushedOutOfSight]
        );
        assert_eq!(
            detectors(&format!("a{}b", "\n".repeat(61))),
            [Detector::PushedOutOfSight]
        );
        assert_eq!(
            detectors(&format!("a{}b\n{}", " ".repeat(199), "\n".repeat(99))),
            []
        );
        assert_eq!(detectors("a\u{200b}b"), [Detector::InvisibleCharacters]);
    }
}
