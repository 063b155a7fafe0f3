//! What a context schema changes, and what fails under it, for people.

use serde_json::Value;

use crate::cli::failure::Failure;
use crate::cli::output::{Cell, Out, Table, safe, style, value};
use crate::client::Answer;

/// What a report has at least.
pub(super) const NEEDED: &[&str] = &["version", "digest", "checked", "changes", "failing"];

/// A report, and in its last line what has come of it.
pub(super) fn human(out: Out, report: &Value, end: &str) -> String {
    let mut text = lists(out, report);
    let failing = value::number(report, "failing_count");
    text.push_str(&safe::line(&format!(
        "version {}, {}: {} changes, {}; {} live templates checked, {failing} fail; {end}",
        value::number(report, "version"),
        value::text(report, "digest"),
        value::number(report, "changes_count"),
        if value::flag(report, "additive") {
            "none breaking"
        } else {
            "some breaking"
        },
        value::number(report, "checked"),
    )));
    text.push('\n');
    text
}

/// Prints what a refusal says beside its sentence: what would break, or every fault of the document.
///
/// # Errors
/// When it cannot be printed.
pub(super) fn refused(out: Out, answer: &Answer) -> Result<Failure, Failure> {
    let has_more = matches!(answer.text("code"), "schema-breaking" | "invalid-schema");
    if !has_more {
        return Ok(Failure::refused(answer, Some("global")));
    }
    if out.is_json() {
        out.json(&answer.body)?;
        return Ok(Failure::Said);
    }
    let mut text = lists(out, &answer.body);
    for fault in value::items(&answer.body, "faults") {
        let path = value::text(fault, "path");
        let place = if path.is_empty() {
            "the document"
        } else {
            path
        };
        text.push_str(&safe::line(&format!(
            "{place}: {}",
            value::text(fault, "detail")
        )));
        text.push('\n');
    }
    out.text(&text)?;
    Ok(Failure::new(if answer.text("code") == "schema-breaking" {
        "the context schema was not activated: correct it, or give --accept-breaking".to_owned()
    } else {
        "this is not a context schema that can be activated".to_owned()
    }))
}

/// The changes, the breaking ones marked, and the templates that fail.
fn lists(out: Out, report: &Value) -> String {
    let mut text = String::new();
    let changes = value::items(report, "changes");
    if !changes.is_empty() {
        let mut table = Table::new(&["BREAKS", "CHANGE", "PLACE", "WHAT"]);
        for change in changes {
            let breaks = if value::flag(change, "breaking") {
                Cell::styled("yes", style::WARN)
            } else {
                Cell::from("")
            };
            table.row(vec![
                breaks,
                value::text(change, "kind").into(),
                value::text(change, "path").into(),
                value::text(change, "sentence").into(),
            ]);
        }
        text.push_str(&table.render(out, ""));
        text.push('\n');
    }
    let failing = value::items(report, "failing");
    if !failing.is_empty() {
        let mut table = Table::new(&["TENANT", "FAILS", "REVISION", "LINE", "CODE", "WHY"]);
        for template in failing {
            let place = format!(
                "{}/{}",
                value::text(template, "scope"),
                value::text(template, "name")
            );
            table.row(vec![
                value::text(template, "tenant").into(),
                place.into(),
                value::number(template, "revision").into(),
                value::number(template, "line").into(),
                value::text(template, "code").into(),
                value::text(template, "sentence").into(),
            ]);
        }
        text.push_str(&table.render(out, ""));
        text.push('\n');
    }
    text
}
