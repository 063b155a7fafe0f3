//! `vestry proposal rebase`.

use serde_json::json;

use super::{path_of, print};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The proposal, such as p-12.
    id: String,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let call = Call::post(path_of(&args.id, &["rebase"]), &json!({}));
    let answer = session.ask(As::Oneself, &call).await?;
    print(session.out, &answer.body, "is rebased")
}
