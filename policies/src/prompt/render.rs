//! Putting the data of a run into a template.
//!
//! A placeholder is exactly `{{key}}`. Substitution is one pass from left to right over the template alone: what a value says is
//! text, also where it looks like a placeholder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The key whose value is the workflow's inline prompt where the context has none.
pub const SUBTASK: &str = "subtask";
/// The most bytes of a prompt.
pub const MAX_PROMPT: usize = 4 << 20;
/// The most keys of a context.
pub const MAX_CONTEXT: usize = 200;
/// The most bytes of a key.
const MAX_KEY: usize = 64;

/// Why a text is no key of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a key of the context is 1 to {MAX_KEY} of A-Z a-z 0-9 _ . - and begins with a letter or _, so that a template can name it"
)]
pub struct ContextKeyError;

/// A key of a context, which a template can name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextKey(String);

impl ContextKey {
    /// Parses a key.
    ///
    /// # Errors
    /// When no placeholder could name it.
    pub fn parse(text: &str) -> Result<Self, ContextKeyError> {
        if key_length(text) == text.len() && !text.is_empty() {
            Ok(Self(text.to_owned()))
        } else {
            Err(ContextKeyError)
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContextKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A prompt would be longer than it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the prompt would have more than {MAX_PROMPT} bytes; shorten the template or the context")]
pub struct TooLong;

/// A prompt, and what became of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The prompt.
    pub text: String,
    /// The placeholders that the context has no value for, in the order of their first place. They stand in the prompt as they
    /// are.
    pub unknown: Vec<String>,
    /// The keys that no placeholder used, and that are appended.
    pub appended: Vec<String>,
}

/// Whether a text has nothing but spaces, tabs and line breaks.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(is_space)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Replaces placeholders by the values of the context, and appends what no placeholder used.
///
/// `inline` is the workflow's inline prompt, which `{{subtask}}` stands for where the context has no such value. A blank value is
/// left out: its placeholder is replaced by nothing, and it is not appended.
///
/// # Errors
/// When the prompt would be too long.
pub fn render(
    template: &str,
    context: &[(ContextKey, String)],
    inline: Option<&str>,
) -> Result<Rendered, TooLong> {
    let mut values: BTreeMap<&str, &str> = BTreeMap::new();
    for (key, value) in context {
        // Of a key that is there twice the first counts.
        let value = if is_blank(value) { "" } else { value };
        values.entry(key.as_str()).or_insert(value);
    }
    let value_of = |key: &str| match values.get(key) {
        None | Some(&"") if key == SUBTASK && inline.is_some() => inline,
        known => known.copied(),
    };
    let mut text = String::with_capacity(template.len());
    let mut used = BTreeSet::new();
    let (mut unknown, mut is_known_as_unknown) = (Vec::new(), BTreeSet::new());
    let mut rest = template;
    while let Some((before, key, after)) = next_placeholder(rest) {
        push(&mut text, before)?;
        match value_of(key) {
            Some(value) => {
                used.insert(key);
                push(&mut text, value)?;
            }
            None => {
                for part in ["{{", key, "}}"] {
                    push(&mut text, part)?;
                }
                if is_known_as_unknown.insert(key) {
                    unknown.push(key.to_owned());
                }
            }
        }
        rest = after;
    }
    push(&mut text, rest)?;
    let mut appended = Vec::new();
    for (key, value) in context {
        if used.contains(key.as_str()) || is_blank(value) {
            continue;
        }
        if appended.is_empty() {
            text.truncate(end_of(&text));
            if !text.is_empty() {
                push(&mut text, "\n\n")?;
            }
            push(&mut text, "## Context")?;
        }
        appended.push(key.to_string());
        let value = value.get(..end_of(value)).unwrap_or_default();
        for part in ["\n\n### ", key.as_str(), "\n\n", value] {
            push(&mut text, part)?;
        }
    }
    if !appended.is_empty() {
        push(&mut text, "\n")?;
    }
    Ok(Rendered {
        text,
        unknown,
        appended,
    })
}

/// Where a text ends without the white space after it.
fn end_of(text: &str) -> usize {
    text.bytes()
        .rposition(|byte| !is_space(byte))
        .map_or(0, |at| at.saturating_add(1))
}

fn push(text: &mut String, part: &str) -> Result<(), TooLong> {
    if text.len().saturating_add(part.len()) > MAX_PROMPT {
        return Err(TooLong);
    }
    text.push_str(part);
    Ok(())
}

/// The first placeholder: what is before it, its key, and what comes after it.
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = text.get(from..)?.find("{{")?.checked_add(from)?;
        let inside = text.get(open.checked_add(2)?..)?;
        let (key, after) = inside.split_at_checked(key_length(inside))?;
        match after.strip_prefix("}}") {
            Some(after) if !key.is_empty() => return Some((text.get(..open)?, key, after)),
            // The next brace may begin one: `{{{key}}`.
            _ => from = open.checked_add(1)?,
        }
    }
}

