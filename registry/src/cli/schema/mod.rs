//! `vestry schema`: the context schema that templates are written against.

mod activate;
mod check;
mod report;
mod show;

use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;

use super::failure::{Failure, Outcome};
use super::options::Options;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Print the active context schema, or the built-in one.
    Show(show::Args),
    /// Say what activating a context schema would change, and which live templates would fail; for global administrators.
    Check(check::Args),
    /// Make a context schema the active one; for a global administrator, elevated for `global`.
    Activate(activate::Args),
}

pub(super) async fn run(options: &Options, command: Command) -> Outcome {
    match command {
        Command::Show(args) => show::run(options, args).await,
        Command::Check(args) => check::run(options, args).await,
        Command::Activate(args) => activate::run(options, args).await,
    }
}

/// The body of a request with the schema of a file, as it is written there: what order its keys have is its author's choice.
fn body(path: &Path, accept_breaking: bool, reason: Option<&str>) -> Result<String, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    let schema = RawValue::from_string(text.trim().to_owned())
        .map_err(|error| Failure::new(format!("{} is not JSON: {error}", path.display())))?;
    let reason = reason.map_or_else(String::new, |reason| {
        format!(r#","reason":{}"#, Value::from(reason))
    });
    Ok(format!(
        r#"{{"schema":{},"accept_breaking":{accept_breaking}{reason}}}"#,
        schema.get()
    ))
}
