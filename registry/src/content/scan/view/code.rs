//! The view for commands.

use super::View;
use crate::content::scan::fold::{Folded, Folder};

impl View {
    /// The view for commands: lower case, one space for white space, continued lines joined, and what shells leave out
    /// of words left out.
    pub(in crate::content::scan) fn code(text: &str, folder: &mut Folder) -> Self {
        let mut view = Self::with_capacity(text.len());
        let mut rest = text;
        let mut at: usize = 0;
        // Where in the view the line begins.
        let mut line = 0;
        while let Some(character) = rest.chars().next() {
            let (length, token) = code_token(rest, character, view.bytes.last().copied(), folder);
            match token {
                Token::Nothing => {}
                Token::Space => {
                    if !matches!(view.bytes.last(), None | Some(b' ' | b'\n')) {
                        view.push(" ", at);
                    }
                    if length > 1 {
                        // What follows may stand on another line.
                        view.mark(at.saturating_add(length));
                    }
                }
                Token::Break => {
                    let is_row = view.bytes.get(line) == Some(&b'|');
                    view.line_break(at.saturating_add(length), is_row);
                    if view.bytes.last() == Some(&b'\n') {
                        line = view.bytes.len();
                    }
                }
                Token::Byte(byte) => {
                    view.push(char::from(byte).encode_utf8(&mut [0; 4]), at);
                }
                Token::Letters(letters) => view.push(&letters, at),
            }
            at = at.saturating_add(length);
            rest = rest.get(length..).unwrap_or_default();
        }
        view
    }

    /// A break in the view for commands: none after the pipe of a command or another break, and no space before it.
    fn line_break(&mut self, next: usize, is_row: bool) {
        if self.bytes.last() == Some(&b' ') {
            self.bytes.pop();
        }
        match self.bytes.last() {
            None | Some(b'\n') => {}
            Some(b'|') if !is_row => self.bytes.push(b' '),
            Some(_) => self.bytes.push(b'\n'),
        }
        // What follows stands on another line.
        while self
            .marks
            .last()
            .is_some_and(|(place, _)| *place >= self.bytes.len())
        {
            self.marks.pop();
        }
        self.mark(next);
    }
}

/// What a place of a text is in the view for commands.
enum Token {
    Nothing,
    Space,
    Break,
    Byte(u8),
    Letters(String),
}

/// The length in bytes of what a text begins with, and what it is.
fn code_token(
    rest: &str,
    character: char,
    before: Option<u8>,
    folder: &mut Folder,
) -> (usize, Token) {
    let bytes = rest.as_bytes();
    let length = character.len_utf8();
    let next = bytes.get(1).copied();
    let in_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric());
    let is_before_word = next.is_some_and(|byte| byte.is_ascii_alphanumeric());
    match character {
        '\n' => {
            let skipped = bytes
                .iter()
                .take_while(|byte| matches!(byte, b'\n' | b' ' | b'\t' | b'>'))
                .count();
            // The bar of a pipe that goes on here joins the lines; that of a table does not.
            if bytes.get(skipped) == Some(&b'|')
                && bytes.get(skipped.saturating_add(1)) == Some(&b' ')
                && before != Some(b'|')
                && !is_table_row(rest.get(skipped..).unwrap_or_default())
            {
                return (skipped, Token::Space);
            }
            (skipped, Token::Break)
        }
        // Continued lines of shells, PowerShell and cmd.
        '\\' | '`' | '^' if next == Some(b'\n') => {
            let skipped = bytes
                .iter()
                .skip(1)
                .take_while(|byte| matches!(byte, b'\n' | b' ' | b'\t' | b'>'))
                .count();
            (skipped.saturating_add(1), Token::Space)
        }
        '\\' | '`' | '^' if in_word && is_before_word => (1, Token::Nothing),
        '\'' | '"' if next == bytes.first().copied() && bytes.get(2) != bytes.first() => {
            (2, Token::Nothing)
        }
        '\'' | '"' if in_word && is_before_word => (1, Token::Nothing),
        '$' => {
            for separator in ["${IFS}", "$IFS$9", "$IFS"] {
                if rest.starts_with(separator) {
                    return (separator.len(), Token::Space);
                }
            }
            if in_word && matches!(next, Some(b'@' | b'*')) {
                return (2, Token::Nothing);
            }
            (1, Token::Byte(b'$'))
        }
        _ if character.is_ascii_whitespace() => (1, Token::Space),
        _ if character.is_ascii() => {
            let byte = bytes.first().copied().unwrap_or(b' ');
            (1, Token::Byte(byte.to_ascii_lowercase()))
        }
        _ => match folder.fold(character) {
            Folded::Letters(letters) if letters.is_ascii() => {
                (length, Token::Letters(letters.to_string()))
            }
            Folded::Letters(_) => (length, Token::Byte(b'?')),
            Folded::Other if character.is_whitespace() => (length, Token::Space),
            Folded::Other => (length, Token::Byte(b'?')),
            Folded::Nothing => (length, Token::Nothing),
        },
    }
}

/// Whether a line that begins with a bar has another at its end.
fn is_table_row(rest: &str) -> bool {
    // Long lines are no tables of commands; so the look ahead is bounded.
    let line: &str = rest.get(..rest.floor_char_boundary(400)).unwrap_or(rest);
    line.split('\n')
        .next()
        .is_some_and(|line| line.len() > 1 && line.trim_end().ends_with('|'))
}
