//! Writing a SKILL.md from the JSON form of a skill, in one way: so that every reader of YAML reads the same.

use serde_json::{Map, Value};
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::is_nfc;
use vestry_policies::SkillName;

/// The keys of frontmatter that the specification defines beside name and description, in the order they are written.
const DEFINED_KEYS: [&str; 4] = ["license", "compatibility", "allowed-tools", "metadata"];

/// Writes the SKILL.md: frontmatter in block style, texts in double quotes, and the body as it is.
pub(in crate::content) fn write(
    name: &SkillName,
    description: &str,
    frontmatter: &Map<String, Value>,
    body: &str,
) -> String {
    let mut text = format!(
        "---\nname: {}\ndescription: ",
        plain_or_quoted(name.as_str())
    );
    push_scalar(&mut text, &Value::from(description));
    let defined = DEFINED_KEYS
        .iter()
        .filter_map(|key| frontmatter.get_key_value(*key));
    let others = frontmatter
        .iter()
        .filter(|(key, _)| !DEFINED_KEYS.contains(&key.as_str()));
    for (key, value) in defined.chain(others) {
        push_entry(&mut text, key, value, 0);
    }
    text.push_str("---\n");
    text.push_str(body);
    text
}

fn push_entry(text: &mut String, key: &str, value: &Value, indent: usize) {
    text.push_str(&" ".repeat(indent));
    text.push_str(&plain_or_quoted(key));
    text.push(':');
    push_value(text, value, indent);
}

/// Writes what follows `key:` or `-`, to the end of the line or of the block.
fn push_value(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            text.push('\n');
            for (key, value) in fields {
                push_entry(text, key, value, indent.saturating_add(2));
            }
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            for item in items {
                text.push_str(&" ".repeat(indent.saturating_add(2)));
                text.push('-');
                push_value(text, item, indent.saturating_add(2));
            }
        }
        scalar => {
            text.push(' ');
            push_scalar(text, scalar);
        }
    }
}

fn push_scalar(text: &mut String, value: &Value) {
    text.push_str(&escaped(value));
    text.push('\n');
}

/// A scalar, or an empty list or map, as JSON, which is YAML as well. `---` inside a text is written so that a reader which
/// looks for the end of the frontmatter by these three characters finds none. A mark that follows an escaped character
/// would make one with the letter of the escape (`\t` and U+0308): then marks are escaped too.
fn escaped(value: &Value) -> String {
    let json = value.to_string().replace("---", "-\\u002d-");
    if is_nfc(&json) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        let code = u32::from(character);
        if canonical_combining_class(character) == 0 {
            escaped.push(character);
        } else if code <= 0xffff {
            escaped.push_str(&format!("\\u{code:04x}"));
        } else {
            escaped.push_str(&format!("\\U{code:08x}"));
        }
    }
    escaped
}

/// Texts that are words in every reading of YAML are written as they are, others in quotes.
fn plain_or_quoted(key: &str) -> String {
    let is_word = key.starts_with(|c: char| c.is_ascii_lowercase())
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        && !key.contains("---")
        && !matches!(
            key.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
    if is_word {
        key.to_owned()
    } else {
        escaped(&Value::from(key))
    }
}