/// How long the key is that a text begins with; 0 where it begins with none.
fn key_length(text: &str) -> usize {
    if !text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return 0;
    }
    let length = text
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
        .count();
    if length <= MAX_KEY { length } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Template, context, inline prompt, and the prompt.
    type Case = (
        &'static str,
        &'static [(&'static str, &'static str)],
        Option<&'static str>,
        &'static str,
    );

    fn rendered(template: &str, context: &[(&str, &str)], inline: Option<&str>) -> Rendered {
        let context: Vec<(ContextKey, String)> = context
            .iter()
            .map(|(key, value)| (ContextKey::parse(key).unwrap(), (*value).to_owned()))
            .collect();
        render(template, &context, inline).unwrap()
    }

    /// Issue 8, A.2, sentence by sentence.
    #[test]
    fn a_prompt_is_the_template_with_the_data_of_the_run() {
        let cases: &[Case] = &[
            ("Fix {{task}}.", &[("task", "it")], None, "Fix it."),
            ("{{a}}{{b}}{{a}}", &[("a", "1"), ("b", "2")], None, "121"),
            // A placeholder is exactly `{{key}}`.
            (
                "{{ a }} {a} {{a} {{a }} {{}} {{1}} {{a b}}",
                &[("a", "x")],
                None,
                "{{ a }} {a} {{a} {{a }} {{}} {{1}} {{a b}}\n\n## Context\n\n### a\n\nx\n",
            ),
            ("{{{a}}}", &[("a", "x")], None, "{x}"),
            ("{{{{a}}}}", &[("a", "x")], None, "{{x}}"),
            ("{{a{{a}}", &[("a", "x")], None, "{{ax"),
            ("{{a.b-c_d}}", &[("a.b-c_d", "x")], None, "x"),
            // One pass: a value that contains a placeholder is text.
            (
                "{{a}} {{feedback}}",
                &[("a", "{{feedback}}"), ("feedback", "f")],
                None,
                "{{feedback}} f",
            ),
            (
                "{{a}}b}}",
                &[("a", "{{"), ("b", "x")],
                None,
                "{{b}}\n\n## Context\n\n### b\n\nx\n",
            ),
            ("{{a}}", &[("a", "{{a}}")], None, "{{a}}"),
            // What no placeholder used is appended, in input order.
            (
                "Plan.\n",
                &[("z", "last"), ("a", "first\n")],
                None,
                "Plan.\n\n## Context\n\n### z\n\nlast\n\n### a\n\nfirst\n",
            ),
            ("", &[("a", "x")], None, "## Context\n\n### a\n\nx\n"),
            // Blank values are left out.
            ("[{{a}}]", &[("a", " \n\t"), ("b", "\r\n ")], None, "[]"),
            // `{{subtask}}` falls back to the inline prompt.
            ("Do {{subtask}}", &[], Some("this"), "Do this"),
            (
                "Do {{subtask}}",
                &[("subtask", "")],
                Some("this"),
                "Do this",
            ),
            (
                "Do {{subtask}}",
                &[("subtask", "that")],
                Some("this"),
                "Do that",
            ),
            ("Do it", &[], Some("this"), "Do it"),
        ];
        for (template, context, inline, expected) in cases {
            let rendered = rendered(template, context, *inline);
            assert_eq!(rendered.text, *expected, "{template:?}");
        }
    }

    #[test]
    fn unknown_placeholders_stay_and_are_reported_once() {
        let rendered = rendered("{{b}} {{a}} {{b}} {{c}} {{subtask}}", &[("c", "x")], None);
        assert_eq!(rendered.text, "{{b}} {{a}} {{b}} x {{subtask}}");
        assert_eq!(rendered.unknown, ["b", "a", "subtask"]);
        assert_eq!(rendered.appended, [""; 0]);
    }

    /// A template as large as templates may be, of nothing but unknown placeholders: with a look at all of them for each, this
    /// takes minutes.
    #[test]
    fn many_unknown_placeholders_are_told_in_their_order() {
        let template: String = (0..100_000)
            .map(|number| format!("{{{{k{number}}}}}"))
            .collect();
        let rendered = rendered(&template, &[], None);
        assert_eq!(rendered.text, template);
        assert_eq!(rendered.unknown.len(), 100_000);
        assert_eq!(rendered.unknown[99_999], "k99999");
    }

    #[test]
    fn a_prompt_is_bounded() {
        let context = [(ContextKey::parse("a").unwrap(), "x".repeat(1 << 20))];
        assert_eq!(render(&"{{a}}".repeat(5), &context, None), Err(TooLong));
        assert_eq!(
            render(&"{{a}}".repeat(4), &context, None)
                .unwrap()
                .text
                .len(),
            MAX_PROMPT
        );
        assert_eq!(
            render("{{a}}{{a}}{{a}}{{a}}b", &context, None),
            Err(TooLong)
        );
    }

    #[test]
    fn keys_are_those_that_a_placeholder_can_name() {
        let long = "k".repeat(MAX_KEY + 1);
        for text in ["", "1a", "a b", "a}", "-a", ".a", "é", "a\n", &long] {
            assert_eq!(ContextKey::parse(text), Err(ContextKeyError), "{text:?}");
        }
        for text in ["a", "_", "A-b.c_9"] {
            assert!(ContextKey::parse(text).is_ok());
        }
    }
}
