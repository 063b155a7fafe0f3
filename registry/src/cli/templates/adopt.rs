//! `vestry templates adopt`: which bodies of a directory would check. Nothing is marked as a template by itself: a body with
//! `{{` may be a snippet of something else.

use std::path::PathBuf;

use serde_json::{Value, json};
use vestry_policies::SkillName;

use super::WithSchema;
use crate::bundle::{Bundle, LocalSkill, find};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::output::{Out, safe};
use crate::content::PreparedSkill;
use crate::template::check;
use crate::template::schema::Schema;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// A directory with skills at any depth, as for `vestry import`.
    directory: PathBuf,
    #[command(flatten)]
    schema: WithSchema,
}

/// What would become of a skill.
enum Verdict {
    /// It says already that it is a template, and is one.
    IsOne,
    /// It would check; this is what to write into it.
    Would,
    /// It has no tag, so that it would make no difference.
    NoTags,
    /// It would not, and why.
    Not(String),
}

impl Verdict {
    fn word(&self) -> &'static str {
        match self {
            Self::IsOne => "template",
            Self::Would => "would check",
            Self::NoTags => "no tags",
            Self::Not(_) => "refused",
        }
    }
}

pub(super) fn run(out: Out, args: &Args) -> Outcome {
    let schema = args.schema.read()?;
    let found = find(&args.directory)?;
    if found.skills.is_empty() {
        return Err(Failure::new(format!(
            "there is no skill in {}; name a directory with a SKILL.md",
            args.directory.display()
        )));
    }
    let judged: Vec<(&LocalSkill, Verdict)> = found
        .skills
        .iter()
        .map(|skill| (skill, judge(&schema, skill)))
        .collect();
    if out.is_json() {
        let skills: Vec<Value> = judged
            .iter()
            .map(|(skill, verdict)| {
                json!({
                    "name": skill.name,
                    "path": skill.place().display().to_string(),
                    "verdict": verdict.word(),
                    "reason": match verdict {
                        Verdict::Not(reason) => Some(reason),
                        _ => None,
                    },
                })
            })
            .collect();
        return out.json(&json!({"skills": skills}));
    }
    let mut text = String::new();
    let mut would = 0_usize;
    for (skill, verdict) in &judged {
        text.push_str(&format!(
            "{:<12} {}\n",
            verdict.word(),
            safe::line(&skill.place().display().to_string())
        ));
        match verdict {
            Verdict::Not(reason) => {
                for line in reason.lines() {
                    text.push_str(&format!("             {}\n", safe::line(line)));
                }
            }
            Verdict::Would => would = would.saturating_add(1),
            Verdict::IsOne | Verdict::NoTags => {}
        }
    }
    if would > 0 {
        text.push_str(&format!(
            "{would} would check. Where `{{{{` is meant for Vestry, add to the frontmatter:\nmetadata:\n  templated: \"true\"\n"
        ));
    }
    out.text(&text)
}

fn judge(schema: &Schema, skill: &LocalSkill) -> Verdict {
    let prepared = match prepared(skill) {
        Ok(prepared) => prepared,
        Err(reason) => return Verdict::Not(reason),
    };
    let source = prepared.body();
    match check(source, schema) {
        Err(diagnostics) => Verdict::Not(diagnostics.text(source)),
        Ok(_) if prepared.template().is_some() => Verdict::IsOne,
        Ok(_) if source.contains("{{") => Verdict::Would,
        Ok(_) => Verdict::NoTags,
    }
}

fn prepared(skill: &LocalSkill) -> Result<PreparedSkill, String> {
    let bundle = Bundle::read(skill).map_err(|error| error.to_string())?;
    let name = SkillName::parse(&skill.name).map_err(|error| error.to_string())?;
    PreparedSkill::from_skill_md(&name, bundle.skill_md, String::new())
        .map_err(|error| error.to_string())
}
