//! Places in a source text.

use std::ops::Range;

/// Bytes of the source, at character boundaries.
pub type Span = Range<usize>;

/// The text under a span; empty where the span is not within the source.
#[must_use]
pub fn text<'a>(source: &'a str, span: &Span) -> &'a str {
    source.get(span.clone()).unwrap_or_default()
}

/// A line and a column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

/// Where the lines of a source begin.
#[derive(Debug)]
pub struct Lines<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Finds the lines.
    #[must_use]
    pub fn of(source: &'a str) -> Lines<'a> {
        let starts = std::iter::once(0)
            .chain(
                source
                    .bytes()
                    .enumerate()
                    .filter(|(_, byte)| *byte == b'\n')
                    .map(|(at, _)| at + 1),
            )
            .collect();
        Lines { source, starts }
    }

    fn start_of(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        (line, self.starts.get(line - 1).copied().unwrap_or_default())
    }

    /// The line and column of a byte.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let (line, start) = self.start_of(offset);
        let column = self
            .source
            .get(start..offset)
            .map_or(0, |before| before.chars().count())
            + 1;
        Position { line, column }
    }

    /// The line that a byte is in, without its end, and the byte at which it begins.
    #[must_use]
    pub fn line(&self, offset: usize) -> (&'a str, usize) {
        let (_, start) = self.start_of(offset);
        let rest = self.source.get(start..).unwrap_or_default();
        (rest.lines().next().unwrap_or_default(), start)
    }
}
