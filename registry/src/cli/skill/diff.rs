//! `vestry skill diff`.

use serde_json::Value;

use super::Reference;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::{Out, safe, value};
use crate::cli::session::{As, Session};
use crate::client::{Call, query};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
    /// The number of the earlier revision; the one before the later when left out.
    #[arg(long, value_name = "NUMBER")]
    from: Option<u32>,
    /// The number of the later revision; the current one when left out.
    #[arg(long, value_name = "NUMBER")]
    to: Option<u32>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let to = match args.to {
        Some(to) => to,
        None => current(&session, &args.skill).await?,
    };
    let from = match args.from {
        Some(from) => from,
        None if to > 1 => to - 1,
        None => {
            return Err(Failure::new(format!(
                "{} has one revision, so there is nothing to compare it with",
                args.skill
            )));
        }
    };
    let (from, to) = (from.to_string(), to.to_string());
    let path = query(
        &args.skill.path(&["diff"]),
        &[("from", Some(&from)), ("to", Some(&to))],
    );
    let answer = session
        .ask_for(As::Oneself, &Call::get(path), &["from", "to"])
        .await?
        .body;
    session.out.either(&answer, || human(session.out, &answer))
}

async fn current(session: &Session, skill: &Reference) -> Result<u32, Failure> {
    let answer = session
        .ask(As::Oneself, &Call::get(skill.path(&[])))
        .await?;
    answer
        .body
        .get("revision")
        .and_then(Value::as_u64)
        .and_then(|number| u32::try_from(number).ok())
        .ok_or_else(|| {
            Failure::new(
                "this is not a Vestry server, or an older one: its answer names no revision; check --server",
            )
        })
}

fn human(out: Out, answer: &Value) -> String {
    let mut text = match answer.get("unified").and_then(Value::as_str) {
        None => {
            "You may not read both revisions here; agents and services load bodies from an offer.\n"
                .to_owned()
        }
        Some("") => "The SKILL.md is the same.\n".to_owned(),
        Some(unified) => out.diff(unified),
    };
    for file in value::items(answer, "files") {
        let change = match value::text(file, "change") {
            "" => "changed",
            change => change,
        };
        text.push_str(&safe::line(&format!(
            "file {}: {change}",
            value::text(file, "path")
        )));
        text.push('\n');
    }
    text
}
