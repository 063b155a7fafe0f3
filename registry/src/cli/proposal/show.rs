//! `vestry proposal show`.

use super::{page, path_of, read_to_decide};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::session::{As, Session};
use crate::client::{BYTES, Call, query};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The proposal, such as p-12.
    id: String,
    /// Print the proposed SKILL.md alone.
    #[arg(long, conflicts_with = "file")]
    raw: bool,
    /// Print a proposed file alone.
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let proposal = read_to_decide(&session, &args.id).await?;
    if let Some(file) = &args.file {
        let path = query(
            &path_of(&args.id, &["file"]),
            &[("path", Some(file.as_str()))],
        );
        let answer = session
            .ask(As::Oneself, &Call::get(path).accept(BYTES))
            .await?;
        return session.out.content(&answer.bytes);
    }
    if !args.raw {
        return session
            .out
            .either(&proposal, || page::human(session.out, &proposal));
    }
    let review = proposal.get("review").unwrap_or(&serde_json::Value::Null);
    match value::text(review, "skill_md") {
        "" => Err(Failure::new(
            "you may not read the content of this proposal: agents get what lists show, and what was recalled is for publishers and auditors",
        )),
        skill_md => session.out.content(skill_md.as_bytes()),
    }
}
