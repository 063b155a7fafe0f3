//! `vestry skill archive`.

use super::Reference;
use super::change::{quoted, send};
use super::impact::{Dry, foresee};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::session::Session;
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
    /// Only if this is the digest of the current revision.
    #[arg(long, value_name = "DIGEST")]
    if_match: Option<String>,
    #[command(flatten)]
    dry: Dry,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    if args.dry.dry_run {
        return foresee(&session, &args.skill, &args.skill.scope, "archive").await;
    }
    let mut call = Call::delete(args.skill.path(&[]));
    if let Some(digest) = &args.if_match {
        call = call.header("if-match", quoted(digest));
    }
    send(&session, &args.skill, &call).await
}
