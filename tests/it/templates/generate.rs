//! Random templates: mostly right, with the guards that they need, and now and then wrong.

use super::rng::Rng;

const TEXTS: [&str; 12] = [
    "a", " ", "\n", "x\n", "  ", "é", "{", "}", "\\{{", ".\r\n", "\n\n  ", "$",
];
const ANY: [&str; 14] = [
    "desc",
    "org.name",
    "org.about",
    "task.title",
    "task.due",
    "task.parent.title",
    "task.status",
    "task.count",
    "opening.kind",
    "opening.stop_reason",
    "@root.desc",
    "@root.org.name",
    "name",
    "this",
];
const IN_PEOPLE: [&str; 13] = [
    "boss.name",
    "name",
    "about",
    "this.name",
    "./about",
    "p.name",
    "p.about",
    "../desc",
    "../org.name",
    "@index",
    "@first",
    "i",
    "size",
];
const IN_LEAVES: [&str; 6] = ["this", "@index", "@last", "v", "k", "@key"];
const IN_TASK: [&str; 9] = [
    "title",
    "due",
    "parent.title",
    "status",
    "../desc",
    "count",
    "done",
    "priority",
    "../../desc",
];
const CONDITIONS: [&str; 16] = [
    "task",
    "opening",
    "desc",
    "people",
    "names",
    "options",
    "org.about",
    "task.parent",
    "task.due",
    "@root.task",
    "(eq opening null)",
    "(ne task null)",
    "(eq opening.kind \"task-start\")",
    "(eq task.status \"open\")",
    "(eq (len people) 2)",
    "(eq desc org.name)",
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum In {
    Root,
    People,
    Leaves,
    Task,
}

pub(super) struct Generator<'r> {
    pub(super) rng: &'r mut Rng,
    out: String,
    tags: usize,
}

impl Generator<'_> {
    /// A template of about so many tags.
    pub(super) fn template(rng: &mut Rng, tags: usize) -> String {
        let mut generator = Generator {
            rng,
            out: String::new(),
            tags,
        };
        while generator.tags > 0 {
            generator.node(In::Root, 0);
        }
        generator.out
    }

    fn path(&mut self, scope: In) -> &'static str {
        let own: &[&'static str] = match scope {
            In::Root => &ANY,
            In::People => &IN_PEOPLE,
            In::Leaves => &IN_LEAVES,
            In::Task => &IN_TASK,
        };
        if self.rng.chance(80) {
            own[self.rng.below(own.len())]
        } else {
            ANY[self.rng.below(ANY.len())]
        }
    }

    fn condition(&mut self, scope: In, depth: usize) -> String {
        match self.rng.below(if depth > 2 { 2 } else { 6 }) {
            0 => self.path(scope).to_owned(),
            1 => CONDITIONS[self.rng.below(CONDITIONS.len())].to_owned(),
            2 => format!("(not {})", self.condition(scope, depth + 1)),
            3 => CONDITIONS[self.rng.below(8)].to_owned(),
            _ => {
                let helper = if self.rng.chance(50) { "and" } else { "or" };
                format!(
                    "({helper} {} {})",
                    self.condition(scope, depth + 1),
                    self.condition(scope, depth + 1)
                )
            }
        }
    }

    fn open(&mut self) -> &'static str {
        if self.rng.chance(8) { "{{~" } else { "{{" }
    }

    fn close(&mut self) -> &'static str {
        if self.rng.chance(8) { "~}}" } else { "}}" }
    }

    fn tag(&mut self, inner: &str) {
        self.tags = self.tags.saturating_sub(1);
        let (open, close) = (self.open(), self.close());
        self.out.push_str(&format!("{open}{inner}{close}"));
    }

    fn body(&mut self, scope: In, depth: usize) {
        for _ in 0..self.rng.below(3) {
            self.node(scope, depth + 1);
        }
    }

    fn block(&mut self, name: &str, argument: &str, inner: In, outer: In, depth: usize) {
        self.tag(&format!("#{name} {argument}"));
        self.body(inner, depth);
        if self.rng.chance(25) {
            let condition = self.condition(outer, 1);
            self.tag(&format!("else if {condition}"));
            self.body(outer, depth);
        }
        if self.rng.chance(45) {
            self.tag("else");
            self.body(outer, depth);
        }
        self.tag(&format!("/{name}"));
    }

    fn value(&mut self, scope: In) {
        let path = self.path(scope);
        match self.rng.below(12) {
            0 => self.tag(&format!("default {path} \"none\"")),
            1 => self.tag(&format!("upper {path}")),
            2 => self.tag(&format!("truncate {path} 2")),
            3 => self.tag(&format!("indent {path} 2")),
            4 => self.tag(&format!("json {path}")),
            5 => self.tag(&format!("len {path}")),
            6 => self.tag("join names \", \""),
            7 => self.tag("lookup this \"desc\""),
            _ => self.tag(path),
        }
    }

    fn node(&mut self, scope: In, depth: usize) {
        if depth > 5 {
            return self.value(scope);
        }
        match self.rng.below(14) {
            0..=2 => {
                let text = TEXTS[self.rng.below(TEXTS.len())];
                self.out.push_str(text);
            }
            3 => self.out.push_str(if self.rng.chance(50) {
                "{{! c }}"
            } else {
                "{{!-- {{c}} --}}"
            }),
            4..=6 => self.value(scope),
            7 | 8 => {
                let condition = self.condition(scope, 0);
                let name = if self.rng.chance(70) { "if" } else { "unless" };
                self.block(name, &condition, scope, scope, depth);
            }
            9 => {
                let argument = self.rng.pick(&[
                    "people",
                    "people as |p|",
                    "people as |p i|",
                    "@root.people as |p i|",
                ]);
                self.block("each", argument, In::People, scope, depth);
            }
            10 => {
                let argument = self.rng.pick(&[
                    "names",
                    "options",
                    "options as |v k|",
                    "tags",
                    "p.tags as |v|",
                    "@root.names as |v k|",
                    "task.labels",
                ]);
                self.block("each", argument, In::Leaves, scope, depth);
            }
            11 => {
                let argument = self.rng.pick(&[
                    "task",
                    "@root.task",
                    "task.parent",
                    "parent",
                    "org",
                    "task as |t|",
                    "(lookup this \"task\")",
                    "size",
                    "about",
                    "boss",
                ]);
                self.block("with", argument, In::Task, scope, depth);
            }
            _ => {
                let guard = self.rng.pick(&[
                    "task",
                    "opening",
                    "org.about",
                    "names",
                    "(and task opening)",
                    "(ne task null)",
                ]);
                self.block("if", guard, scope, scope, depth);
            }
        }
    }
}
