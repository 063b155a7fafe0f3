//! `vestry templates`: writing templates, without a server.

mod adopt;
mod check;
mod reference;
mod render;
mod samples;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::{Failure, Outcome};
use super::options::Options;
use crate::content::skill_md::SkillMd;
use crate::template::schema::Schema;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Check a template, and show what is wrong with it and where.
    Check(check::Args),
    /// Render a template over a sample, or over the data of a run.
    Render(render::Args),
    /// List the samples, or print one as JSON.
    Samples(samples::Args),
    /// Print the reference: every field, every helper, how to guard, what is refused.
    Reference(reference::Args),
    /// Say which skills of a directory could be templates, and why the others could not.
    Adopt(adopt::Args),
}

pub(super) fn run(options: &Options, command: Command) -> Outcome {
    let out = options.out();
    match command {
        Command::Check(args) => check::run(out, &args),
        Command::Render(args) => render::run(out, &args),
        Command::Samples(args) => samples::run(out, &args),
        Command::Reference(args) => reference::run(out, &args),
        Command::Adopt(args) => adopt::run(out, &args),
    }
}

/// Which context schema templates are written against.
#[derive(Debug, clap::Args)]
struct WithSchema {
    /// A context schema, instead of the built-in one.
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
}

impl WithSchema {
    fn read(&self) -> Result<Arc<Schema>, Failure> {
        let Some(path) = &self.schema else {
            return Ok(Arc::new(Schema::built_in().clone()));
        };
        let text = text(path)?;
        Schema::parse(&text).map(Arc::new).map_err(|faults| {
            let all: Vec<String> = faults.iter().map(ToString::to_string).collect();
            Failure::new(format!(
                "{} is not a context schema: {}",
                path.display(),
                all.join("; ")
            ))
        })
    }
}

/// A template of a file: the body of a SKILL.md, or any other text as it is. With the lines that stand before it.
struct Source {
    text: String,
    lines_before: usize,
}

impl Source {
    fn read(path: &Path) -> Result<Self, Failure> {
        let text = text(path)?;
        if !text.starts_with("---") {
            return Ok(Self {
                text,
                lines_before: 0,
            });
        }
        let parsed = SkillMd::parse(&text)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        let (before, body) = text
            .split_at_checked(parsed.body_offset)
            .unwrap_or((&text, ""));
        Ok(Self {
            lines_before: before.matches('\n').count(),
            text: body.to_owned(),
        })
    }
}

fn text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))
}
