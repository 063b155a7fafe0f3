//! Comments, of which only those are taken that every engine ends at the same place.

use super::cursor::{Cursor, Read, is_space};
use crate::template::diagnostics::Finding;
use crate::template::span::Span;

fn refuse<T>(span: Span, message: &str) -> Read<T> {
    Err(Box::new(
        Finding::error("comment", span, message).suggest("write {{!-- … --}}"),
    ))
}

/// Reads the comment at the cursor, which is at `{{!`.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Read<Span> {
    let start = cursor.at;
    let rest = cursor.rest();
    let after = rest.strip_prefix("{{!").unwrap_or_default();
    let opening = start..start + 3;
    if let Some(text) = after.strip_prefix("--") {
        let Some(length) = text.find("--}}") else {
            return refuse(opening, "This comment is not closed by --}}.");
        };
        // Where handlebars.js ends it, which also takes the dashes of the opening, and a tilde.
        let plain = after.find("--}}");
        let tilde = after.find("--~}}");
        let theirs = [plain, tilde].into_iter().flatten().min();
        if theirs != Some(length + 2) {
            return refuse(
                opening,
                "This comment ends at different places for different engines.",
            );
        }
        cursor.at = start + "{{!--".len() + length + "--}}".len();
        return Ok(start..cursor.at);
    }
    let Some(length) = after.find("}}") else {
        return refuse(opening, "This comment is not closed by }}.");
    };
    let text = after.get(..length).unwrap_or_default();
    if text.trim_start_matches(is_space).starts_with("--") || text.ends_with('~') {
        return refuse(
            opening,
            "This comment ends at different places for different engines.",
        );
    }
    cursor.at = start + "{{!".len() + length + "}}".len();
    Ok(start..cursor.at)
}
