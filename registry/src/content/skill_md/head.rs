//! The frontmatter at the head of any Markdown file, where it is optional and inert: what instruction files have.

use serde_json::{Map, Value};

use super::SkillMdError;
use super::fence;
use super::yaml::{self, Kind, Node};

/// The mark that some editors begin UTF-8 with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The most digits of what is read as a whole number: every reader of JSON has room for as many.
const MAX_DIGITS: usize = 15;

/// What the head of a file says.
#[derive(Debug)]
pub(crate) struct Head {
    /// The frontmatter; none when the file does not begin with a fence.
    pub(crate) frontmatter: Result<Option<Map<String, Value>>, SkillMdError>,
    /// Where the text below it begins, in bytes; all but a byte order mark where no frontmatter ends.
    pub(crate) body_offset: usize,
}

/// Reads the head of a file, which may be whole or cut anywhere.
pub(crate) fn head(bytes: &[u8], is_whole: bool) -> Head {
    let (mark, bytes) = match bytes.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (BYTE_ORDER_MARK.len(), rest),
        None => (0, bytes),
    };
    let (text, is_broken) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            // A character that is not whole at the end was cut with the file.
            let is_cut = !is_whole && error.error_len().is_none();
            (std::str::from_utf8(valid).unwrap_or_default(), !is_cut)
        }
    };
    if !fence::begins(text) {
        return Head {
            frontmatter: Ok(None),
            body_offset: mark,
        };
    }
    let refused = |line, detail: &str| Err(SkillMdError::at(line, detail));
    match fence::cut(text) {
        Ok(cut) => Head {
            frontmatter: object(cut.frontmatter).map(Some),
            body_offset: mark.saturating_add(cut.body_offset),
        },
        Err(error) => Head {
            frontmatter: match (is_broken, is_whole) {
                _ if error.line > 1 => Err(error),
                (true, _) => refused(
                    text.matches('\n').count().saturating_add(1),
                    "this is no UTF-8 text; save the file as UTF-8",
                ),
                (false, true) => Err(error),
                (false, false) => refused(
                    1,
                    "the frontmatter that begins here is not closed in the first 65536 bytes; move what is long below it",
                ),
            },
            body_offset: mark,
        },
    }
}

fn object(frontmatter: &str) -> Result<Map<String, Value>, SkillMdError> {
    let is_empty = frontmatter
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with('#'));
    if is_empty {
        return Ok(Map::new());
    }
    let entries = yaml::read(frontmatter)?;
    Ok(entries
        .iter()
        .map(|(key, node)| (key.clone(), value(node)))
        .collect())
}

/// A value as the clients in all languages read it: what is written without quotes is a boolean, null or a whole number where
/// it says exactly that, and the text that is written otherwise.
fn value(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar { text, plain: true } => plain(text),
        Kind::Scalar { text, plain: false } => Value::String(text.clone()),
        Kind::List { items, .. } => items.iter().map(value).collect(),
        Kind::Map { entries, .. } => entries
            .iter()
            .map(|(key, node)| (key.clone(), value(node)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

fn plain(text: &str) -> Value {
    let whole = || {
        let is_short = text.trim_start_matches('-').len() <= MAX_DIGITS;
        let number = text.parse::<i64>().ok().filter(|_| is_short)?;
        (number.to_string() == text).then_some(number)
    };
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => whole().map_or_else(|| Value::String(text.to_owned()), Value::from),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> (Value, usize) {
        let head = head(text.as_bytes(), true);
        let found = match head.frontmatter {
            Ok(found) => found.map_or(Value::Null, Value::Object),
            Err(error) => json!({"line": error.line}),
        };
        (found, head.body_offset)
    }

    #[test]
    fn frontmatter_is_read_where_there_is_one() {
        for (text, expected, offset) in [
            ("", json!(null), 0),
            ("# Title\n", json!(null), 0),
            ("-----\n# Title\n", json!(null), 0),
            ("--- text\n", json!(null), 0),
            ("---\n---\nx", json!({}), 8),
            ("---\n# only this\n\n---\n", json!({}), 21),
            ("---\na: b\n---\nx", json!({"a": "b"}), 13),
            (
                "\u{feff}---\r\na:\r\n  - b\r\n  - c\r\n---\r\nx",
                json!({"a": ["b", "c"]}),
                31,
            ),
            ("\u{feff}x", json!(null), 3),
            ("---\na: b\n", json!({"line": 1}), 0),
            ("---\na: b\n----\n", json!({"line": 3}), 0),
            ("---\na: b\na: c\n---\n", json!({"line": 3}), 18),
            ("---\n- b\n---\n", json!({"line": 2}), 12),
            (
                "---\na: 1\nb: 1.0\nc: true\nd: yes\ne: 007\nf: -0\ng: '1'\nh:\ni: 1234567890123456\n---\n",
                json!({
                    "a": 1, "b": "1.0", "c": true, "d": "yes", "e": "007", "f": "-0", "g": "1", "h": null,
                    "i": "1234567890123456",
                }),
                78,
            ),
        ] {
            assert_eq!(read(text), (expected, offset), "{text:?}");
        }
    }

    #[test]
    fn what_is_cut_or_no_text_is_an_error_only_above_the_closing_fence() {
        let cut = |bytes: &[u8], is_whole| {
            head(bytes, is_whole)
                .frontmatter
                .map_err(|error| error.line)
        };
        assert_eq!(
            cut(b"---\na: b\n---\n\xff", true).unwrap().unwrap().len(),
            1
        );
        assert_eq!(cut(b"---\na: \xff\n---\n", true), Err(2));
        assert_eq!(cut(b"---\na: \xc3", false), Err(1));
        assert_eq!(cut(b"---\na: \xc3", true), Err(2));
        assert_eq!(cut(b"\xff", true), Ok(None));
        let long = head(b"---\na: b", false).frontmatter.unwrap_err();
        assert!(long.detail.contains("65536"), "{long}");
    }
}
