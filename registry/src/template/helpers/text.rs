//! Helpers that make texts, and `len`.

use serde_json::Value as Json;

/// A leaf as it is written; null is nothing.
fn written(value: &Json) -> std::borrow::Cow<'_, str> {
    match value {
        Json::String(text) => text.into(),
        Json::Bool(truth) => truth.to_string().into(),
        Json::Number(number) => number.to_string().into(),
        Json::Null | Json::Array(_) | Json::Object(_) => "".into(),
    }
}

fn text<'a>(values: &[&'a Json]) -> std::borrow::Cow<'a, str> {
    values.first().map_or("".into(), |value| written(value))
}

fn number(values: &[&Json]) -> usize {
    values
        .get(1)
        .and_then(|value| value.as_u64())
        .and_then(|number| usize::try_from(number).ok())
        .unwrap_or_default()
}

pub(super) fn len(values: &[&Json]) -> Json {
    let count = match values.first() {
        Some(Json::String(text)) => text.chars().count(),
        Some(Json::Array(items)) => items.len(),
        Some(Json::Object(entries)) => entries.len(),
        _ => 0,
    };
    count.into()
}

pub(super) fn join(values: &[&Json]) -> Json {
    let between = values.get(1).map_or("".into(), |value| written(value));
    let Some(Json::Array(items)) = values.first() else {
        return Json::String(String::new());
    };
    items
        .iter()
        .map(written)
        .collect::<Vec<_>>()
        .join(&between)
        .into()
}

pub(super) fn upper(values: &[&Json]) -> Json {
    text(values).to_uppercase().into()
}

pub(super) fn lower(values: &[&Json]) -> Json {
    text(values).to_lowercase().into()
}

pub(super) fn truncate(values: &[&Json]) -> Json {
    let (text, most) = (text(values), number(values));
    if text.chars().count() <= most {
        return text.into_owned().into();
    }
    text.chars()
        .take(most.saturating_sub(1))
        .chain(std::iter::once('…'))
        .collect::<String>()
        .into()
}

/// What ends a line, or may look to a reader as if it did: what is quoted by its indentation must not get out through one.
const LINE_ENDS: [char; 10] = [
    '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}',
];

/// The checker lets no more through.
const MOST_INDENT: usize = 16;

pub(super) fn indent(values: &[&Json]) -> Json {
    let (text, by) = (text(values), " ".repeat(number(values).min(MOST_INDENT)));
    let mut out = String::with_capacity(text.len());
    let mut begins = true;
    for character in text.chars() {
        let ends = LINE_ENDS.contains(&character);
        if begins && !ends {
            out.push_str(&by);
        }
        out.push(character);
        begins = ends;
    }
    out.into()
}

pub(super) fn json(values: &[&Json]) -> Json {
    let mut out = String::new();
    if let Some(value) = values.first() {
        write(value, &mut out);
    }
    out.into()
}

/// Objects in the order of their names, whatever order the map of the JSON crate keeps. As deep as the context, which is bounded.
fn write(value: &Json, out: &mut String) {
    match value {
        Json::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Json::Object(entries) => {
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (number, (key, value)) in sorted.into_iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                push_in_one_line(&Json::String(key.clone()).to_string(), out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        leaf => push_in_one_line(&leaf.to_string(), out),
    }
}

/// JSON leaves some line breaks of Unicode as they are; what is quoted in one line is in one line for every reader.
fn push_in_one_line(json: &str, out: &mut String) {
    for character in json.chars() {
        match character {
            '\u{85}' => out.push_str("\\u0085"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
}
