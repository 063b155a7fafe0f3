//! A loaded body, wrapped for a conversation.

use crate::item::ItemName;
use crate::name::SkillName;
use crate::scope::Scope;
use crate::skill::Digest;

/// Wraps a body as `<skill name="…" scope="…" digest="…">`, which the body cannot close.
///
/// A `<` is written as `&lt;` when what follows it, past any white space, slashes, control
/// characters and invisible characters (before the word and within it), is `skill` in any case: so neither a closing nor another
/// opening tag of the wrapper or of the block can stand in the body. Everything else stays as it
/// was written, for a body is code and prose that a model has to read exactly. The escape is for
/// the eyes of a model and is not meant to be undone: who needs the exact bytes has the body.
#[must_use]
pub fn wrap_skill(name: &SkillName, scope: &Scope, digest: &Digest, body: &str) -> String {
    wrap_item(&ItemName::from(name.clone()), scope, digest, body)
}

/// The same for what may be the instruction of a role, whose name is written `role:support`.
#[must_use]
pub fn wrap_item(name: &ItemName, scope: &Scope, digest: &Digest, body: &str) -> String {
    let mut out = format!("<skill name=\"{name}\" scope=\"{scope}\" digest=\"{digest}\">\n");
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        out.push_str(if names_the_tag(after) { "&lt;" } else { "<" });
        rest = after;
    }
    out.push_str(rest);
    out.push_str("\n</skill>");
    out
}

fn names_the_tag(after: &str) -> bool {
    // Skipping goes on within the word, as an invisible character there would not be seen either.
    let mut letters = after.chars().filter(|&c| !is_skipped(c));
    "skill".chars().all(|expected| {
        letters
            .next()
            .is_some_and(|c| c.eq_ignore_ascii_case(&expected))
    })
}

fn is_skipped(c: char) -> bool {
    c == '/' || c.is_whitespace() || c.is_control() || is_invisible(c)
}

/// The characters that take no room and that a reader of text would not see between two others.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}
