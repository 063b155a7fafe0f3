//! The templated skills under `examples/`: they render in all situations, and what they write was reviewed.

use vestry::template::schema::Schema;

use super::whole::{contexts, examples};

#[test]
fn examples_render_in_every_situation() {
    let examples = examples();
    assert!(examples.len() >= 6);
    for situation in Schema::built_in().situations() {
        for context in contexts(situation) {
            for example in &examples {
                let text = example.render(&context);
                assert!(
                    !text.trim().is_empty(),
                    "{} in {}",
                    example.name,
                    situation.name
                );
            }
        }
    }
}

#[test]
fn what_examples_write_was_reviewed() {
    for example in examples() {
        insta::assert_snapshot!(format!("example-{}", example.name), example.shown(|_| true));
    }
}

/// The README names each of them, and nothing else.
#[test]
fn the_readme_lists_the_examples() {
    let readme = include_str!("../../../examples/templates/README.md");
    let mut listed: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    listed.sort_unstable();
    let examples = examples();
    let names: Vec<&str> = examples
        .iter()
        .map(|example| example.name.as_str())
        .collect();
    assert_eq!(listed, names);
}
