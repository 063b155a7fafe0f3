//! What is refused before anything is parsed, and how deep the parser goes.

use super::diagnostics::Finding;

/// Bytes of a template.
pub const BYTES: usize = 64 * 1024;
/// Tags of a template, comments included.
pub const TAGS: usize = 1_000;
/// Blocks within each other; every `else if` is one more.
pub const DEPTH: usize = 48;
/// Parentheses within each other.
pub const PARENTHESES: usize = 6;
/// Links of an `else if` chain.
pub const CHAIN: usize = 32;
/// Steps of a path, `../` included.
pub const STEPS: usize = 12;
/// Arguments of a helper.
pub const ARGUMENTS: usize = 16;
/// Backslashes in a row.
pub const BACKSLASHES: usize = 64;

/// What the text itself says before it is parsed; empty when it may be parsed.
pub(super) fn before_parsing(source: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if source.len() > BYTES {
        findings.push(Finding::error(
            "too-long",
            0..0,
            format!(
                "A template is at most {BYTES} bytes long; this one has {}.",
                source.len()
            ),
        ));
        return findings;
    }
    let mut tags = 0;
    let mut open = false;
    let mut backslashes = 0;
    for (at, byte) in source.bytes().enumerate() {
        if byte == b'{' && open {
            tags += 1;
            open = false;
            if tags == TAGS + 1 {
                findings.push(Finding::error(
                    "too-many-tags",
                    at - 1..at + 1,
                    format!("A template has at most {TAGS} tags."),
                ));
            }
        } else {
            open = byte == b'{';
        }
        backslashes = if byte == b'\\' { backslashes + 1 } else { 0 };
        if backslashes == BACKSLASHES + 1 {
            findings.push(Finding::error(
                "too-many-backslashes",
                at..at + 1,
                format!("At most {BACKSLASHES} backslashes may follow each other."),
            ));
        }
    }
    for (at, character) in source.char_indices() {
        if character.is_control() && !matches!(character, '\n' | '\r' | '\t') {
            let span = at..at + character.len_utf8();
            findings.push(Finding::error(
                "control-character",
                span,
                format!("A template holds no control characters but tabs and line ends; this is U+{:04X}.", u32::from(character)),
            ));
            break;
        }
    }
    findings
}
