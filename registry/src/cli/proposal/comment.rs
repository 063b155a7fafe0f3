//! `vestry proposal comment`.

use serde_json::json;

use super::path_of;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{safe, value};
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The proposal, such as p-12.
    id: String,
    /// What is to be said.
    text: String,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let call = Call::post(
        path_of(&args.id, &["comments"]),
        &json!({"text": args.text}),
    );
    let answer = session.ask_for(As::Oneself, &call, &["number"]).await?.body;
    session.out.either(&answer, || {
        let line = format!(
            "comment {} on {}",
            value::number(&answer, "number"),
            args.id
        );
        safe::line(&line).into_owned()
    })
}
