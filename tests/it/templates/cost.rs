//! Worst cases: what is proved is never less than what a render takes, and what takes too much is refused.

use vestry::template::check::check_planted;
use vestry::template::cost::MOST_STEPS;
use vestry::template::planted::Fault;
use vestry::template::{Compiled, World};

use super::exhaustive::BOUNDS;
use super::world::{SMALL, Small, check, field, list, object, text};
use super::{reference, values};

const COSTLY: &[&str] = &[
    "{{#each people}}{{name}}{{#each tags}}{{this}}{{/each}}{{/each}}",
    "{{#each people}}{{#each ../people as |q|}}{{q.name}}{{#each @root.people}}{{name}}x{{/each}}{{/each}}{{/each}}",
    "{{#if names}}{{else}}{{#each people}}{{name}}{{json this}}{{/each}}{{/if}}",
    "{{#unless names}}{{#each people}}{{name}}{{/each}}{{else}}{{#each names}}{{this}}{{/each}}{{desc}}{{desc}}{{/unless}}",
    "{{json people}}{{json options}}{{json task}}{{join names \", \"}}{{upper desc}}{{indent desc 16}}",
    "{{#each options}}{{@key}}{{this}}{{/each}}{{#with task}}{{count}} {{done}} {{status}} {{title}}{{/with}}",
    "{{#if (not names)}}a{{else}}{{#each names}}{{this}}{{this}}{{/each}}{{/if}}",
    "{{desc}}",
];

/// A template that takes more, over the largest context, than a checker with this fault says.
pub(super) fn wrong(fault: Fault) -> Option<String> {
    let world: World<'_> = SMALL.world();
    let context = values::largest(world.root);
    for source in COSTLY {
        let Ok(checked) = check_planted(source, world, fault) else {
            continue;
        };
        let Ok(wanted) = reference::render(checked.tree(), &context) else {
            continue;
        };
        let rendered = Compiled::new(&checked)
            .unwrap()
            .render_value(&context, BOUNDS)
            .unwrap();
        let cost = checked.cost();
        if wanted.len() as u64 > cost.bytes || rendered.steps > cost.steps {
            return Some(format!(
                "{source}: {} bytes and {} steps, and {cost:?} was said",
                wanted.len(),
                rendered.steps
            ));
        }
    }
    None
}

#[test]
fn nothing_takes_more_than_was_proved() {
    assert_eq!(wrong(Fault::None), None);
}

#[test]
fn the_bound_is_not_far_from_what_is_taken() {
    let context = values::largest(SMALL.world().root);
    let checked = check(COSTLY[0]).unwrap();
    let rendered = Compiled::new(&checked)
        .unwrap()
        .render_value(&context, BOUNDS)
        .unwrap();
    assert_eq!(rendered.text.len() as u64, checked.cost().bytes);
    assert!(
        rendered.steps <= checked.cost().steps && checked.cost().steps <= rendered.steps * 2,
        "{} {:?}",
        rendered.steps,
        checked.cost()
    );
}

#[test]
fn loops_within_loops_over_long_lists_are_refused() {
    let root = vestry::template::schema::types::Object {
        fields: vec![field(
            "rows",
            list(object(vec![field("id", text(10), false)]), 100),
            false,
        )],
    };
    let small = Small::new(root, Vec::new());
    let two = "{{#each rows}}{{#each @root.rows}}{{id}}{{/each}}{{/each}}";
    assert!(
        vestry::template::check_in(two, small.world())
            .unwrap()
            .cost()
            .steps
            <= MOST_STEPS
    );
    let three =
        "{{#each rows}}{{#each @root.rows}}{{#each @root.rows}}{{id}}{{/each}}{{/each}}{{/each}}";
    let found = vestry::template::check_in(three, small.world()).unwrap_err();
    assert!(
        found.iter().any(|one| one.code == "too-costly"),
        "{}",
        found.text(three)
    );
    // Empty loops write nothing and take as long.
    let empty = "{{#each rows}}{{#each @root.rows}}{{#each @root.rows}}{{/each}}{{/each}}{{/each}}";
    assert!(vestry::template::check_in(empty, small.world()).is_err());
}
