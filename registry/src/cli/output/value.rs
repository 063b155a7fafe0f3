//! Reading answers: what is missing is empty, because a newer or older server may leave it out; what a command cannot
//! do without is asked for with [`needs`] first.

use serde_json::Value;

use crate::cli::failure::Failure;
use crate::content::scan::Severity;

/// Holds an answer to what its command is there to say: each of these is there, and is no empty text.
///
/// # Errors
/// One sentence, when one is missing: then nothing is known to be done.
pub(in crate::cli) fn needs(answer: &Value, fields: &[&str]) -> Result<(), Failure> {
    for field in fields {
        match answer.get(field) {
            None | Some(Value::Null) => return Err(missing(field)),
            Some(Value::String(text)) if text.is_empty() => return Err(missing(field)),
            Some(_) => {}
        }
    }
    Ok(())
}

/// A text that has to be there, and may be empty.
///
/// # Errors
/// As [`needs`].
pub(in crate::cli) fn needed_text<'a>(answer: &'a Value, field: &str) -> Result<&'a str, Failure> {
    answer
        .get(field)
        .and_then(Value::as_str)
        .ok_or_else(|| missing(field))
}

fn missing(field: &str) -> Failure {
    Failure::new(format!(
        "this is not a Vestry server, or an older one: its answer has no {field}; check --server"
    ))
}

/// A text, or an empty one.
pub(in crate::cli) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The elements of a list, or none.
pub(in crate::cli) fn items<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value
        .get(field)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A number as it is printed, or an empty text.
pub(in crate::cli) fn number(value: &Value, field: &str) -> String {
    match value.get(field) {
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// Whether a flag is set.
pub(in crate::cli) fn flag(value: &Value, field: &str) -> bool {
    value
        .get(field)
        .and_then(Value::as_bool)
        .unwrap_or_default()
}

/// A time to the second, without the fraction that RFC 3339 has room for.
pub(in crate::cli) fn time(value: &Value, field: &str) -> String {
    let text = text(value, field);
    match text.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => text.to_owned(),
    }
}

/// A digest, short enough for a table.
pub(in crate::cli) fn short_digest(value: &Value, field: &str) -> String {
    let digest = text(value, field);
    let digest = digest.strip_prefix("sha256:").unwrap_or(digest);
    digest.chars().take(12).collect()
}

/// Texts of a list, separated by commas.
pub(in crate::cli) fn joined(value: &Value, field: &str) -> String {
    let texts: Vec<&str> = items(value, field)
        .iter()
        .filter_map(Value::as_str)
        .collect();
    texts.join(", ")
}

/// The findings of an answer, each on one line, of this severity and above, and how many more there are.
pub(in crate::cli) fn findings(answer: &Value, least: Severity) -> Vec<String> {
    let mut lines: Vec<String> = items(answer, "findings")
        .iter()
        // A severity of a newer server is rather shown than not.
        .filter(|finding| {
            Severity::parse(text(finding, "severity")).is_none_or(|severity| severity >= least)
        })
        .map(finding)
        .collect();
    let omitted = number(answer, "findings_omitted");
    if !omitted.is_empty() {
        lines.push(format!("and {omitted} more, which are no more severe"));
    }
    lines
}

/// A finding on one line: how severe, where, which rule, what is there, what it means.
pub(in crate::cli) fn finding(finding: &Value) -> String {
    let file = text(finding, "file");
    let place = if file.is_empty() { "SKILL.md" } else { file };
    format!(
        "{} {place}:{} {}: {} ({})",
        text(finding, "severity"),
        number(finding, "line"),
        text(finding, "rule"),
        text(finding, "message"),
        text(finding, "excerpt"),
    )
}

/// The warnings of an answer, each as a sentence with its line.
pub(in crate::cli) fn warnings(answer: &Value) -> Vec<String> {
    let sentence = |warning: &Value| match (warning.as_str(), number(warning, "line")) {
        (Some(text), _) => text.to_owned(),
        (None, line) if line.is_empty() => text(warning, "detail").to_owned(),
        (None, line) => format!("line {line}: {}", text(warning, "detail")),
    };
    items(answer, "warnings").iter().map(sentence).collect()
}
