//! `vestry skill seal` and `unseal`.

use super::Reference;
use super::change::{nothing, post};
use super::impact::{Why, foresee};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill, of a tenant or global.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
    #[command(flatten)]
    why: Why,
}

pub(in crate::cli) async fn run(options: &Options, args: Args, verb: &str) -> Outcome {
    let session = Session::open(options)?;
    if args.why.dry.dry_run {
        return foresee(&session, &args.skill, &args.skill.scope, verb).await;
    }
    post(
        &session,
        &args.skill,
        verb,
        nothing(),
        args.why.reason(),
        None,
    )
    .await
}
