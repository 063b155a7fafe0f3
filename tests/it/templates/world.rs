//! A small context, made by hand: every type, nullable and not, and three kinds of runs.

use std::sync::{Arc, LazyLock};

use vestry::template::schema::types::{Field, Known, Object, Situation, Type};
use vestry::template::{Checked, Diagnostics, World, check_in};

pub(super) struct Small {
    root: Object,
    situations: Vec<Situation>,
}

impl Small {
    pub(super) fn new(root: Object, situations: Vec<Situation>) -> Small {
        Small { root, situations }
    }

    pub(super) fn world(&self) -> World<'_> {
        World {
            root: &self.root,
            situations: &self.situations,
        }
    }
}

pub(super) fn field(name: &str, ty: Type, nullable: bool) -> Field {
    Field {
        name: name.into(),
        description: name.into(),
        ty,
        nullable,
        required: !nullable,
        sample: None,
    }
}

pub(super) fn object(fields: Vec<Field>) -> Type {
    Type::Object(Arc::new(Object { fields }))
}

pub(super) fn text(max: usize) -> Type {
    Type::Str { max }
}

pub(super) fn words(words: &[&str]) -> Type {
    Type::Enum {
        values: words.iter().map(|word| Arc::from(*word)).collect(),
    }
}

pub(super) fn list(of: Type, max: usize) -> Type {
    Type::List {
        of: Arc::new(of),
        max,
    }
}

fn situation(name: &str, known: &[(&[&str], Known)]) -> Situation {
    Situation {
        name: name.into(),
        known: known
            .iter()
            .map(|(path, known)| {
                (
                    path.iter().map(|step| Arc::from(*step)).collect(),
                    known.clone(),
                )
            })
            .collect(),
    }
}

/// The context of the tables and of random templates.
pub(super) static SMALL: LazyLock<Small> = LazyLock::new(|| {
    let parent = object(vec![
        field("title", text(6), false),
        field("due", text(6), true),
    ]);
    let task = object(vec![
        field("title", text(6), false),
        field("due", text(6), true),
        field("parent", parent, true),
        field("status", words(&["open", "closed", "blocked"]), false),
        field("priority", words(&["high", "low"]), true),
        field("count", Type::Int { min: 0, max: 99 }, false),
        field("done", Type::Bool, false),
        field("labels", list(text(4), 3), false),
    ]);
    let person = object(vec![
        field("name", text(6), false),
        field("about", text(6), true),
        field("tags", list(text(4), 2), false),
        field("size", Type::Int { min: -3, max: 3 }, true),
        field("boss", object(vec![field("name", text(6), false)]), true),
    ]);
    let opening = object(vec![
        field("kind", words(&["task-start", "task-resume", "talk"]), false),
        field("stop_reason", text(6), true),
    ]);
    let root = Object {
        fields: vec![
            field(
                "org",
                object(vec![
                    field("name", text(6), false),
                    field("about", text(6), true),
                ]),
                false,
            ),
            field("task", task, true),
            field("opening", opening, true),
            field("people", list(person, 3), false),
            field("names", list(text(4), 3), true),
            field(
                "options",
                Type::Map {
                    of: Arc::new(text(4)),
                    max: 2,
                    key_max: 4,
                },
                false,
            ),
            field("desc", text(6), false),
        ],
    };
    let opened = |word: &str| {
        vec![
            (&["opening"] as &[&str], Known::NonNull),
            (&["opening", "kind"] as &[&str], Known::Eq(word.into())),
        ]
    };
    let with = |word: &str, task: Known| {
        let mut known = opened(word);
        known.push((&["task"], task));
        situation(word, &known)
    };
    let situations = vec![
        with("task-start", Known::NonNull),
        with("task-resume", Known::NonNull),
        with("talk", Known::Null),
        situation("loaded", &[(&["opening"], Known::Null)]),
    ];
    Small { root, situations }
});

/// The context of the exhaustive scope.
pub(super) static TINY: LazyLock<Small> = LazyLock::new(|| {
    let parent = object(vec![field("title", text(1), false)]);
    let task = object(vec![
        field("title", text(1), false),
        field("due", text(1), true),
        field("parent", parent, true),
    ]);
    let note = object(vec![field("text", text(1), false)]);
    let item = object(vec![
        field("name", text(1), false),
        field("note", note, true),
    ]);
    let opening = object(vec![field("kind", words(&["start", "resume"]), false)]);
    let root = Object {
        fields: vec![
            field("opening", opening, true),
            field("task", task, true),
            field("items", list(item, 2), false),
        ],
    };
    let kind = |word: &str| (&["opening", "kind"] as &[&str], Known::Eq(word.into()));
    let situations = vec![
        situation(
            "start",
            &[
                (&["opening"], Known::NonNull),
                kind("start"),
                (&["task"], Known::NonNull),
            ],
        ),
        situation("resume", &[(&["opening"], Known::NonNull), kind("resume")]),
        situation("loaded", &[(&["opening"], Known::Null)]),
    ];
    Small { root, situations }
});

pub(super) fn check(source: &str) -> Result<Checked, Diagnostics> {
    check_in(source, SMALL.world())
}
