//! Diagnostics as text and as JSON.

use serde_json::json;

use super::world::check;

#[test]
fn the_line_is_shown_with_the_span_underlined() {
    let source = "# Notes\n\tähm {{#if task}}{{task.titel}}{{/if}}\n{{opening.kind}}";
    let found = check(source).unwrap_err();
    let text = found.text(source);
    assert!(text.contains("2 | \tähm {{#if task}}{{task.titel}}{{/if}}\n  | \t                       ^^^^^\n  = help: did you mean title?"), "{text}");
    assert!(text.contains("error[null-path]: `opening` is null here, so it has no `kind`. (in loaded)\n --> 3:11\n3 | {{opening.kind}}\n  |           ^^^^"), "{text}");
}

#[test]
fn as_json_they_say_where_and_when() {
    let found = check("{{opening.kind}}").unwrap_err();
    let wanted = json!([{
        "code": "null-path", "severity": "error", "line": 1, "column": 11, "span": {"start": 10, "end": 14}, "situations": ["loaded"],
        "message": "`opening` is null here, so it has no `kind`. (in loaded)",
        "suggestion": "guard it: put it within {{#if opening}} or {{#with opening}}; `and` guards nothing within itself"
    }]);
    assert_eq!(serde_json::to_value(&found).unwrap(), wanted);
}

#[test]
fn many_findings_are_counted_and_not_all_described() {
    let source = "{{nothing}} ".repeat(500);
    let found = check(&source).unwrap_err();
    assert_eq!(found.iter().count(), 100);
    assert!(found.iter().last().unwrap().message.contains("400 more"));
}
