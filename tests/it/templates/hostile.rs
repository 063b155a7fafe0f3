//! A thousand templates meant to hurt: each is refused, or renders within its bounds. No debug build overflows its stack.

use std::time::{Duration, Instant};

use serde_json::json;
use vestry::template::{Bounds, Compiled};

use super::accepted::context;
use super::world::{SMALL, check};
use super::{reference, values};

fn nest(open: &str, close: &str, count: usize, inner: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

fn hostile() -> Vec<String> {
    let mut all = Vec::new();
    // Deep, open and closed.
    for depth in [40, 47, 48, 49, 50, 200, 1_000, 5_000, 9_000] {
        for (open, close) in [
            ("{{#if desc}}", "{{/if}}"),
            ("{{#with org}}", "{{/with}}"),
            ("{{#each @root.people}}", "{{/each}}"),
            ("{{#if desc}}a{{else}}", "{{/if}}"),
            ("{{#unless", ""),
            ("{{#task}}", "{{/task}}"),
            ("{{#> p}}", "{{/p}}"),
            ("{{{{raw}}}}", "{{{{/raw}}}}"),
            ("{{#*inline 'x'}}", "{{/inline}}"),
        ] {
            all.push(nest(open, close, depth, "x"));
            all.push(open.repeat(depth));
            all.push(close.repeat(depth));
        }
        all.push(format!(
            "{{{{#if desc}}}}{}{{{{/if}}}}",
            "a{{else if desc}}".repeat(depth)
        ));
        all.push(format!(
            "{{{{#if {}}}}}x{{{{/if}}}}",
            nest("(not ", ")", depth, "desc")
        ));
        all.push(format!(
            "{{{{#if {}x{{{{/if}}}}",
            "(and desc ".repeat(depth)
        ));
        all.push(format!("{{{{{}}}}}", nest("upper (", ")", depth, "desc")));
        all.push(format!("{{{{{}desc}}}}", "../".repeat(depth)));
        all.push(format!("{{{{org{}}}}}", ".name".repeat(depth)));
        all.push(format!(
            "{{{{#if (and{})}}}}x{{{{/if}}}}",
            " desc".repeat(depth)
        ));
        all.push(format!(
            "{{{{#if (eq desc {}{})}}}}x{{{{/if}}}}",
            "[".repeat(depth),
            "]".repeat(depth)
        ));
        all.push(format!("{}{{{{desc}}}}", "\\".repeat(depth)));
        all.push("{{desc}}".repeat(depth));
        all.push("{{! c }}".repeat(depth));
        all.push("{".repeat(depth));
        all.push(format!("{{{{\"{}", "x".repeat(depth)));
        all.push("{{!--".repeat(depth));
        all.push("${{".repeat(depth));
        all.push(" \n".repeat(depth) + "{{~desc~}}" + &" \n".repeat(depth));
        all.push(format!(
            "{{{{#each people as |{}|}}}}x{{{{/each}}}}",
            "a".repeat(depth)
        ));
        all.push(format!(
            "{{{{#each people as |{}|}}}}x{{{{/each}}}}",
            "a ".repeat(depth)
        ));
    }
    // Loops.
    for loops in 1..12 {
        for list in ["@root.people", "@root.names", "@root.options"] {
            all.push(nest(
                &format!("{{{{#each {list}}}}}"),
                "{{/each}}",
                loops,
                "",
            ));
            all.push(nest(
                &format!("{{{{#each {list}}}}}"),
                "{{/each}}",
                loops,
                "{{json @root.people}}",
            ));
        }
        all.push(nest(
            "{{#each @root.people}}{{#each tags}}",
            "{{/each}}{{/each}}",
            loops,
            "{{this}}",
        ));
        all.push(format!(
            "{{{{indent {} 16}}}}",
            nest("(indent ", " 16)", loops, "desc")
        ));
        all.push(format!(
            "{{{{join {} \"{}\"}}}}",
            "names",
            "x".repeat(loops * 5_000)
        ));
    }
    // Names that engines know.
    let names = [
        "__proto__",
        "constructor",
        "prototype",
        "toString",
        "valueOf",
        "hasOwnProperty",
        "__defineGetter__",
        "__lookupGetter__",
        "lookup",
        "log",
        "raw",
        "helperMissing",
        "blockHelperMissing",
        "if",
        "each",
        "with",
        "unless",
        "len",
        "eq",
        "this",
        "else",
        "as",
        "true",
        "null",
        "undefined",
        "@root",
        "@partial-block",
        "@data",
        "@../index",
        "constructor.constructor",
        "org.__proto__",
        "org.constructor.name",
        "this.constructor",
        "./__proto__",
        "@root.__proto__",
        "@root.constructor",
        "desc.length",
        "desc.constructor",
        "people.constructor",
        "people.__proto__",
        "options.__proto__",
        "options.constructor",
        "inline",
        "partial",
        "[__proto__]",
        "0",
        "people.0",
        "NaN",
        "Infinity",
    ];
    for name in names {
        for shape in [
            "{{N}}",
            "{{{N}}}",
            "{{#if N}}x{{/if}}",
            "{{#with N}}{{this}}{{/with}}",
            "{{#each N}}{{this}}{{/each}}",
            "{{lookup this \"N\"}}",
            "{{lookup org \"N\"}}",
            "{{json N}}",
            "{{#N}}x{{/N}}",
            "{{N desc}}",
            "{{#if (N desc)}}x{{/if}}",
            "{{#each people as |N|}}{{N}}{{/each}}",
            "{{(lookup this \"N\")}}",
            "{{> N}}",
            "{{#if (eq desc \"N\")}}x{{/if}}",
        ] {
            all.push(shape.replace('N', name));
        }
    }
    all
}

#[test]
fn nothing_hurts() {
    let templates = hostile();
    assert!(templates.len() >= 1_000, "{}", templates.len());
    let contexts = [context(), values::largest(SMALL.world().root)];
    let (mut refused, mut rendered) = (0, 0);
    for source in &templates {
        let started = Instant::now();
        let name: String = source.chars().take(120).collect();
        match check(source) {
            Err(found) => {
                refused += 1;
                assert!(found.text(source).len() < 200_000_000, "{name}");
            }
            Ok(checked) => {
                rendered += 1;
                let compiled =
                    Compiled::new(&checked).unwrap_or_else(|refused| panic!("{name}: {refused}"));
                for context in &contexts {
                    let bounds = Bounds {
                        bytes: 10_000,
                        deadline: Some(Instant::now() + Duration::from_secs(20)),
                    };
                    match compiled.render_value(context, bounds) {
                        Ok(rendered) => {
                            assert!(rendered.text.len() <= 10_000, "{name}");
                            if !rendered.cut {
                                assert_eq!(
                                    reference::render(checked.tree(), context).as_ref(),
                                    Ok(&rendered.text),
                                    "{name}"
                                );
                            }
                        }
                        Err(failure) => panic!("{name}: {failure}"),
                    }
                }
            }
        }
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{name} takes {:?}",
            started.elapsed()
        );
    }
    println!(
        "{refused} of {} refused, {rendered} rendered within bounds",
        templates.len()
    );
    assert!(rendered > 40, "{rendered}");
}

