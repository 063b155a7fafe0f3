//! `vestry templates check`: what a publication would say of a template.

use std::path::PathBuf;

use serde_json::json;

use super::{Source, WithSchema};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::output::{Out, safe};
use crate::template::check;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// A SKILL.md, whose body is checked, or a text without frontmatter.
    file: PathBuf,
    #[command(flatten)]
    schema: WithSchema,
}

pub(super) fn run(out: Out, args: &Args) -> Outcome {
    let schema = args.schema.read()?;
    let source = Source::read(&args.file)?;
    let checked = check(&source.text, &schema);
    let (diagnostics, proved) = match &checked {
        Ok(checked) => (checked.warnings(), Some(checked)),
        Err(diagnostics) => (diagnostics, None),
    };
    if out.is_json() {
        out.json(&json!({
            "accepted": proved.is_some(),
            "lines_before": source.lines_before,
            "diagnostics": diagnostics,
            "reads": proved.map(|checked| checked.reads()),
            "steps": proved.map(|checked| checked.cost().steps),
            "bytes": proved.map(|checked| checked.cost().bytes),
        }))?;
    } else {
        let mut text = String::new();
        if !diagnostics.is_empty() {
            text.push_str(&safe::text(&diagnostics.text(&source.text)));
            if source.lines_before > 0 {
                text.push_str(&format!(
                    "Lines are those of the body, which begins after line {} of the file.\n",
                    source.lines_before
                ));
            }
        }
        if let Some(checked) = proved {
            let reads: Vec<&str> = checked.reads().iter().map(String::as_str).collect();
            text.push_str(&format!(
                "accepted: at most {} steps and {} bytes; reads {}\n",
                checked.cost().steps,
                checked.cost().bytes,
                if reads.is_empty() {
                    "nothing".to_owned()
                } else {
                    reads.join(", ")
                }
            ));
        }
        out.text(&text)?;
    }
    if proved.is_some() {
        Ok(())
    } else {
        Err(Failure::Said)
    }
}
