//! `vestry skill seal` and `unseal`.

use super::Reference;
use super::change::{Reason, nothing, post};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill, of a tenant or global.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
    #[command(flatten)]
    why: Reason,
}

pub(in crate::cli) async fn run(options: &Options, args: Args, verb: &str) -> Outcome {
    let session = Session::open(options)?;
    post(
        &session,
        &args.skill,
        verb,
        nothing(),
        &args.why.reason,
        None,
    )
    .await
}
