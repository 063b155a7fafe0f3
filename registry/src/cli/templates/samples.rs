//! `vestry templates samples`: the data that templates are tried with.

use serde_json::json;

use super::WithSchema;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::output::Out;
use crate::template::samples;
use crate::template::schema::SKILLS_FIELD;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The name of one; all names are listed when it is left out.
    name: Option<String>,
    #[command(flatten)]
    schema: WithSchema,
}

pub(super) fn run(out: Out, args: &Args) -> Outcome {
    let schema = args.schema.read()?;
    let Some(name) = &args.name else {
        let names: Vec<String> = samples::samples(&schema)
            .into_iter()
            .map(|sample| sample.name)
            .collect();
        return if out.is_json() {
            out.json(&json!({"samples": names}))
        } else {
            out.text(&(names.join("\n") + "\n"))
        };
    };
    let sample = samples::sample(&schema, name).ok_or_else(|| {
        Failure::usage(format!(
            "there is no sample {name}; `vestry templates samples` lists them"
        ))
    })?;
    let mut given = sample.context.into_value();
    if let Some(given) = given.as_object_mut() {
        // What a host sends: the skills are the server's to say.
        given.remove(SKILLS_FIELD);
    }
    out.json(&given)
}