#[test]
fn a_render_stops_at_its_deadline_and_on_a_wrong_context() {
    let checked = check("a\n{{#each people}}{{name}}{{/each}}").unwrap();
    let compiled = Compiled::new(&checked).unwrap();
    let late = compiled
        .render_value(
            &context(),
            Bounds {
                bytes: 100,
                deadline: Some(Instant::now()),
            },
        )
        .unwrap_err();
    assert!(late.reason.contains("too long"), "{late}");
    // The schema changed under the template: the render fails with the line, and gives nothing.
    let wrong = compiled
        .render_value(
            &json!({"people": [{"nom": "x"}]}),
            super::exhaustive::BOUNDS,
        )
        .unwrap_err();
    assert_eq!(wrong.line, Some(2), "{wrong}");
    assert!(
        compiled
            .render_value(&json!({}), super::exhaustive::BOUNDS)
            .is_err()
    );
    assert!(
        compiled
            .render_value(&json!(null), super::exhaustive::BOUNDS)
            .is_err()
    );
}

#[test]
fn what_is_cut_says_so() {
    let compiled = Compiled::new(
        &check("{{#each people}}{{name}}: a long line of text é\n{{/each}}").unwrap(),
    )
    .unwrap();
    let whole = compiled
        .render_value(&context(), super::exhaustive::BOUNDS)
        .unwrap();
    for bytes in 0..=whole.text.len() + 1 {
        let cut = compiled
            .render_value(
                &context(),
                Bounds {
                    bytes,
                    deadline: None,
                },
            )
            .unwrap();
        assert!(cut.text.len() <= bytes);
        assert_eq!(cut.cut, bytes < whole.text.len());
        if !cut.cut {
            assert_eq!(cut.text, whole.text);
        } else if bytes > 60 {
            assert!(
                cut.text
                    .ends_with("[cut: the rest is longer than the limit]"),
                "{}",
                cut.text
            );
        }
    }
}
