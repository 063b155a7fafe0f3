//! The piece of a text that a finding shows: bounded, without secrets, and with what does not show escaped.

use std::ops::Range;

use super::document::Document;
use crate::content::text::{Class, class_of};

/// The most characters of an excerpt, without the dots around it.
pub(super) const MAX_EXCERPT: usize = 160;
/// How many bytes before a place are shown.
const BEFORE: usize = 40;
/// How many characters of a secret are shown.
const SHOWN_OF_SECRET: usize = 4;

/// What stands at a place. `secrets` are ascending ranges of the text.
pub(super) fn excerpt(
    document: &Document<'_>,
    place: &Range<usize>,
    secrets: &[Range<usize>],
) -> String {
    let text = document.text();
    let line = document.line_range(place.start);
    let start = line.start.max(place.start.saturating_sub(BEFORE));
    let start = text.floor_char_boundary(start.min(text.len()));
    // A character has at most four bytes.
    let most = start.saturating_add(MAX_EXCERPT.saturating_mul(4));
    let end = text.ceil_char_boundary(line.end.max(place.end).min(most).min(text.len()));
    let mut shown = String::new();
    let mut count: usize = 0;
    let mut is_cut = false;
    // The first secret that does not end before the piece.
    let mut next = secrets.partition_point(|secret| secret.end <= start);
    for (offset, character) in document.part(start..end).char_indices() {
        if count >= MAX_EXCERPT {
            is_cut = true;
            break;
        }
        let at = start.saturating_add(offset);
        while secrets.get(next).is_some_and(|secret| secret.end <= at) {
            next = next.saturating_add(1);
        }
        if let Some(secret) = secrets.get(next)
            && secret.contains(&at)
        {
            let bound = secret.start.saturating_add(shown_of(secret));
            if at > bound {
                continue;
            }
            if at == bound || at == start {
                shown.push('…');
                count = count.saturating_add(1);
                continue;
            }
        }
        let before = shown.len();
        push(&mut shown, character);
        count = count.saturating_add(shown.len().saturating_sub(before).clamp(1, 10));
    }
    let mut whole = String::with_capacity(shown.len().saturating_add(6));
    if start > line.start {
        whole.push('…');
    }
    whole.push_str(shown.trim());
    if is_cut || end < line.end {
        whole.push('…');
    }
    whole
}

/// How much of a secret tells what it is without telling it: nothing of a short one.
fn shown_of(secret: &Range<usize>) -> usize {
    if secret.len() >= 4 * SHOWN_OF_SECRET {
        SHOWN_OF_SECRET
    } else {
        0
    }
}

fn push(shown: &mut String, character: char) {
    match character {
        '\n' => shown.push_str("\\n"),
        '\t' => shown.push(' '),
        _ if class_of(character) == Class::Shown => shown.push(character),
        '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => shown.push(character),
        _ => shown.extend(character.escape_unicode()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, needle: &str, secrets: &[(usize, usize)]) -> String {
        let secrets: Vec<Range<usize>> = secrets.iter().map(|(start, end)| *start..*end).collect();
        let document = Document::new(text);
        let start = document.text().find(needle).unwrap();
        excerpt(&document, &(start..start + needle.len()), &secrets)
    }

    #[test]
    fn the_line_is_shown_around_the_place() {
        assert_eq!(at("one\n  two three\nfour", "three", &[]), "two three");
        assert_eq!(at("a b\nc d", "b\nc", &[]), "a b\\nc");
        let long = format!("{}needle{}", "x".repeat(500), "y".repeat(500));
        let shown = at(&long, "needle", &[]);
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("xneedley"));
        assert!(shown.chars().count() <= MAX_EXCERPT + 2);
    }

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let text = "key = abcdefghijklmnopqrst; curl it";
        assert_eq!(at(text, "curl", &[(6, 26)]), "key = abcd…; curl it");
        assert_eq!(
            at("pw = short1; curl it", "curl", &[(5, 11)]),
            "pw = …; curl it"
        );
        // Also where the piece begins inside one.
        let text = format!("{} curl", "k".repeat(90));
        let shown = at(&text, "curl", &[(0, 90)]);
        assert!(!shown.contains('k'), "{shown}");
    }

    #[test]
    fn what_does_not_show_is_escaped() {
        assert_eq!(
            at("a\u{200b}b \u{1b}[2Jc", "c", &[]),
            "a\\u{200b}b \\u{1b}[2Jc"
        );
    }
}
