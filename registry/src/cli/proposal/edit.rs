//! `vestry proposal edit`.

use std::path::PathBuf;

use super::{path_of, print, read};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::send::upload;
use crate::cli::session::{As, Session};
use crate::cli::skill::bundle_at;
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The proposal, such as p-12.
    id: String,
    /// A folder with a SKILL.md (its other files become the proposal's), a SKILL.md (the proposal keeps its files), or `-`
    /// for standard input.
    path: PathBuf,
    /// Why, for whoever decides; what was said before when left out.
    #[arg(long)]
    rationale: Option<String>,
    /// What changes; one line, for the history.
    #[arg(long, short)]
    message: Option<String>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let (_, bundle) = bundle_at(&args.path, options.out())?;
    let session = Session::open(options)?;
    let before = read(&session, &args.id).await?;
    if let Some(answer) = upload(&session, As::Oneself, &bundle).await? {
        return Err(Failure::refused(&answer, None));
    }
    let mut body = bundle.request(args.message.as_deref());
    if let Some(rationale) = args.rationale {
        body.insert("rationale".to_owned(), rationale.into());
    }
    // What was edited meanwhile is not written over.
    let tag = format!("\"{}\"", value::text(&before, "digest"));
    let call = Call::put(path_of(&args.id, &[]), &body.into()).header("if-match", tag);
    let answer = session.ask(As::Oneself, &call).await?;
    print(session.out, &answer.body, "is edited")
}
