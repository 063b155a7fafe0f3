//! A row for each thing that is refused: its code, and what it says to write instead.

use vestry::template::Severity;

use super::world::check;

/// Source, code, and a part of the suggestion or message.
pub(super) const ROWS: &[(&str, &str, &str)] = &[
    // Partials and inline.
    ("{{> other}}", "partial", "cannot include another"),
    (
        "{{#> layout}}x{{/layout}}",
        "partial",
        "cannot include another",
    ),
    (
        "{{#*inline \"x\"}}y{{/inline}}",
        "decorator",
        "where it belongs",
    ),
    ("{{* deco}}", "decorator", "leave this tag out"),
    // Sections and blocks.
    (
        "{{#task}}x{{/task}}",
        "unknown-block",
        "{{#if task}}, {{#each task}} or {{#with task}}",
    ),
    (
        "{{#task.parent}}x{{/task.parent}}",
        "unknown-block",
        "{{#with task.parent}}",
    ),
    (
        "{{#if eq desc \"b\"}}x{{/if}}",
        "block-argument",
        "did you mean {{#if (eq desc \"b\")}}?",
    ),
    ("{{#if}}x{{/if}}", "block-argument", "needs a value"),
    (
        "{{#each (len people)}}x{{/each}}",
        "block-argument",
        "takes a field",
    ),
    (
        "{{#with \"text\"}}x{{/with}}",
        "block-argument",
        "takes a field",
    ),
    (
        "{{#if desc as |x|}}x{{/if}}",
        "block-parameters",
        "Only {{#each}} and {{#with}}",
    ),
    (
        "{{#with org as |a b|}}x{{/with}}",
        "block-parameters",
        "one value",
    ),
    (
        "{{#each people as |a b c|}}x{{/each}}",
        "block-parameters",
        "one or two",
    ),
    (
        "{{#each people as |a a|}}x{{/each}}",
        "block-parameters",
        "twice",
    ),
    ("{{#each desc}}x{{/each}}", "not-a-list", "{{#with desc}}"),
    ("{{^if task}}x{{/if}}", "caret", ""),
    ("{{#if desc}}x{{^}}y{{/if}}", "caret", "write {{else}}"),
    ("{{#if desc}}x{{/with}}", "mismatched-close", "{{/if}}"),
    ("{{#if desc}}x", "unclosed-block", "{{/if}}"),
    ("x{{/if}}", "stray-close", "closes no block"),
    ("x{{else}}", "stray-else", "in no block"),
    (
        "{{#if desc}}x{{else}}y{{else}}z{{/if}}",
        "stray-else",
        "last of its block",
    ),
    (
        "{{#if desc}}x{{else foo}}y{{/if}}",
        "unknown-block",
        "{{else if …}}",
    ),
    (
        "{{#if desc}}x{{elsewhere}}y{{/if}}",
        "else-name",
        "write {{else}}",
    ),
    (
        "{{#if desc}}x{{elseif task}}y{{/if}}",
        "else-name",
        "{{else if}}",
    ),
    // Calls.
    ("{{(len people)}}", "call-in-parentheses", "without it"),
    (
        "{{(lookup this \"desc\")}}",
        "call-in-parentheses",
        "without it",
    ),
    ("{{len}}", "no-arguments", "(len value)"),
    ("{{len (desc)}}", "no-arguments", "write desc alone"),
    ("{{lenn people}}", "unknown-helper", "did you mean len?"),
    (
        "{{frobnicate people}}",
        "unknown-helper",
        "there are eq, ne",
    ),
    (
        "{{#if false}}{{frobnicate people}}{{/if}}",
        "unknown-helper",
        "",
    ),
    ("{{#if (if desc)}}x{{/if}}", "unknown-helper", "is a block"),
    ("{{log desc}}", "unknown-helper", "leave it out"),
    ("{{raw desc}}", "unknown-helper", "leave it out"),
    ("{{lookup task desc}}", "lookup", "write the path"),
    (
        "{{lookup options \"key\"}}",
        "no-fields",
        "{{#each options}}",
    ),
    ("{{len people names}}", "arity", "(len value)"),
    ("{{#if (eq desc)}}x{{/if}}", "arity", "(eq a b)"),
    ("{{len desc=1}}", "hash-argument", "give the value alone"),
    ("{{#each people limit=3}}x{{/each}}", "hash-argument", ""),
    ("{{len org}}", "argument-type", "a list, a map or a text"),
    (
        "{{join people \", \"}}",
        "argument-type",
        "{{#each people}}",
    ),
    ("{{upper people}}", "argument-type", "a text is wanted"),
    ("{{truncate desc desc}}", "argument-type", "written as such"),
    ("{{truncate desc 0}}", "argument-type", "from 1"),
    ("{{date desc \"dd.mm.\"}}", "date-format", "\"long\""),
    ("{{default desc 3}}", "argument-type", "one type"),
    // Paths.
    (
        "{{people.[0].name}}",
        "numeric-step",
        "{{#each}} with @first",
    ),
    ("{{people.0.name}}", "numeric-step", "{{#each}} with @first"),
    ("{{[desc]}}", "brackets", "plain name"),
    ("{{people.length}}", "length", "(len people)"),
    ("{{org/name}}", "slash-path", "write org. for org/"),
    ("{{this/desc}}", "slash-path", "this."),
    ("{{.}}", "bad-path", "{{this}}"),
    ("{{#with org}}{{..}}{{/with}}", "bad-path", "../this"),
    ("{{org.this}}", "bad-path", "leave it out"),
    ("{{@root}}", "bare-root", "@root.organization"),
    ("{{@foo}}", "unknown-local", "@index"),
    ("{{@index}}", "no-loop", "in an {{#each}} only"),
    (
        "{{#each people}}{{@../index}}{{/each}}",
        "local-path",
        "|item index|",
    ),
    ("{{#each people}}{{@key}}{{/each}}", "no-key", "@index"),
    ("{{#each people}}{{@index.x}}{{/each}}", "bad-path", ""),
    ("{{../desc}}", "past-root", "no scopes"),
    ("{{#if desc}}{{../desc}}{{/if}}", "past-root", "no scopes"),
    (
        "{{#with this}}{{../desc}}{{/with}}",
        "ambiguous-up",
        "@root",
    ),
    (
        "{{#each people as |p|}}{{#with p}}{{../name}}{{/with}}{{/each}}",
        "ambiguous-up",
        "|item|",
    ),
    (
        "{{#each people}}{{#each ../people}}{{../name}}{{/each}}{{/each}}",
        "ambiguous-up",
        "|item|",
    ),
    (
        "{{#each people as |desc|}}{{this.desc}}{{/each}}",
        "block-parameter-path",
        "write desc alone",
    ),
    (
        "{{#each people as |desc|}}{{../desc}}{{/each}}",
        "block-parameter-path",
        "another name",
    ),
    (
        "{{#each people as |desc|}}{{./desc}}{{/each}}",
        "block-parameter-path",
        "another name",
    ),
    (
        "{{#each people as |len|}}x{{/each}}",
        "hides-helper",
        "another name",
    ),
    (
        "{{#each people as |lookup|}}x{{/each}}",
        "hides-helper",
        "another name",
    ),
    ("{{taks}}", "unknown-field", "did you mean task?"),
    (
        "{{#if taks}}x{{/if}}",
        "unknown-field",
        "did you mean task?",
    ),
    (
        "{{#if task}}{{task.titel}}{{/if}}",
        "unknown-field",
        "did you mean title?",
    ),
    (
        "{{#each people}}{{org}}{{/each}}",
        "unknown-field",
        "did you mean @root.org?",
    ),
    (
        "{{#each people}}{{#each tags}}{{../name}}{{/each}}{{#with @root.org}}{{size}}{{/with}}{{/each}}",
        "unknown-field",
        "did you mean ../size?",
    ),
    ("{{org.zzz}}", "unknown-field", "it has name, about"),
    ("{{constructor}}", "unknown-field", ""),
    ("{{org.__proto__}}", "unknown-field", ""),
    ("{{desc.name}}", "no-fields", "it is a text"),
    ("{{options.a}}", "no-fields", "{{#each options}}"),
    // Nullness.
    ("{{task.title}}", "nullable-path", "{{#if task}}"),
    ("{{#if task.title}}x{{/if}}", "nullable-path", "guard it"),
    (
        "{{#if task}}{{task.parent.title}}{{/if}}",
        "nullable-path",
        "{{#if task.parent}}",
    ),
    (
        "{{#if (and task task.title)}}x{{/if}}",
        "nullable-path",
        "`and` guards nothing",
    ),
    (
        "{{#if task}}{{#if task.due}}{{task.parent.title}}{{/if}}{{/if}}",
        "nullable-path",
        "task.parent",
    ),
    (
        "{{#if (or task opening)}}{{task.title}}{{/if}}",
        "null-path",
        "(when opening.kind is talk)",
    ),
    (
        "{{#unless task}}{{task.title}}{{/unless}}",
        "null-path",
        "is null here",
    ),
    (
        "{{#if task}}x{{else}}{{task.title}}{{/if}}",
        "null-path",
        "(when opening.kind is talk, and in loaded)",
    ),
    (
        "{{#with task}}{{title}}{{else}}{{title}}{{/with}}",
        "unknown-field",
        "",
    ),
    ("{{opening.kind}}", "null-path", "(in loaded)"),
    (
        "{{#if task}}{{task.title}}{{/if}}{{task.title}}",
        "nullable-path",
        "",
    ),
    ("{{#if (not task)}}{{task.title}}{{/if}}", "null-path", ""),
    (
        "{{#if (eq task null)}}{{task.title}}{{/if}}",
        "null-path",
        "",
    ),
    (
        "{{#each names}}x{{else}}{{#if task}}y{{else}}{{task.title}}{{/if}}{{/each}}",
        "null-path",
        "",
    ),
    (
        "{{#each people}}{{#if boss}}{{#each @root.people}}{{boss.name}}{{/each}}{{/if}}{{/each}}",
        "nullable-path",
        "people.*.boss",
    ),
    (
        "{{#each names}}x{{else}}{{#if (eq names null)}}{{task.title}}{{/if}}{{/each}}",
        "nullable-path",
        "",
    ),
    (
        "{{#if task}}{{#if (eq task.priority \"high\")}}x{{else if (eq task.priority null)}}{{task.parent.title}}{{/if}}{{/if}}",
        "nullable-path",
        "",
    ),
    // Values.
    ("{{org}}", "not-printable", "{{org.name}}"),
    ("{{people}}", "not-printable", "{{#each people}}"),
    ("{{this}}", "not-printable", "such as {{desc}}"),
    ("{{options}}", "not-printable", "{{#each options}}"),
    (
        "{{#if opening}}{{#if (eq opening.kind \"task_start\")}}x{{/if}}{{/if}}",
        "unknown-word",
        "did you mean \"task-start\"?",
    ),
    (
        "{{#if task}}{{#if (eq task.status \"wontfix\")}}x{{/if}}{{/if}}",
        "unknown-word",
        "it can be open, closed, blocked",
    ),
    (
        "{{#if task}}{{#if (eq task.count \"3\")}}x{{/if}}{{/if}}",
        "never-equal",
        "a number with a number",
    ),
    ("{{#if (eq people org)}}x{{/if}}", "never-equal", ""),
    (
        "{{#if task}}{{task.count}}{{task.count}}{{/if}}",
        "numbers-add",
        "between them",
    ),
    (
        "{{#if task}}{{#if desc}}{{task.count}}{{/if}}{{task.count}}{{/if}}",
        "numbers-add",
        "between them",
    ),
    // Tags.
    ("{{desc}}}", "braces", "close {{ with }}"),
    ("{{{desc}}", "braces", "{{…}}"),
    ("{{{{raw}}}}x{{{{/raw}}}}", "raw-block", "\\{{"),
    ("${{ secrets.TOKEN }}", "dollar", "\\{{"),
    ("\\{{{{desc}}", "braces", "twice"),
    ("{{& desc}}", "ampersand", "{{name}}"),
    ("{{}}", "empty-tag", "\\{{"),
    ("{{desc", "unclosed-tag", ""),
    ("{{ #if desc}}x{{/if}}", "syntax", "without space"),
    ("{{desc ~ }}", "syntax", ""),
    ("{{desc name}}", "unknown-helper", ""),
    ("{{\"x\"}}", "literal", "without braces"),
    ("{{12}}", "literal", "without braces"),
    ("{{true}}", "literal", "without braces"),
    ("{{len \"a\\n\"}}", "escape-in-literal", "other quotes"),
    ("{{len \"a\nb\"}}", "control-in-literal", ""),
    ("{{len \"a}}", "unclosed-literal", ""),
    (
        "{{#if (eq desc undefined)}}x{{/if}}",
        "undefined",
        "write null",
    ),
    (
        "{{#if task}}{{#if (eq task.count 1.5)}}x{{/if}}{{/if}}",
        "number",
        "whole number",
    ),
    (
        "{{#if task}}{{#if (eq task.count 007)}}x{{/if}}{{/if}}",
        "number",
        "whole number",
    ),
    ("{{#if (eq desc [])}}x{{/if}}", "brackets", ""),
    ("{{#if (eq desc {})}}x{{/if}}", "literal", ""),
    (
        "{{#if (not (not desc)}}x{{/if}}",
        "unclosed-parenthesis",
        "",
    ),
    // Comments.
    ("{{! -- a }} TEXT {{!-- b --}}", "comment", "{{!-- … --}}"),
    ("{{!--}} TEXT", "comment", ""),
    ("{{!---}} TEXT {{!-- b --}}", "comment", ""),
    ("{{!-- a --~}} TEXT {{!-- b --}}", "comment", ""),
    ("{{~! c ~}}", "comment", "{{! … }}"),
    ("{{! c ~}}", "comment", ""),
    ("a\u{0}b", "control-character", ""),
];

