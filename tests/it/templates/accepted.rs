//! A row for each thing that is accepted, with what it writes: in the crate, and in the reference.

use serde_json::{Value as Json, json};
use vestry::template::Compiled;

use super::exhaustive::BOUNDS;
use super::reference;
use super::world::check;

pub(super) fn context() -> Json {
    json!({
        "org": {"name": "Acme", "about": null},
        "task": {
            "title": "Pay", "due": null, "parent": {"title": "Up", "due": "d"}, "status": "open", "priority": null, "count": 0, "done": false,
            "labels": ["a", "b"]
        },
        "opening": {"kind": "task-start", "stop_reason": null},
        "people": [
            {"name": "Ada", "about": "x", "tags": ["t"], "size": 0, "boss": null},
            {"name": "Bob", "about": null, "tags": [], "size": null, "boss": {"name": "Ada"}}
        ],
        "names": null,
        "options": {"b": "2", "a": "1"},
        "desc": "D<&>"
    })
}

pub(super) const ROWS: &[(&str, &str)] = &[
    (
        "{{desc}} {{{desc}}} {{{ desc }}} {{~{desc}~}}",
        "D<&> D<&> D<&>D<&>",
    ),
    (
        "{{this.desc}} {{./desc}} {{@root.desc}} {{@root.org.name}}",
        "D<&> D<&> D<&> Acme",
    ),
    ("{{#if task}}{{task.title}}{{/if}}", "Pay"),
    (
        "{{#if task}}{{#if task.parent}}{{task.parent.title}}{{/if}}{{/if}}",
        "Up",
    ),
    (
        "{{#if task}}{{#with task.parent}}{{title}} {{../desc}}{{/with}}{{/if}}",
        "Up D<&>",
    ),
    ("{{#with task}}{{title}}{{else}}none{{/with}}", "Pay"),
    (
        "{{#with task as |t|}}{{t.title}}{{#with t.parent}}{{title}}{{t.status}}{{/with}}{{/with}}",
        "PayUpopen",
    ),
    (
        "{{#unless task}}none{{else}}{{task.title}}{{/unless}}",
        "Pay",
    ),
    ("{{#unless (not task)}}{{task.title}}{{/unless}}", "Pay"),
    ("{{#if (not task)}}none{{else}}{{task.title}}{{/if}}", "Pay"),
    ("{{#if (ne task null)}}{{task.title}}{{/if}}", "Pay"),
    (
        "{{#if (eq task null)}}none{{else}}{{task.title}}{{/if}}",
        "Pay",
    ),
    (
        "{{#if (and task opening)}}{{task.title}}{{opening.kind}}{{/if}}",
        "Paytask-start",
    ),
    (
        "{{#if (or (not task) (not opening))}}{{else}}{{task.title}}{{opening.kind}}{{/if}}",
        "Paytask-start",
    ),
    (
        "{{#if (not (or (not task) (not opening)))}}{{task.title}}{{/if}}",
        "Pay",
    ),
    (
        "{{#if task}}{{#if (eq task.priority \"high\")}}h{{else if (eq task.priority \"low\")}}l{{else}}n{{/if}}{{/if}}",
        "n",
    ),
    (
        "{{#if opening}}{{#if (eq opening.kind \"task-start\")}}{{task.title}}{{/if}}{{/if}}",
        "Pay",
    ),
    (
        "{{#if (lookup this \"opening\")}}{{#if (eq (lookup (lookup this \"opening\") \"kind\") \"task-start\")}}{{task.title}}{{/if}}{{/if}}",
        "Pay",
    ),
    (
        "{{#with (lookup this \"task\")}}{{lookup this \"title\"}}{{/with}}",
        "Pay",
    ),
    (
        "{{#each people}}{{@index}}{{#if @first}}F{{/if}}{{#if @last}}L{{/if}} {{name}} {{#if about}}{{about}}{{/if}};{{/each}}",
        "0F Ada x;1L Bob ;",
    ),
    (
        "{{#each people as |p i|}}{{i}}={{p.name}}{{#each p.tags as |t|}}[{{t}} of {{p.name}}, {{../name}}]{{/each}} {{/each}}",
        "0=Ada[t of Ada, Ada] 1=Bob ",
    ),
    (
        "{{#each people}}{{#each tags}}{{this}} {{../name}} {{../../desc}}{{/each}}{{/each}}",
        "t Ada D<&>",
    ),
    (
        "{{#each people}}{{#with @root.org}}{{@index}}{{name}}{{../name}} {{/with}}{{/each}}",
        "0AcmeAda 1AcmeBob ",
    ),
    ("{{#each names}}{{this}}{{else}}none{{/each}}", "none"),
    ("{{#each names}}{{this}}{{/each}}.", "."),
    (
        "{{#each names}}x{{else each people}}{{name}}{{else}}y{{/each}}",
        "AdaBob",
    ),
    (
        "{{#each options}}{{@key}}={{this}}{{#unless @last}},{{/unless}}{{/each}}",
        "a=1,b=2",
    ),
    ("{{#each options as |v k|}}{{k}}{{v}}{{/each}}", "a1b2"),
    (
        "{{#if names}}a{{else with org}}{{name}}{{else}}b{{/if}}",
        "Acme",
    ),
    ("{{#if names}}a{{else unless desc}}b{{else}}c{{/if}}", "c"),
    (
        "{{#each people}}{{#with size}}[{{this}}]{{else}}-{{/with}}{{/each}}",
        "[0]-",
    ),
    (
        "{{#each people as |p|}}{{#if boss}}{{#each @root.people}}{{#if p.boss}}{{p.boss.name}}<{{name}} {{/if}}{{/each}}{{/if}}{{/each}}",
        "Ada<Ada Ada<Bob ",
    ),
    ("{{#if options}}yes{{/if}}", "yes"),
    ("{{#with names}}x{{/with}}.", "."),
    (
        "\\{{desc}} \\\\{{desc}} $\\{{ x }} { } }} a{b}",
        "{{desc}} \\D<&> ${{ x }} { } }} a{b}",
    ),
    ("{{! c }}a{{!-- {{desc}} --}}b{{!-- --}}c{{!}}", "abc"),
    ("a  {{~desc~}}  b", "aD<&>b"),
    ("{{#if desc~}}  x  {{~else~}} y {{~/if}}", "x"),
    (
        "{{default org.about \"none\"}} {{default desc \"none\"}}",
        "none D<&>",
    ),
    (
        "{{len people}} {{len names}} {{len options}} {{len desc}}",
        "2 0 2 4",
    ),
    (
        "{{#if task}}{{join task.labels \", \"}}{{upper task.title}}{{lower task.status}}{{/if}}{{join names \"\"}}",
        "a, bPAYopen",
    ),
    ("{{#if (eq (len people) 2)}}two{{/if}}", "two"),
    (
        "{{truncate desc 2}}|{{indent desc 2}}|{{date desc \"long\"}}|{{json org}}|{{json names}}",
        "D…|  D<&>|D<&>|{\"about\":null,\"name\":\"Acme\"}|null",
    ),
    (
        "{{#if task}}{{task.count}}, {{task.done}}{{/if}}",
        "0, false",
    ),
    (
        "{{#if task}}{{#if (eq task.count 0)}}{{#if (eq task.done false)}}{{task.count}} {{/if}}{{/if}}{{/if}}",
        "0 ",
    ),
    (
        "{{#if task}}{{#if task.priority}}{{else}}{{#if (ne task.priority \"high\")}}ok{{/if}}{{/if}}{{/if}}",
        "ok",
    ),
    (
        "{{upper 'it \"is\"'}} {{upper \"it's }}\"}}",
        "IT \"IS\" IT'S }}",
    ),
];

