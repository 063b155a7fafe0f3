//! What the builder is for: a template that was accepted renders with whatever context was built for what it reads.

use proptest::prelude::*;
use serde_json::Value;

use super::super::{Context, Needs, build};
use crate::template::samples::{combinations, random_context, samples};
use crate::template::schema::{SKILLS_FIELD, Schema};
use crate::template::{Bounds, Checked, Compiled, Rendered, World, check_in};

/// What hosts and authors write, from a line to an opening.
const TEMPLATES: [&str; 6] = [
    "You work for {{organization.name}}.{{#if organization.about}} {{organization.about}}{{/if}}",
    "{{#each people as |person n|}}{{n}}. {{person.name}}: {{default person.about \"nothing known\"}}\n{{/each}}",
    "{{#if task}}{{task.title}} ({{task.status}}){{#if task.parent}}, a part of {{task.parent.title}}{{/if}}\
     {{else if conversation}}With {{conversation.person.name}}{{else}}With {{agent_conversation.peer.id}}{{/if}}",
    "{{#if opening}}{{#if (eq opening.kind \"task-resume\")}}{{task.title}}\n\
     {{#each opening.task.blockers}}- {{title}} is {{status}}\n{{/each}}\
     {{#each opening.task.events}}{{at}} {{kind}}{{#if by}} by {{by}}{{/if}}: {{text}}\n{{/each}}\
     {{len opening.task.events}} of {{opening.task.events_total}} events\n\
     {{#with opening.task.handoff}}{{from.name}} left: {{text}}{{/with}}\
     {{#if opening.stop_reason}}Stopped: {{opening.stop_reason}}. {{default opening.stop_detail \"\"}}{{/if}}{{/if}}{{/if}}",
    "{{#if opening}}{{#if opening.conversation}}{{#each opening.conversation.messages}}\
     {{#if own}}You{{else}}{{from}}{{/if}}: {{text}}\n{{/each}}{{/if}}\
     {{#if opening.agent_conversation}}{{#each opening.agent_conversation.messages}}{{from}}: {{text}}\n{{/each}}{{/if}}{{/if}}",
    "{{role.name}}{{#with role.reports_to}} reports to {{name}}{{/with}}\
     {{#each role.chain}}, above: {{name}}{{/each}}{{#each role.reports}}, below: {{name}}{{/each}}\n\
     {{#each skills}}{{name}}: {{description}}\n{{/each}}{{#each projects}}{{name}}\n{{/each}}{{workspace.path}}",
];

fn checked(template: &str) -> Checked {
    let schema = Schema::built_in();
    let world = World {
        root: schema.root(),
        situations: schema.situations(),
    };
    check_in(template, world).unwrap_or_else(|diagnostics| panic!("{}", diagnostics.text(template)))
}

fn render(checked: &Checked, context: &Value) -> Rendered {
    let bounds = Bounds {
        bytes: 1 << 22,
        deadline: None,
    };
    let compiled = Compiled::new(checked).unwrap();
    compiled
        .render_value(context, bounds)
        .unwrap_or_else(|failure| panic!("{}: {failure}: {context}", checked.source()))
}

/// The maxima of the schema leave room for what authors write, and for one long list within another.
#[test]
fn what_authors_write_is_affordable() {
    for template in TEMPLATES {
        let steps = checked(template).cost().steps;
        assert!(steps <= 5_000, "{steps} steps: {template}");
    }
    checked(
        "{{#each people as |one|}}{{#each @root.people as |other|}}{{one.name}}{{other.name}}{{/each}}{{/each}}",
    );
}

#[test]
fn templates_render_with_every_sample_and_combination() {
    let schema = Schema::built_in();
    let mut contexts: Vec<Context> = samples(schema)
        .into_iter()
        .map(|sample| sample.context)
        .collect();
    for situation in schema.situations() {
        contexts.extend(combinations(schema, situation));
    }
    assert!(contexts.len() > 100);
    for template in TEMPLATES {
        let checked = checked(template);
        let texts: Vec<String> = contexts
            .iter()
            .map(|context| render(&checked, context.value()).text)
            .collect();
        assert!(texts.iter().any(|text| !text.is_empty()), "{template}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// A host gives some of what there is. If that is enough for what the template reads, the template renders, and writes
    /// what it writes with everything.
    #[test]
    fn what_is_not_read_changes_nothing(
        template in prop::sample::select(TEMPLATES.as_slice()),
        seed in any::<u64>(),
        situation in any::<prop::sample::Index>(),
        left_out in prop::collection::vec(0_usize..4, 24),
    ) {
        let schema = Schema::built_in();
        let situation = situation.get(schema.situations());
        let mut whole = random_context(schema, situation, seed).unwrap().into_value();
        whole[SKILLS_FIELD] = Value::Array(Vec::new());
        let mut given = whole.clone();
        let fields = given.as_object_mut().unwrap();
        fields.remove(SKILLS_FIELD);
        let checked = checked(template);
        let needs = Needs::of_reads(checked.reads());
        for (field, chance) in schema.root().fields.iter().zip(left_out) {
            // What may be null is data when it is left out, and so changes what is written.
            let free = !field.nullable || !needs.contains(&[&field.name]);
            if chance == 0 && free {
                fields.remove(&*field.name);
            }
        }
        if let Ok(context) = build(schema, &given, &needs) {
            prop_assert_eq!(render(&checked, context.value()), render(&checked, &whole));
        } else {
            let lacks = schema.root().fields.iter().any(|field| {
                needs.contains(&[&field.name]) && given.get(&*field.name).is_none()
            });
            prop_assert!(lacks);
        }
    }
}
