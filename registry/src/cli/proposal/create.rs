//! `vestry proposal create`.

use serde_json::{Value, json};

use super::print;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::send::upload;
use crate::cli::session::{As, Session};
use crate::cli::skill::Source;
use crate::client::Call;

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
    let mut body = bundle.request(args.message.as_deref());
    if let Some(fields) = body.as_object_mut() {
        fields.insert("scope".to_owned(), skill.scope.as_str().into());
        fields.insert("name".to_owned(), skill.name.to_string().into());
        fields.insert("rationale".to_owned(), args.rationale.into());
        if let Some(evidence) = evidence(args.turn, args.links) {
            fields.insert("evidence".to_owned(), evidence);
        }
    }
    let answer = session
        .ask(As::Oneself, &Call::post("/v1/proposals", &body))
        .await?;
    print(session.out, &answer.body, "is proposed")
}

fn evidence(turn: Option<String>, links: Vec<String>) -> Option<Value> {
    match (turn, links.is_empty()) {
        (None, true) => None,
        (None, false) => Some(json!({"links": links})),
        (Some(turn), true) => Some(json!({"turn": turn})),
        (Some(turn), false) => Some(json!({"turn": turn, "links": links})),
    }
}
