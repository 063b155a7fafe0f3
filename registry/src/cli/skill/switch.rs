//! `vestry skill disable` and `enable`.

use super::Reference;
use super::change::{nothing, post};
use super::impact::{Why, foresee};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
    #[command(flatten)]
    why: Why,
    /// Only if this is the digest of the current revision.
    #[arg(long, value_name = "DIGEST")]
    if_match: Option<String>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args, verb: &str) -> Outcome {
    let session = Session::open(options)?;
    if args.why.dry.dry_run {
        return foresee(&session, &args.skill, &args.skill.scope, verb).await;
    }
    let if_match = args.if_match.as_deref();
    post(
        &session,
        &args.skill,
        verb,
        nothing(),
        args.why.reason(),
        if_match,
    )
    .await
}
