//! `vestry proposal create`.

use super::print;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::send::upload;
use crate::cli::session::{As, Session};
use crate::cli::skill::Source;
use crate::client::agent::{AgentError, Evidence, Proposal, propose};
use crate::entropy::{Entropy, SystemEntropy};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    source: Source,
    /// Why, for whoever decides.
    #[arg(long)]
    rationale: String,
    /// What changes; one line, for the history.
    #[arg(long, short)]
    message: Option<String>,
    /// The turn that it was learned in.
    #[arg(long)]
    turn: Option<String>,
    /// A link that speaks for it, beginning with https://; may be given ten times.
    #[arg(long = "link", value_name = "URL")]
    links: Vec<String>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let (skill, bundle) = args.source.read(options.out())?;
    let session = Session::open(options)?;
    if let Some(answer) = upload(&session, As::Oneself, &bundle).await? {
        return Err(Failure::refused(&answer, Some(&skill.scope)));
    }
    let scope = skill.scope.clone();
    let proposal = Proposal {
        scope: skill.scope,
        name: skill.name.to_string(),
        rationale: args.rationale,
        evidence: Evidence {
            turn: args.turn,
            links: args.links,
        },
        content: bundle.request(args.message.as_deref()),
    };
    let entropy: &dyn Entropy = &SystemEntropy::default();
    let key = entropy.id("")?;
    match propose(&session, &proposal, &key).await {
        Ok(proposed) => print(session.out, &proposed.json, "is proposed"),
        Err(AgentError::Refused(answer)) => Err(Failure::refused(&answer, Some(&scope))),
        Err(error) => Err(error.into()),
    }
}
