//! `vestry templates render`: what a template writes.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Source, WithSchema, text};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::output::Out;
use crate::template::builder::{Needs, build};
use crate::template::{Bounds, Compiled, MOST_OUTPUT, check, samples};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// A SKILL.md, whose body is rendered, or a text without frontmatter.
    file: PathBuf,
    /// The sample to render it over; `vestry templates samples` lists them.
    #[arg(long, default_value = "task-start", conflicts_with = "context")]
    sample: String,
    /// The data of a run as JSON, instead of a sample.
    #[arg(long, value_name = "FILE")]
    context: Option<PathBuf>,
    #[command(flatten)]
    schema: WithSchema,
}

pub(super) fn run(out: Out, args: &Args) -> Outcome {
    let schema = args.schema.read()?;
    let source = Source::read(&args.file)?;
    let checked = match check(&source.text, &schema) {
        Ok(checked) => checked,
        Err(diagnostics) => {
            for line in diagnostics.text(&source.text).lines() {
                out.note(line);
            }
            return Err(Failure::new("the template is refused, as it says above"));
        }
    };
    let context = match &args.context {
        None => {
            samples::sample(&schema, &args.sample)
                .ok_or_else(|| {
                    Failure::usage(format!(
                        "there is no sample {}; `vestry templates samples` lists them",
                        args.sample
                    ))
                })?
                .context
        }
        Some(path) => {
            let given: Value = serde_json::from_str(&text(path)?)
                .map_err(|error| Failure::new(format!("{} is no JSON: {error}", path.display())))?;
            build(&schema, &given, &Needs::of_reads(checked.reads())).map_err(|faults| {
                let all: Vec<String> = faults.iter().map(ToString::to_string).collect();
                Failure::new(format!("{}: {}", path.display(), all.join("; ")))
            })?
        }
    };
    let compiled = Compiled::new(&checked).map_err(|error| Failure::new(error.to_string()))?;
    let rendered = compiled
        .render(
            &context,
            Bounds {
                bytes: MOST_OUTPUT,
                deadline: None,
            },
        )
        .map_err(|error| Failure::new(format!("the template failed, {error}")))?;
    if out.is_json() {
        out.json(&json!({"text": rendered.text, "cut": rendered.cut}))
    } else {
        out.text(&rendered.text)
    }
}
