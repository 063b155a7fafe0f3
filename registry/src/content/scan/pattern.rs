//! Patterns: made of the data's texts, and held to bounds that make scanning linear.

use std::collections::BTreeMap;

use regex::bytes::RegexBuilder;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use super::fold::Folder;
use super::matcher::Pattern;
use super::view::View;

/// The most bytes that a match of a pattern may have. A match is looked for once from each place that the last one
/// ended at, so with bounded matches the work is a constant times the text.
const MAX_MATCH: usize = 4_000;
/// The most bytes of a compiled pattern.
const SIZE_LIMIT: usize = 8 << 20;

/// What a pattern is compared with, which says how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The view of prose: a space is a space or nothing, letters are folded.
    Words,
    /// As it is written.
    Plain,
}

/// The named parts of patterns.
pub(super) type Words = BTreeMap<String, String>;

/// Compiles a pattern.
///
/// # Errors
/// What is wrong, as the rest of a sentence.
pub(super) fn compile(
    pattern: &str,
    words: &Words,
    reading: Reading,
    folder: &mut Folder,
) -> Result<Pattern, String> {
    let mut whole = expand(pattern, words)?;
    if reading == Reading::Words {
        whole = folder.pattern(&whole).replace(' ', " ?");
    }
    let hir = check(&whole).map_err(|reason| format!("{reason}, in `{pattern}`"))?;
    let regex = RegexBuilder::new(&whole)
        .unicode(false)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .build()
        .map_err(|error| format!("it cannot be compiled: {}", last_line(&error)))?;
    Ok(Pattern::new(regex, &hir))
}

/// What an error says at its end; before that it draws the pattern.
fn last_line(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().to_owned()
}

/// A phrase as a pattern: its words, with or without spaces between them.
///
/// # Errors
/// When it is too short to mean anything.
pub(super) fn of_phrase(phrase: &str, folder: &mut Folder) -> Result<String, String> {
    let view = View::prose(phrase, folder);
    if view.bytes().len() < 8 {
        return Err(format!(
            "the phrase `{phrase}` is too short; write more of it"
        ));
    }
    Ok(regex_syntax::escape(&String::from_utf8_lossy(view.bytes())))
}

/// Puts the named parts in.
fn expand(pattern: &str, words: &Words) -> Result<String, String> {
    let mut whole = pattern.to_owned();
    // Words may be made of words; three deep is enough for anybody.
    for _ in 0..4 {
        let Some(found) = next_word(&whole) else {
            return Ok(whole);
        };
        let name = found.to_owned();
        let Some(value) = words.get(&name) else {
            return Err(format!("there is no word `{name}`, in `{pattern}`"));
        };
        whole = whole.replace(&format!("<{name}>"), value);
        for (name, value) in words {
            let written = format!("<{name}>");
            if whole.contains(&written) {
                whole = whole.replace(&written, value);
            }
        }
    }
    match next_word(&whole) {
        None => Ok(whole),
        Some(name) => Err(format!(
            "the word `{name}` is made of itself, in `{pattern}`"
        )),
    }
}

/// The first `<name>` in a pattern that is no group's name.
fn next_word(pattern: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(at) = pattern.get(from..)?.find('<') {
        let start = from.saturating_add(at).saturating_add(1);
        let rest = pattern.get(start..)?;
        let is_group = pattern.get(..start)?.ends_with("(?P<");
        if !is_group
            && let Some((name, _)) = rest.split_once('>')
            && name.starts_with(|first: char| first.is_ascii_lowercase())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        {
            return Some(name);
        }
        from = start;
    }
    None
}

/// Holds a pattern to its bounds.
fn check(pattern: &str) -> Result<Hir, String> {
    let hir = ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .nest_limit(60)
        .build()
        .parse(pattern)
        .map_err(|error| format!("it is no pattern: {}", last_line(&error)))?;
    match hir.properties().maximum_len() {
        Some(most) if most > MAX_MATCH => {
            return Err(format!(
                "it may match {most} bytes, and {MAX_MATCH} are the most; write smaller bounds"
            ));
        }
        None => {
            return Err(
                "it may match without an end; write `{0,40}` instead of `*` and `{1,40}` instead of `+`"
                    .to_owned(),
            );
        }
        Some(_) => {}
    }
    if hir.properties().explicit_captures_len() > usize::from(pattern.contains("(?P<secret>")) {
        return Err("it has a group that is none; write `(?:…)` instead of `(…)`".to_owned());
    }
    if hir.properties().minimum_len().is_none_or(|least| least < 2) {
        return Err("it may match less than two bytes; write more".to_owned());
    }
    Ok(hir)
}
