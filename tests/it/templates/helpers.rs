//! Each helper's example writes what the table says, and each is total.

use serde_json::{Value as Json, json};
use vestry::template::{Compiled, helpers, parse};

use super::exhaustive::BOUNDS;

fn run(source: &str, context: &Json) -> String {
    let tree = parse::tree(source).unwrap();
    Compiled::unchecked(source, &tree)
        .unwrap()
        .render_value(context, BOUNDS)
        .unwrap()
        .text
}

#[test]
fn examples_write_what_the_table_says() {
    for helper in helpers::table() {
        let context = serde_json::from_str(helper.context).unwrap();
        assert_eq!(
            run(helper.example, &context),
            helper.result,
            "{}",
            helper.name
        );
        assert!(
            helpers::is_helper(helper.name)
                && helper.signature.starts_with(&format!("({} ", helper.name)),
            "{}",
            helper.name
        );
    }
}

#[test]
fn helpers_are_total() {
    let context = json!({"null": null, "zero": 0, "text": "a\nß😀", "empty": "", "yes": true, "list": [1, "x", null], "map": {"a": {"b": []}}, "big": 9_007_199_254_740_991_i64});
    let names = [
        "null", "zero", "text", "empty", "yes", "list", "map", "big", "\"x\"", "3",
    ];
    for helper in helpers::table() {
        for one in names {
            run(&format!("{{{{{} {one}}}}}", helper.name), &context);
            for other in names {
                run(&format!("{{{{{} {one} {other}}}}}", helper.name), &context);
            }
        }
    }
}

#[test]
fn every_line_is_indented_however_it_ends() {
    for (text, wanted) in [
        ("one\ntwo", "  one\n  two"),
        ("one\r\n\r\ntwo\n", "  one\r\n\r\n  two\n"),
        ("one\r# two", "  one\r  # two"),
        (
            "a\u{2028}b\u{2029}c\u{85}d",
            "  a\u{2028}  b\u{2029}  c\u{85}  d",
        ),
        ("a\u{b}b\u{c}c", "  a\u{b}  b\u{c}  c"),
        ("\n\n", "\n\n"),
        ("", ""),
    ] {
        assert_eq!(run("{{indent d 2}}", &json!({"d": text})), wanted);
    }
}

#[test]
fn what_is_quoted_as_json_is_one_line_for_every_reader() {
    let text = "a\nb\rc\u{b}\u{c}\u{85}\u{2028}\u{2029}d";
    let written = run("{{json d}}", &json!({"d": text}));
    assert!(
        !written.contains(|c: char| c.is_control() || "\u{2028}\u{2029}".contains(c)),
        "{written:?}"
    );
    let read: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(read, text);
}

#[test]
fn dates_are_written_as_they_are_meant() {
    let rows = [
        ("2026-11-30", "long", "30 November 2026"),
        ("2026-11-30", "weekday", "Monday"),
        ("2026-11-30", "year", "2026"),
        ("2026-11-30", "date", "2026-11-30"),
        ("2026-11-30T08:15:00Z", "date", "2026-11-30"),
        ("2026-11-30T08:15:00+02:00", "time", "08:15"),
        ("2026-11-30 08:15", "datetime", "2026-11-30 08:15"),
        ("2026-11-30", "datetime", "2026-11-30"),
        ("2026-02-30", "long", "2026-02-30"),
        ("2026-11-30T25:00", "long", "2026-11-30T25:00"),
        ("tomorrow", "long", "tomorrow"),
        ("2026-11-3ß", "long", "2026-11-3ß"),
        ("", "long", ""),
    ];
    for (date, format, wanted) in rows {
        assert_eq!(
            run(&format!("{{{{date d \"{format}\"}}}}"), &json!({"d": date})),
            wanted,
            "{date} as {format}"
        );
    }
}