#[test]
fn what_is_accepted_writes_what_it_says() {
    let context = context();
    let mut wrong = Vec::new();
    for (source, wanted) in ROWS {
        match check(source) {
            Err(found) => wrong.push(found.text(source)),
            Ok(checked) => {
                let meant = reference::render(checked.tree(), &context);
                let rendered =
                    Compiled::new(&checked).map(|compiled| compiled.render_value(&context, BOUNDS));
                let same = matches!(&rendered, Ok(Ok(rendered)) if rendered.text == *wanted);
                if meant.as_deref() != Ok(*wanted) || !same {
                    wrong.push(format!(
                        "{source}\n  wanted {wanted:?}\n  meant  {meant:?}\n  gives  {rendered:?}"
                    ));
                }
            }
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
fn what_a_template_reads_is_known() {
    let checked = check("{{#if task}}{{#with task.parent}}{{title}}{{/with}}{{/if}}{{#each people as |p|}}{{p.name}}{{/each}}{{json org}}").unwrap();
    let reads: Vec<_> = checked.reads().iter().map(String::as_str).collect();
    assert_eq!(
        reads,
        [
            "org.**",
            "people",
            "people.*.name",
            "task",
            "task.parent",
            "task.parent.title"
        ]
    );
}

#[test]
fn what_is_accepted_but_doubtful_is_warned_of() {
    let codes = |source: &str| {
        check(source)
            .unwrap()
            .warnings()
            .iter()
            .map(|one| (one.code, one.situations.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("{{org.about}}"), [("nullable-output", 0)]);
    assert_eq!(codes("{{#if org.about}}{{org.about}}{{/if}}"), []);
    assert_eq!(codes("{{#if org}}x{{else}}y{{/if}}"), [("dead-branch", 0)]);
    assert_eq!(
        codes(
            "{{#if opening}}{{#if task}}{{#if (eq opening.kind \"talk\")}}x{{/if}}{{/if}}{{/if}}"
        ),
        [("dead-branch", 0)]
    );
    assert_eq!(
        codes("{{#if opening}}{{opening.stop_reason}}{{/if}}"),
        [("nullable-output", 3)]
    );
}
