//! Templates: checking, compiling and rendering beside handlebars.js, and whole loads beside a handler that answers the same bytes.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vestry::built_in;
use vestry::content::SkillMd;
use vestry::template::builder::{Context, Needs, build};
use vestry::template::samples::sample;
use vestry::template::schema::Schema;
use vestry::template::{Bounds, Compiled, MOST_OUTPUT, check};

use crate::generator::Connection;
use crate::javascript::{Handlebars, Took};
use crate::measure::{Case, Kind, Measured, median, report};
use crate::world::{self, Offered};
use crate::{Settings, bare, process};

/// Bytes of the context that is parsed and rendered.
const CONTEXT: usize = 10_000;
/// Bytes of the template that is checked and compiled.
const CHECKED: usize = 10_000;

const BOUNDS: Bounds = Bounds {
    bytes: MOST_OUTPUT,
    deadline: None,
};

/// Measures all of it.
pub(crate) fn run(settings: &Settings, vestry: &process::Vestry, bare: &process::Bare) {
    checking(settings);
    let source = opening();
    let context = context();
    rendering(settings, &source, &context);
    loading(settings, vestry, bare, &source, &context);
}

/// A template of so many bytes with a tag in every line and a half, as an author may write one.
fn dense(bytes: usize) -> String {
    let piece = "## Task\n\nWork on it with care and say what you did when you are done with it.\n{{#if task}}\nThe task is {{task.title}}, which is {{task.status}}.\n{{#if task.due}}It is due on {{date task.due \"long\"}}.{{else}}It has no date.{{/if}}\n{{#with task.parent}}It is part of {{title}}.{{/with}}\n{{/if}}\n{{#each people as |person|}}\n- {{person.name}}{{#if person.about}}: {{person.about}}{{/if}}\n{{/each}}\n{{#if opening}}{{#if (eq opening.kind \"task-resume\")}}You stopped: {{default opening.stop_reason \"unknown\"}}.{{/if}}{{/if}}\n\n";
    piece.repeat(bytes.div_ceil(piece.len()))
}

/// The body of the built-in skill with which a run goes on with a task: about 5 KB.
fn opening() -> String {
    let skill = built_in::SKILLS
        .iter()
        .find(|skill| skill.name == "opening-task-resume")
        .unwrap();
    let body = SkillMd::parse(skill.skill_md).unwrap().body_offset;
    skill.skill_md.split_at(body).1.to_owned()
}

/// What a host would send for it, of about 10 KB: a task with a long text, and events that the agent has not seen.
fn context() -> Value {
    let mut context = sample(Schema::built_in(), "task-resume")
        .unwrap()
        .context
        .into_value();
    context.as_object_mut().unwrap().remove("skills");
    let event = context["opening"]["task"]["events"][0].clone();
    let events: Vec<Value> = (0..20).map(|_| event.clone()).collect();
    context["opening"]["task"]["events_total"] = events.len().into();
    context["opening"]["task"]["events"] = events.into();
    let line = "The customer \"Ana\" called, and the machine still leaks at the door.\n";
    let mut body = String::new();
    while context.to_string().len() + body.len() < CONTEXT {
        body.push_str(line);
    }
    context["task"]["body"] = body.into();
    context
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The median of how long one call takes, of batches that go on for this long.
fn typical(time: Duration, batch: u32, mut call: impl FnMut()) -> f64 {
    let mut times = Vec::new();
    let start = Instant::now();
    while start.elapsed() < time || times.len() < 3 {
        let begin = Instant::now();
        for _ in 0..batch {
            call();
        }
        times.push(micros(begin.elapsed()) / f64::from(batch));
    }
    median(times.into_iter())
}

fn checking(settings: &Settings) {
    let source = dense(CHECKED);
    let schema = Schema::built_in();
    let checked = check(&source, schema).unwrap();
    let (mut checks, mut compiles) = (Vec::new(), Vec::new());
    for _ in 0..settings.rounds {
        checks.push(typical(settings.seconds / 2, 10, || {
            drop(black_box(check(black_box(&source), schema).unwrap()));
        }));
        compiles.push(typical(settings.seconds / 2, 1, || {
            drop(black_box(Compiled::new(black_box(&checked)).unwrap()));
        }));
    }
    println!(
        "a template of {} bytes with {} tags: checked in {:.0} µs (target 2,000), compiled in {:.1} ms",
        source.len(),
        source.matches("{{").count(),
        median(checks.into_iter()),
        median(compiles.into_iter()) / 1e3
    );
}

/// Parses and renders in this process.
struct Engine<'a> {
    compiled: Compiled,
    needs: Needs,
    text: &'a str,
    built: Context,
}

impl<'a> Engine<'a> {
    fn new(source: &str, text: &'a str) -> Self {
        let checked = check(source, Schema::built_in()).unwrap();
        let needs = Needs::of_reads(checked.reads());
        let built = build_text(text, &needs);
        Self {
            compiled: Compiled::new(&checked).unwrap(),
            needs,
            text,
            built,
        }
    }

