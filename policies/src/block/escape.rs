//! Character references: how a field of the block is kept from being more than a field.

use std::fmt::{self, Write as _};

/// The words that begin the note at the end of a line about what an entry overrides.
pub(super) const NOTE: &str = "(overrides the one from ";

/// Appends `text` with every character escaped that could end its line, open or close a tag, or
/// pass for the note about what an entry overrides.
pub(super) fn push_escaped(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some((plain, from)) = rest
        .find(is_special)
        .and_then(|at| rest.split_at_checked(at))
    {
        out.push_str(plain);
        let mut after = from.chars();
        match after.next() {
            Some('&') => out.push_str("&amp;"),
            Some('<') => out.push_str("&lt;"),
            Some('>') => out.push_str("&gt;"),
            Some('(') if !begins_note(after.as_str()) => out.push('('),
            Some(c) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "&#{};", u32::from(c));
            }
            None => {}
        }
        rest = after.as_str();
    }
    out.push_str(rest);
}

/// Appends what a value displays, escaped, without a string of its own in between.
pub(super) fn push_displayed(out: &mut String, value: &impl fmt::Display) {
    // Writing to a string cannot fail.
    let _ = write!(Escaping(out), "{value}");
}

struct Escaping<'a>(&'a mut String);

impl fmt::Write for Escaping<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        push_escaped(self.0, text);
        Ok(())
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '&' | '<' | '>' | '(') || is_line_break(c)
}

/// Everything that some reader takes for the end of a line: Unicode's mandatory breaks, and the
/// three separators that Python's `splitlines` adds to them.
fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r'
            | '\u{b}'
            | '\u{c}'
            | '\u{1c}'
            | '\u{1d}'
            | '\u{1e}'
            | '\u{85}'
            | '\u{2028}'
            | '\u{2029}'
    )
}

/// Whether what follows a parenthesis makes it look like the note. Wider than the parser needs (any
/// case, any white space), because a model reads the text too.
fn begins_note(after: &str) -> bool {
    let mut letters = after.trim_start().chars();
    "overrides".chars().all(|expected| {
        letters
            .next()
            .is_some_and(|c| c.eq_ignore_ascii_case(&expected))
    })
}

/// Undoes [`push_escaped`]; nothing when there is a reference that is none.
///
/// It takes more than is ever written: the parser compares what it read with what would be written.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (reference, after) = after.split_once(';')?;
        out.push(character(reference)?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

fn character(reference: &str) -> Option<char> {
    match reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        _ => char::from_u32(reference.strip_prefix('#')?.parse().ok()?),
    }
}
