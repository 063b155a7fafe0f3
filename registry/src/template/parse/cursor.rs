//! A place in a tag that is being read.

use crate::template::diagnostics::Finding;

/// Reads a source forwards; every move is to a character boundary.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    source: &'a str,
    pub(super) at: usize,
}

/// What a tag or a value may be refused with.
pub(super) type Read<T> = Result<T, Box<Finding>>;

/// White space within a tag: what the crate's grammar takes for it.
pub(super) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

/// A character of a name, as the crate's grammar has it.
pub(super) fn is_symbol(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '-' | '_' | '$' | ':')
        || !character.is_ascii()
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a str, at: usize) -> Cursor<'a> {
        Cursor { source, at }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    pub(super) fn since(&self, start: usize) -> &'a str {
        self.source.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn looks_at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.looks_at(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.since(start)
    }

    /// Whether there was any.
    pub(super) fn space(&mut self) -> bool {
        !self.take_while(is_space).is_empty()
    }

    /// The span of the next character, or of the end.
    pub(super) fn here(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.peek().map_or(0, char::len_utf8)
    }

    /// Whether a tag could end here.
    pub(super) fn at_close(&self) -> bool {
        matches!(self.peek(), None | Some('}' | '~'))
    }

    pub(super) fn refuse<T>(&self, code: &'static str, message: impl Into<String>) -> Read<T> {
        Err(Box::new(Finding::error(code, self.here(), message)))
    }
}
