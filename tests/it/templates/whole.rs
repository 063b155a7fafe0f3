//! Skills that ship as templates, the built-in ones and those of `examples/templates`, over every context that there is to try them with.

use std::path::Path;

use serde_json::Value as Json;
use vestry::built_in;
use vestry::content::{PreparedSkill, SkillMd};
use vestry::template::builder::Context;
use vestry::template::samples::{combinations, random_context, samples};
use vestry::template::schema::{Schema, Situation};
use vestry::template::{Checked, Compiled, check};

use super::exhaustive::BOUNDS;

/// Random contexts of each situation.
const RANDOM: u64 = 30;

/// A skill that is a template, and accepted without a warning.
pub(super) struct Whole {
    pub(super) name: String,
    pub(super) frontmatter: serde_json::Map<String, Json>,
    pub(super) source: String,
    pub(super) checked: Checked,
    compiled: Compiled,
}

impl Whole {
    pub(super) fn read(name: &str, skill_md: &str) -> Whole {
        let parsed = SkillMd::parse(skill_md).unwrap();
        assert!(parsed.name == name && parsed.templated, "{name}");
        assert_eq!(parsed.warnings, [], "{name}");
        let published = PreparedSkill::from_skill_md(
            &name.parse().unwrap(),
            skill_md.to_owned(),
            String::new(),
        )
        .unwrap();
        let source = skill_md[parsed.body_offset..].to_owned();
        assert_eq!(published.template(), Some(source.as_str()), "{name}");
        let (checked, compiled) = accepted(name, &source);
        Whole {
            name: name.to_owned(),
            frontmatter: parsed.frontmatter,
            source,
            checked,
            compiled,
        }
    }

    /// What it writes; fails where the template does.
    pub(super) fn render(&self, context: &Context) -> String {
        let rendered = self
            .compiled
            .render(context, BOUNDS)
            .unwrap_or_else(|failure| panic!("{}: {failure}\n{}", self.name, context.value()));
        assert!(!rendered.cut, "{}", self.name);
        assert!(
            rendered.steps <= self.checked.cost().steps,
            "{}: {} steps",
            self.name,
            rendered.steps
        );
        rendered.text
    }

    /// What it writes over these samples, each under its name.
    pub(super) fn shown(&self, wanted: impl Fn(&str) -> bool) -> String {
        samples(Schema::built_in())
            .iter()
            .filter(|sample| wanted(&sample.name))
            .map(|sample| {
                format!(
                    "======== {} ========\n{}\n",
                    sample.name,
                    self.render(&sample.context)
                )
            })
            .collect()
    }
}

/// What is accepted without a warning, compiled.
pub(super) fn accepted(name: &str, source: &str) -> (Checked, Compiled) {
    let checked = check(source, Schema::built_in())
        .unwrap_or_else(|found| panic!("{name}: {}", found.text(source)));
    let warnings = checked.warnings().text(source);
    assert!(warnings.is_empty(), "{name}: {warnings}");
    let compiled = Compiled::new(&checked).unwrap();
    (checked, compiled)
}

/// The samples of a situation, every generated combination, and some random contexts.
pub(super) fn contexts(situation: &Situation) -> Vec<Context> {
    let schema = Schema::built_in();
    let prefix = format!("{}-", situation.name);
    let of_it = samples(schema).into_iter().filter(|sample| {
        *sample.name == *situation.name
            || ["empty", "sparse"]
                .iter()
                .any(|kind| sample.name.strip_prefix(&prefix) == Some(kind))
    });
    let all: Vec<Context> = of_it
        .map(|sample| sample.context)
        .chain(combinations(schema, situation))
        .chain((0..RANDOM).map(|seed| random_context(schema, situation, seed).unwrap()))
        .collect();
    assert!(all.len() > 20 + usize::try_from(RANDOM).unwrap());
    all
}

pub(super) fn built_in() -> Vec<Whole> {
    built_in::SKILLS
        .iter()
        .map(|skill| Whole::read(skill.name, skill.skill_md))
        .collect()
}

/// The directory of the examples.
pub(crate) fn directory() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/templates")
}

/// The examples, by name.
pub(super) fn examples() -> Vec<Whole> {
    let mut all: Vec<Whole> = std::fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            let text = std::fs::read_to_string(path.join("SKILL.md")).unwrap();
            Whole::read(name, &text)
        })
        .collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}
