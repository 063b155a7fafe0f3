//! One text that is looked at: the SKILL.md, a file, or what was encoded in one of them.

use std::borrow::Cow;
use std::ops::Range;

/// A text with its lines. Line ends are `\n`, whatever they were: findings do not depend on them.
#[derive(Debug)]
pub(super) struct Document<'a> {
    raw: Cow<'a, str>,
    /// Where each line begins.
    starts: Vec<usize>,
    /// How it was encoded, for what was decoded.
    origin: Option<&'static str>,
    /// Where parts begin that were decoded, and the lines that they stood on; empty for what has lines of its own.
    parts: Vec<(usize, usize)>,
}

impl<'a> Document<'a> {
    /// A text as it is in the skill.
    pub(super) fn new(text: &'a str) -> Self {
        let raw = if text.contains('\r') {
            Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(text)
        };
        Self::of(raw, None, Vec::new())
    }

    /// Texts that were decoded, each with the line that it stood on. They are looked at together: what is encoded in
    /// pieces reads as one.
    pub(super) fn decoded(
        texts: impl IntoIterator<Item = (String, usize)>,
        origin: &'static str,
    ) -> Document<'static> {
        let mut raw = String::new();
        let mut parts = Vec::new();
        for (text, line) in texts {
            parts.push((raw.len(), line));
            raw.push_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
            raw.push('\n');
        }
        Document::of(Cow::Owned(raw), Some(origin), parts)
    }

    /// A text in which escapes were resolved; its lines are those of the text with them.
    pub(super) fn resolved(text: String, origin: &'static str) -> Document<'static> {
        Document::of(Cow::Owned(text), Some(origin), Vec::new())
    }

    fn of(raw: Cow<'a, str>, origin: Option<&'static str>, parts: Vec<(usize, usize)>) -> Self {
        let starts = std::iter::once(0).chain(starts(&raw)).collect();
        Self {
            raw,
            starts,
            origin,
            parts,
        }
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.raw
    }

    /// How it was encoded; none where it is a text of the skill itself.
    pub(super) fn origin(&self) -> Option<&'static str> {
        self.origin
    }

    /// The line, from 1, of a place.
    pub(super) fn line(&self, at: usize) -> usize {
        let part = self.parts.partition_point(|(start, _)| *start <= at);
        match self.parts.get(part.saturating_sub(1)) {
            Some((_, line)) => *line,
            None => self.starts.partition_point(|start| *start <= at).max(1),
        }
    }

    /// A part of the text, without the break at its end, moved to where characters begin.
    pub(super) fn part(&self, range: Range<usize>) -> &str {
        let text = self.text();
        let start = text.floor_char_boundary(range.start.min(text.len()));
        let end = text
            .ceil_char_boundary(range.end.min(text.len()))
            .max(start);
        text.get(start..end).unwrap_or_default()
    }

    /// The range of the line, without its break, that a place is on.
    pub(super) fn line_range(&self, at: usize) -> Range<usize> {
        let index = self.starts.partition_point(|start| *start <= at).max(1);
        let start = self.starts.get(index.saturating_sub(1)).copied();
        let end = self
            .starts
            .get(index)
            .map_or(self.raw.len(), |next| next.saturating_sub(1));
        start.unwrap_or(0)..end
    }
}

/// Where lines begin, but for the first.
fn starts(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices('\n').map(|(at, _)| at.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_the_same_whatever_ends_them() {
        for text in ["a\nbc\n\nd", "a\r\nbc\r\n\r\nd", "a\rbc\r\rd"] {
            let document = Document::new(text);
            let at = document.text().find('d').unwrap();
            assert_eq!(document.line(at), 4, "{text:?}");
            assert_eq!(document.line(0), 1);
            assert_eq!(document.part(document.line_range(2)), "bc");
            assert_eq!(document.line_range(at), at..at + 1);
        }
    }

    #[test]
    fn parts_begin_and_end_with_characters() {
        let document = Document::new("aäb");
        assert_eq!(document.part(2..3), "ä");
        assert_eq!(document.part(5..9), "");
    }
}
