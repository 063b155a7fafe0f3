//! `vestry skill quarantine`, `release` and `revoke`.

use serde_json::json;

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
    /// The number of the revision; the current one when left out.
    #[arg(long, value_name = "NUMBER", conflicts_with = "dry_run")]
    revision: Option<u32>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args, verb: &str) -> Outcome {
    let session = Session::open(options)?;
    if args.why.dry.dry_run {
        return foresee(&session, &args.skill, &args.skill.scope, verb).await;
    }
    let body = args
        .revision
        .map_or_else(nothing, |revision| json!({"revision": revision}));
    post(&session, &args.skill, verb, body, args.why.reason(), None).await
}
