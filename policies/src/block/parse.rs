//! Reading a block back.

use super::escape::{NOTE, unescape};
use super::{FOOTER, HEADER, push_line};
use crate::name::SkillName;

/// What a line of a block says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedEntry {
    /// The name.
    pub name: SkillName,
    /// The scope as it is written.
    pub scope: String,
    /// The description, without escapes.
    pub description: String,
    /// The scopes that it overrides, as they are written, narrow to wide.
    pub overrides: Vec<String>,
}

/// Why a text is not a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// It does not begin with the header or does not end with the footer.
    #[error("a block begins and ends with its `<skills>` lines")]
    Frame,
    /// A line is not one that rendering writes.
    #[error("line {0} of the entries is not one that rendering writes")]
    Line(usize),
}

/// Reads a block back to the entries that it was rendered from.
///
/// # Errors
/// [`BlockError`] for every text that [`render`](super::render) does not write.
pub fn parse(text: &str) -> Result<Vec<ParsedEntry>, BlockError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let lines = text
        .strip_prefix(HEADER)
        .and_then(|text| text.strip_suffix(FOOTER))
        .and_then(|text| text.strip_suffix('\n'))
        .ok_or(BlockError::Frame)?;
    lines
        .split('\n')
        .zip(1..)
        .map(|(line, number)| parse_line(line).ok_or(BlockError::Line(number)))
        .collect()
}

fn parse_line(line: &str) -> Option<ParsedEntry> {
    let (name, rest) = line.strip_prefix("- ")?.split_once(" [")?;
    let (scope, rest) = rest.split_once("] — ")?;
    // A description cannot hold the note unescaped, so the first one found is the line's own.
    let (description, overrides) = match rest.split_once(NOTE) {
        None => (rest, Vec::new()),
        Some((description, scopes)) => (
            description.strip_suffix(' ')?,
            scopes
                .strip_suffix(')')?
                .split(", ")
                .map(unescape)
                .collect::<Option<_>>()?,
        ),
    };
    let entry = ParsedEntry {
        name: SkillName::parse(name).ok()?,
        scope: unescape(scope)?,
        description: unescape(description)?,
        overrides,
    };
    is_written_as(&entry, line).then_some(entry)
}

/// One spelling per entry: whatever else would read as the same entry was not written by rendering.
fn is_written_as(entry: &ParsedEntry, line: &str) -> bool {
    let mut written = String::with_capacity(line.len() + 1);
    push_line(
        &mut written,
        &entry.name,
        &entry.scope,
        &entry.description,
        &entry.overrides,
    );
    written.strip_suffix('\n') == Some(line)
}
