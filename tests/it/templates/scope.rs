//! The exhaustive scope: every template of a small grammar, by its number.

/// Conditions: paths, and what helpers make of them.
fn conditions() -> Vec<String> {
    let paths = [
        "task",
        "task.due",
        "task.parent",
        "opening",
        "items",
        "task.title",
    ];
    let mut all: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    for path in ["task", "task.parent", "opening"] {
        all.push(format!("(not {path})"));
        all.push(format!("(eq {path} null)"));
        all.push(format!("(ne {path} null)"));
    }
    all.push("(eq task.due \"d\")".into());
    all.push("(ne task.due \"d\")".into());
    all.push("(eq opening.kind \"start\")".into());
    all.push("(ne opening.kind \"start\")".into());
    all.push("(eq task.due task.title)".into());
    for (one, other) in [
        ("task", "task.parent"),
        ("task", "opening"),
        ("task.parent", "task.due"),
        ("task", "task"),
        ("items", "task.parent"),
        ("opening", "task.parent"),
    ] {
        for helper in ["and", "or"] {
            all.push(format!("({helper} {one} {other})"));
            all.push(format!("({helper} (not {one}) {other})"));
            all.push(format!("(not ({helper} {one} (not {other})))"));
        }
    }
    all.push("(and (eq opening null) (not task))".into());
    all.push("(or (eq opening null) (not task))".into());
    all
}

/// What opens a block, and what closes it.
fn blocks() -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    for condition in conditions() {
        all.push((format!("{{{{#if {condition}}}}}"), "{{/if}}"));
        all.push((format!("{{{{#unless {condition}}}}}"), "{{/unless}}"));
    }
    for path in [
        "task",
        "task.parent",
        "task.due",
        "opening",
        "@root.task",
        "note",
        "../task",
    ] {
        all.push((format!("{{{{#with {path}}}}}"), "{{/with}}"));
    }
    for path in ["items", "@root.items", "items as |x|"] {
        all.push((format!("{{{{#each {path}}}}}"), "{{/each}}"));
    }
    all
}

const LEAVES: [&str; 12] = [
    "{{task.title}}",
    "{{task.parent.title}}",
    "{{opening.kind}}",
    "{{task.due}}",
    "{{title}}",
    "{{name}}",
    "{{note.text}}",
    "{{x.note.text}}",
    "{{../task.title}}",
    "{{@root.task.parent.title}}",
    "{{parent.title}}",
    "{{#if note}}{{note.text}}{{/if}}",
];

/// Where the inner block stands in the outer, and the leaf in the inner.
const PLACES: usize = 4;

pub(super) struct Scope {
    blocks: Vec<(String, &'static str)>,
}

impl Scope {
    pub(super) fn new() -> Scope {
        Scope { blocks: blocks() }
    }

    pub(super) fn count(&self) -> usize {
        self.blocks.len() * self.blocks.len() * LEAVES.len() * PLACES
    }

    pub(super) fn template(&self, number: usize) -> String {
        let (outer, number) = (
            &self.blocks[number % self.blocks.len()],
            number / self.blocks.len(),
        );
        let (inner, number) = (
            &self.blocks[number % self.blocks.len()],
            number / self.blocks.len(),
        );
        let (leaf, place) = (LEAVES[number % LEAVES.len()], number / LEAVES.len());
        let part = |block: &(String, &str), body: &str, in_else: bool| {
            if in_else {
                format!("{}a{{{{else}}}}{body}{}", block.0, block.1)
            } else {
                format!("{}{body}{{{{else}}}}b{}", block.0, block.1)
            }
        };
        part(outer, &part(inner, leaf, place % 2 == 1), place / 2 == 1)
    }
}
