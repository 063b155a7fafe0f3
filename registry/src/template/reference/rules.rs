//! How what may be null is guarded, and what is refused. Each rule has a template under the built-in schema, which tests check.

use serde::Serialize;

/// A way to guard what may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Guard {
    /// The rule, in a sentence.
    pub rule: &'static str,
    /// A template that is accepted for it.
    pub example: &'static str,
}

/// Something that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Refusal {
    /// A template that is refused.
    pub example: &'static str,
    /// The code of the diagnostic.
    pub code: &'static str,
    /// Why.
    pub why: &'static str,
    /// The same as it is accepted; empty where there is no such thing.
    pub instead: &'static str,
}

/// How what may be null is guarded.
pub const GUARDS: &[Guard] = &[
    Guard {
        rule: "A path through something that may be null stands where `{{#if}}` or `{{#with}}` has found it set.",
        example: "{{#if task}}{{task.title}}{{/if}} {{#with task}}{{title}}{{/with}}",
    },
    Guard {
        rule: "The same holds in conditions: a path is guarded before it is asked, not while.",
        example: "{{#if task}}{{#if task.project}}{{task.project.name}}{{/if}}{{/if}}",
    },
    Guard {
        rule: "In the branch of `(and a b)` both are known; inside of it neither guards the other.",
        example: "{{#if (and task workspace.repository)}}{{task.title}} in {{workspace.repository}}{{/if}}",
    },
    Guard {
        rule: "`{{else}}` knows the opposite, and so does `{{#unless}}`.",
        example: "{{#unless task}}No task.{{else}}{{task.title}}{{/unless}}",
    },
    Guard {
        rule: "`(eq path null)` asks whether something is null; its `{{else}}` knows that it is not.",
        example: "{{#if (eq role.reports_to null)}}You report to nobody.{{else}}You report to {{role.reports_to.name}}.{{/if}}",
    },
    Guard {
        rule: "A comparison with `opening.kind` settles the situation, and with it which subject is set.",
        example: "{{#if opening}}{{#if (eq opening.kind \"task-start\")}}{{task.title}}: {{len opening.task.blockers}} blockers{{/if}}{{/if}}",
    },
    Guard {
        rule: "Items of lists are never null; `{{else}}` of `{{#each}}` is for a list that is empty.",
        example: "{{#each people}}{{name}}{{#unless @last}}, {{/unless}}{{else}}Nobody.{{/each}}",
    },
    Guard {
        rule: "A text or number that may be null prints as nothing; `default` gives it a word.",
        example: "{{#if task}}Due: {{default task.due \"no date\"}}{{/if}}",
    },
];

/// What is refused, and what to write instead.
pub const REFUSALS: &[Refusal] = &[
    Refusal {
        example: "{{task.title}}",
        code: "null-path",
        why: "`task` may be null, and nothing guards it here.",
        instead: "{{#if task}}{{task.title}}{{/if}}",
    },
    Refusal {
        example: "{{#if opening}}{{opening.task.events_total}}{{/if}}",
        code: "null-path",
        why: "`opening.task` is null in the openings of conversations.",
        instead: "{{#if opening}}{{#if opening.task}}{{opening.task.events_total}}{{/if}}{{/if}}",
    },
    Refusal {
        example: "{{role.nmae}}",
        code: "unknown-field",
        why: "There is no such field.",
        instead: "{{role.name}}",
    },
    Refusal {
        example: "{{#each people}}{{organization.name}}{{/each}}",
        code: "unknown-field",
        why: "Inside of `{{#each}}` names are those of the item; go out with `@root` or `../`.",
        instead: "{{#each people}}{{@root.organization.name}}{{/each}}",
    },
    Refusal {
        example: "{{#if opening}}{{#if (eq opening.kind \"task_start\")}}Begin.{{/if}}{{/if}}",
        code: "unknown-word",
        why: "The field never has this word.",
        instead: "{{#if opening}}{{#if (eq opening.kind \"task-start\")}}Begin.{{/if}}{{/if}}",
    },
    Refusal {
        example: "{{role}}",
        code: "not-printable",
        why: "An object or list has no text of its own: print its fields, or go through it with `{{#each}}`.",
        instead: "{{role.name}}",
    },
    Refusal {
        example: "{{#if eq role.name \"support\"}}Hello.{{/if}}",
        code: "block-argument",
        why: "A helper inside of a tag needs parentheses; without them it is read as a field.",
        instead: "{{#if (eq role.name \"support\")}}Hello.{{/if}}",
    },
    Refusal {
        example: "{{#people}}{{name}}{{/people}}",
        code: "unknown-block",
        why: "Say what the block is for: `{{#if}}`, `{{#each}}` or `{{#with}}`.",
        instead: "{{#each people}}{{name}}{{/each}}",
    },
    Refusal {
        example: "{{people.[0].name}}",
        code: "numeric-step",
        why: "A list may be shorter: go through it, and ask for `@first`.",
        instead: "{{#each people}}{{#if @first}}{{name}}{{/if}}{{/each}}",
    },
    Refusal {
        example: "{{people.length}}",
        code: "length",
        why: "Not every engine knows `.length`.",
        instead: "{{len people}}",
    },
    Refusal {
        example: "{{#each people}}{{../../organization.name}}{{/each}}",
        code: "past-root",
        why: "There is nothing above the context.",
        instead: "{{#each people}}{{../organization.name}}{{/each}}",
    },
    Refusal {
        example: "{{#each people as |len|}}{{len.name}}{{/each}}",
        code: "hides-helper",
        why: "A block parameter must not have the name of a helper.",
        instead: "{{#each people as |person|}}{{person.name}}{{/each}}",
    },
    Refusal {
        example: "{{lookup role role.name}}",
        code: "lookup",
        why: "A field that only the data names cannot be checked; `lookup` takes a name in quotes.",
        instead: "{{lookup role \"name\"}}",
    },
    Refusal {
        example: "{{> greeting}}",
        code: "partial",
        why: "One skill cannot include another.",
        instead: "",
    },
    Refusal {
        example: "{{* decorate}}",
        code: "decorator",
        why: "There are no decorators.",
        instead: "",
    },
    Refusal {
        example: "{{log role.name}}",
        code: "unknown-helper",
        why: "A template writes its text and nothing else.",
        instead: "",
    },
    Refusal {
        example: "{{#each people}}{{#each ../people}}{{@../index}}{{/each}}{{/each}}",
        code: "local-path",
        why: "Engines do not agree on `@../`; give the outer number a name.",
        instead: "{{#each people as |person number|}}{{#each ../people}}{{number}}{{/each}}{{/each}}",
    },
    Refusal {
        example: "{{(lookup this \"role\")}}",
        code: "call-in-parentheses",
        why: "A tag begins with a field or a helper.",
        instead: "{{role.name}}",
    },
    Refusal {
        example: "{{role.name}}}",
        code: "braces",
        why: "There is a brace too many; other engines refuse it.",
        instead: "{{role.name}}",
    },
    Refusal {
        example: "run: ${{ secrets }}",
        code: "dollar",
        why: "This reads as a tag; a backslash before it makes it text.",
        instead: "run: $\\{{ secrets }}",
    },
    Refusal {
        example: "{{#each people}}{{#each @root.people}}{{#each @root.people}}{{name}}{{/each}}{{/each}}{{/each}}",
        code: "too-costly",
        why: "What a template may cost is worked out from the maxima of the lists, and this is too much.",
        instead: "{{#each people}}{{name}}{{/each}}",
    },
];
