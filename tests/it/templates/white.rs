//! White space is taken as handlebars.js takes it.

use vestry::template::Compiled;

use super::accepted::context;
use super::exhaustive::BOUNDS;
use super::world::check;

/// Written by handlebars.js 4.7.10.
pub(super) const ROWS: &[(&str, &str)] = &[
    ("a\n{{#if desc}}\nb\n{{/if}}\nc", "a\nb\nc"),
    (
        "a\n  {{#if desc}}  \n  b\n  {{else}}\n  c\n  {{/if}}\t\nd",
        "a\n  b\nd",
    ),
    ("a {{#if desc}}\nb\n{{/if}} c", "a \nb\n c"),
    ("{{! c }}\na\n{{! d }}\nb", "a\nb"),
    ("{{!-- c --}}\r\na", "a"),
    (
        "{{#each people}}\n- {{name}}\n{{/each}}\nend",
        "- Ada\n- Bob\nend",
    ),
    ("{{desc~}}{{! c }} x", "D<&> x"),
    ("{{desc~}} {{desc}} {{desc}}", "D<&>D<&> D<&>"),
    ("{{#if desc}}{{#if desc}}\nx\n{{/if}}{{/if}}", "\nx\n"),
    ("a\n{{~#if desc~}}\n b \n{{~/if~}}\n c", "abc"),
    (
        "{{#if names}}\na\n{{else if desc}}\nb\n{{else}}\nc\n{{/if}}\nd",
        "b\nd",
    ),
    ("\n\n{{#if desc}}\n\nx\n\n{{/if}}\n\n", "\n\n\nx\n\n\n"),
    ("{{#if desc}}x{{/if}}\n", "x\n"),
    ("  {{#if desc}}\n  {{/if}}", ""),
];

#[test]
fn white_space_is_that_of_handlebars_js() {
    for (source, wanted) in ROWS {
        let compiled = Compiled::new(&check(source).unwrap()).unwrap();
        assert_eq!(
            compiled.render_value(&context(), BOUNDS).unwrap().text,
            *wanted,
            "{source:?}"
        );
    }
}