    fn render(&self, context: &Context) -> String {
        let rendered = self.compiled.render(context, BOUNDS).unwrap();
        assert!(!rendered.cut);
        rendered.text
    }

    fn took(&self, time: Duration) -> Took {
        let time = time / 3;
        Took {
            parse: typical(time, 50, || {
                drop(black_box(
                    serde_json::from_str::<Value>(black_box(self.text)).unwrap(),
                ));
            }),
            render: typical(time, 50, || {
                drop(black_box(self.render(black_box(&self.built))));
            }),
            both: typical(time, 50, || {
                let context = build_text(black_box(self.text), &self.needs);
                drop(black_box(self.render(&context)));
            }),
        }
    }
}

fn build_text(text: &str, needs: &Needs) -> Context {
    build(
        Schema::built_in(),
        &serde_json::from_str(text).unwrap(),
        needs,
    )
    .unwrap()
}

fn rendering(settings: &Settings, source: &str, context: &Value) {
    let text = context.to_string();
    let engine = Engine::new(source, &text);
    let written = engine.render(&engine.built);
    println!(
        "\na template of {} bytes over a context of {} bytes, which writes {} bytes; µs of one call",
        source.len(),
        text.len(),
        written.len()
    );
    let mut javascript = Handlebars::start(source, &text, &written);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..settings.rounds {
        ours.push(engine.took(settings.seconds));
        if let Some(javascript) = &mut javascript {
            theirs.push(javascript.took(settings.seconds));
        }
    }
    println!(
        "{:<27}{:>10}{:>10}{:>20}",
        "", "parse", "render", "parse and render"
    );
    for (name, all) in [("vestry", &ours), ("handlebars.js", &theirs)] {
        if !all.is_empty() {
            let of = |of: fn(&Took) -> f64| median(all.iter().map(of));
            println!(
                "{name:<27}{:>10.0}{:>10.0}{:>20.0}",
                of(|one| one.parse),
                of(|one| one.render),
                of(|one| one.both)
            );
        }
    }
    if !theirs.is_empty() {
        let of =
            |of: fn(&Took) -> f64| median(ours.iter().zip(&theirs).map(|(a, b)| of(a) / of(b)));
        println!(
            "{:<27}{:>10.2}{:>10.2}{:>20.2}",
            "vestry ÷ handlebars.js",
            of(|one| one.parse),
            of(|one| one.render),
            of(|one| one.both)
        );
    }
    println!(
        "Vestry's last figure has the builder of contexts in it, which validates; JavaScript's has not."
    );
}

fn loading(
    settings: &Settings,
    vestry: &process::Vestry,
    bare: &process::Bare,
    source: &str,
    context: &Value,
) {
    let Offered { agent, offer } = world::one_template(vestry, "resume", source);
    let request = |more: Value| {
        let mut body = json!({"offer": offer, "name": "resume"});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        crate::request::Load::new(
            vestry.address,
            "POST",
            "/v1/load",
            &agent,
            "",
            body.to_string(),
        )
    };
    let load = request(json!({"context": context}));
    let answer = answer(&load);
    assert_eq!(answer, self::answer(&load), "the same each time");
    let loaded: Value = serde_json::from_str(&answer).unwrap();
    let schema = Schema::built_in();
    let given = build(schema, context, &Needs::all()).unwrap();
    let compiled = Compiled::new(&check(source, schema).unwrap()).unwrap();
    assert_eq!(
        loaded["body"].as_str(),
        Some(compiled.render(&given, BOUNDS).unwrap().text.as_str())
    );
    let same = bare::same(bare.address, &load, &answer);
    assert_eq!(self::answer(&same), answer);
    let cases = [
        Case::new("bare handler, same bytes", same, Kind::Bare),
        Case::new("load of the template", load, Kind::Usual),
        Case::new(
            "load of its source",
            request(json!({"template": true})),
            Kind::Usual,
        ),
    ];
    let mut results: Vec<Vec<Measured>> = cases.iter().map(|_| Vec::new()).collect();
    for _ in 0..settings.rounds {
        for (case, measured) in cases.iter().zip(&mut results) {
            let pid = if case.is_bare() {
                bare.id()
            } else {
                vestry.id()
            };
            let (one, _) = case.measure(pid, settings.connections, settings.seconds, &case.load);
            measured.push(one);
        }
    }
    println!(
        "\nwhole loads: {} bytes sent, {} bytes answered; {} rounds of {} s, {} connections",
        cases[1].load.body.len(),
        answer.len(),
        settings.rounds,
        settings.seconds.as_secs(),
        settings.connections
    );
    report(&cases, &results);
}

/// The body of an answer.
fn answer(load: &crate::request::Load) -> String {
    let mut connection = Connection::open(load.address);
    let whole = String::from_utf8(connection.ask(&load.bytes()).to_vec()).unwrap();
    let (_, body) = whole.split_once("\r\n\r\n").unwrap();
    body.to_owned()
}