#[test]
fn every_refusal_says_what_to_write_instead() {
    let mut wrong = Vec::new();
    for (source, code, part) in ROWS {
        let Err(found) = check(source) else {
            wrong.push(format!("{source}: accepted"));
            continue;
        };
        let told = found
            .iter()
            .filter(|one| one.severity == Severity::Error && one.code == *code)
            .any(|one| {
                let text = format!(
                    "{} {}",
                    one.message,
                    one.suggestion.as_deref().unwrap_or_default()
                );
                text.contains(part) && source.get(one.span.clone()).is_some()
            });
        if !told {
            wrong.push(found.text(source));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        ROWS.len(),
        wrong.join("\n")
    );
}

#[test]
fn all_is_reported_and_not_the_first_only() {
    let source = "{{titel}}\n{{#if taks}}{{len}}{{/if}}\n  {{people.length}} {{@index}}";
    let found = check(source).unwrap_err();
    let lines: Vec<_> = found
        .iter()
        .map(|one| (one.line, one.column, one.code))
        .collect();
    assert_eq!(
        lines,
        [
            (1, 3, "unknown-field"),
            (2, 7, "unknown-field"),
            (2, 15, "no-arguments"),
            (2, 15, "unknown-field"),
            (3, 12, "length"),
            (3, 23, "no-loop")
        ]
    );
}
