//! How long checking and compiling take: printed always, and held to the aim in release builds.

use std::time::{Duration, Instant};

use vestry::template::Compiled;
use vestry::template::schema::Schema;

use super::accepted::context;
use super::exhaustive::BOUNDS;
use super::world::check;

fn of_bytes(bytes: usize) -> String {
    let piece = "## Task\n\nWork on it with care and say what you did when you are done with it.\n{{#if task}}\nThe task is {{task.title}}, which is {{task.status}}.\n{{#if task.due}}It is due on {{date task.due \"long\"}}.{{else}}It has no date.{{/if}}\n{{#with task.parent}}It is part of {{title}}.{{/with}}\n{{/if}}\n{{#each people as |person|}}\n- {{person.name}}{{#if person.about}}: {{person.about}}{{/if}}\n{{/each}}\n{{#if opening}}{{#if (eq opening.kind \"task-resume\")}}You stopped: {{default opening.stop_reason \"unknown\"}}.{{/if}}{{/if}}\n\n";
    piece.repeat(bytes / piece.len() + 1)
}

fn best(times: usize, mut run: impl FnMut()) -> Duration {
    (0..times)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .min()
        .unwrap()
}

#[test]
fn a_template_is_checked_in_time() {
    let source = of_bytes(10_000);
    let small = check(&source).unwrap();
    let built_in = Schema::built_in();
    let checked = vestry::template::check(&source, built_in)
        .unwrap_or_else(|found| panic!("{}", found.text(&source)));
    assert_eq!(small.tree(), checked.tree());
    let compiled = Compiled::new(&checked).unwrap();
    let context = context();
    let checking = best(50, || {
        drop(vestry::template::check(&source, built_in).unwrap())
    });
    let compiling = best(5, || drop(Compiled::new(&checked).unwrap()));
    let rendering = best(20, || {
        drop(compiled.render_value(&context, BOUNDS).unwrap())
    });
    println!(
        "{} bytes and {} tags: checked in {checking:?}, compiled in {compiling:?}, rendered in {rendering:?}",
        source.len(),
        source.matches("{{").count()
    );
    if !cfg!(debug_assertions) {
        assert!(checking <= Duration::from_millis(2), "{checking:?}");
    }
}
