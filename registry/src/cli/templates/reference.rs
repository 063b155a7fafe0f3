//! `vestry templates reference`: everything that an author of templates can look up.

use super::WithSchema;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::output::Out;
use crate::template::reference::Reference;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    schema: WithSchema,
}

pub(super) fn run(out: Out, args: &Args) -> Outcome {
    let reference = Reference::of(&*args.schema.read()?);
    if out.is_json() {
        let value = serde_json::to_value(&reference)
            .map_err(|error| Failure::new(format!("the reference cannot be written: {error}")))?;
        out.json(&value)
    } else {
        out.text(&reference.to_markdown())
    }
}
