//! `vestry skill rollback`.

use serde_json::{Value, json};

use super::Reference;
use super::change::{quoted, send};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::session::Session;
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
    /// The number of the revision to go back to.
    #[arg(long, value_name = "NUMBER")]
    to: u32,
    /// Why; one line, for the history.
    #[arg(long)]
    reason: Option<String>,
    /// Only if this is the digest of the current revision.
    #[arg(long, value_name = "DIGEST")]
    if_match: Option<String>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let mut body = json!({"to": args.to});
    if let (Some(reason), Some(body)) = (args.reason, body.as_object_mut()) {
        body.insert("reason".to_owned(), Value::from(reason));
    }
    let mut call = Call::post(args.skill.path(&["rollback"]), &body);
    if let Some(digest) = &args.if_match {
        call = call.header("if-match", quoted(digest));
    }
    send(&session, &args.skill, &call).await
}
