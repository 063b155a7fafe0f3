//! handlebars.js renders what is accepted to the same bytes. Needs node: `VESTRY_HANDLEBARS_JS` names the directory that holds `node_modules`.

use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};
use vestry::template::builder::Context;
use vestry::template::schema::Schema;
use vestry::template::{Compiled, World, check_in};

use super::exhaustive::BOUNDS;
use super::generate::Generator;
use super::rng::Rng;
use super::scope::Scope;
use super::world::{SMALL, TINY};
use super::{accepted, long, soup, values, white, whole};

fn line(out: &mut impl std::io::Write, world: World<'_>, source: &str, contexts: &[Json]) -> usize {
    let Ok(checked) = check_in(source, world) else {
        return 0;
    };
    let compiled = Compiled::new(&checked).unwrap();
    for context in contexts.iter().filter(|context| !counted(context)) {
        let text = compiled.render_value(context, BOUNDS).unwrap().text;
        writeln!(
            out,
            "{}",
            json!({"source": source, "context": context, "text": text})
        )
        .unwrap();
    }
    contexts.len()
}

/// Whether a map has keys that are whole numbers, which JavaScript puts before all others.
fn counted(context: &Json) -> bool {
    context["options"]
        .as_object()
        .is_some_and(|entries| entries.keys().any(|key| key.parse::<u32>().is_ok()))
}

#[test]
fn handlebars_js_writes_the_same() {
    let Some(modules) = std::env::var_os("VESTRY_HANDLEBARS_JS") else {
        crate::harness::skipped(
            "VESTRY_HANDLEBARS_JS does not name a directory with handlebars.js 4.7 in node_modules",
        );
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/it/templates/handlebars.mjs");
    let script = std::env::var_os("VESTRY_HANDLEBARS_SCRIPT").unwrap_or_else(|| script.into());
    let mut node = Command::new("node")
        .arg(script)
        .arg(modules)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = std::io::BufWriter::new(node.stdin.take().unwrap());
    let reader = std::thread::spawn(move || node.wait_with_output().unwrap());
    let mut pairs = 0;
    for source in accepted::ROWS
        .iter()
        .map(|(source, _)| source)
        .chain(white::ROWS.iter().map(|(source, _)| source))
    {
        pairs += line(&mut out, SMALL.world(), source, &[accepted::context()]);
    }
    let tiny: Vec<Json> = values::tiny()
        .into_iter()
        .map(|(_, context)| context)
        .step_by(if long() { 3 } else { 17 })
        .collect();
    let scope = Scope::new();
    for number in (0..scope.count()).step_by(if long() { 31 } else { 1_009 }) {
        pairs += line(&mut out, TINY.world(), &scope.template(number), &tiny);
    }
    let mut rng = Rng::new(99);
    for _ in 0..if long() { 200_000 } else { 3_000 } {
        let tags = 1 + rng.below(10);
        let source = Generator::template(&mut rng, tags);
        let world = SMALL.world();
        let contexts: Vec<Json> = (0..8)
            .map(|_| values::random(world, &world.situations[rng.below(4)], &mut rng))
            .collect();
        pairs += line(&mut out, world, &source, &contexts);
    }
    for _ in 0..if long() { 2_000_000 } else { 30_000 } {
        pairs += line(
            &mut out,
            SMALL.world(),
            &soup::text(&mut rng),
            &[accepted::context()],
        );
    }
    let schema = Schema::built_in();
    let world = World {
        root: schema.root(),
        situations: schema.situations(),
    };
    let contexts: Vec<Json> = schema
        .situations()
        .iter()
        .flat_map(whole::contexts)
        .map(Context::into_value)
        .collect();
    for skill in whole::built_in().iter().chain(&whole::examples()) {
        pairs += line(&mut out, world, &skill.source, &contexts);
    }
    drop(out.into_inner().unwrap());
    let output = reader.join().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    println!("{pairs} pairs: {told}");
    assert!(output.status.success(), "{told}");
}
