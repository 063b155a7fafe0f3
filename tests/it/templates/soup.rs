//! Texts of pieces of templates in any order: nothing panics, and what our parser reads the crate reads alike.

use vestry::template::{Compiled, parse};

use super::rng::Rng;
use super::{long, world::check};

const PIECES: [&str; 72] = [
    "{{",
    "}}",
    "{{{",
    "}}}",
    "{{{{",
    "}}}}",
    "{",
    "}",
    "~",
    "#",
    "/",
    "^",
    ">",
    "*",
    "&",
    "!",
    "--",
    "{{!--",
    "--}}",
    "{{!",
    "{{#if ",
    "{{#each ",
    "{{#with ",
    "{{#unless ",
    "{{/if}}",
    "{{/each}}",
    "{{/with}}",
    "{{/unless}}",
    "{{else}}",
    "{{else if ",
    "{{~",
    "~}}",
    "(",
    ")",
    "eq ",
    "and ",
    "not ",
    "len ",
    "lookup ",
    "desc",
    "task",
    "org.name",
    "this",
    "this.",
    "./",
    "../",
    "@root.",
    "@index",
    "@key",
    "@",
    ".",
    "[",
    "]",
    "0",
    "-1",
    "\"a\"",
    "'b'",
    "\"",
    "'",
    "null",
    "true",
    "as |x|",
    "as |x i|",
    "|",
    "=",
    "\\",
    "\\\\",
    "$",
    " ",
    "\n",
    "é",
    "\u{a0}",
];

/// Whole tags, which make texts that are read more often.
const TAGS: [&str; 30] = [
    "{{desc}}",
    "{{{desc}}}",
    "{{~desc~}}",
    "{{~{desc}~}}",
    "{{#if desc}}",
    "{{#if (eq desc \"a\")}}",
    "{{#if (and desc org.name)}}",
    "{{#each people}}",
    "{{#each people as |x|}}",
    "{{#each people as |x i|}}",
    "{{#with org}}",
    "{{#with org as |x|}}",
    "{{#unless desc}}",
    "{{/if}}",
    "{{/each}}",
    "{{/with}}",
    "{{/unless}}",
    "{{else}}",
    "{{~else~}}",
    "{{else if desc}}",
    "{{else with org}}",
    "{{! c }}",
    "{{!-- c --}}",
    "{{len desc}}",
    "{{lookup org 'name'}}",
    " ",
    "\n",
    "a",
    "\\{{",
    "{{#if (lookup this \"desc\")~}}",
];

pub(super) fn text(rng: &mut Rng) -> String {
    let whole = rng.chance(60);
    (0..1 + rng.below(14))
        .map(|_| {
            if whole && rng.chance(90) {
                TAGS[rng.below(TAGS.len())]
            } else {
                PIECES[rng.below(PIECES.len())]
            }
        })
        .collect()
}

#[test]
fn what_we_read_the_crate_reads_alike() {
    let mut rng = Rng::new(42);
    let count = if long() { 10_000_000 } else { 100_000 };
    let mut read = 0;
    for _ in 0..count {
        let source = text(&mut rng);
        let Ok(tree) = parse::tree(&source) else {
            continue;
        };
        read += 1;
        if let Err(refused) = Compiled::unchecked(&source, &tree) {
            panic!("{source:?}\n{refused}");
        }
    }
    println!("{read} of {count} texts are read");
    assert!(read * 20 > count, "only {read} of {count} are read");
}

#[test]
fn whatever_is_wrong_is_told_at_a_place_of_the_source() {
    let mut rng = Rng::new(43);
    for _ in 0..if long() { 300_000 } else { 5_000 } {
        let source = text(&mut rng);
        let Err(found) = check(&source) else { continue };
        assert!(!found.is_empty(), "{source:?}");
        for one in &found {
            assert!(
                source.get(one.span.clone()).is_some() && one.line >= 1 && one.column >= 1,
                "{source:?} {one:?}"
            );
        }
        assert!(found.text(&source).contains('^'));
    }
}
