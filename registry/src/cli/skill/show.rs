//! `vestry skill show`.

use serde_json::Value;

use super::Reference;
use super::change::refused;
use crate::cli::failure::{Failure, Outcome, Refusal};
use crate::cli::options::Options;
use crate::cli::output::{Out, safe, style, value};
use crate::cli::session::{As, Session};
use crate::client::{Answer, BYTES, Call, query};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
    /// The number of a revision; the current one when left out.
    #[arg(long, value_name = "NUMBER")]
    revision: Option<u32>,
    /// Print the SKILL.md only, byte for byte where no terminal reads it.
    #[arg(long, conflicts_with_all = ["json", "file"])]
    raw: bool,
    /// Print a bundled file only, byte for byte where no terminal reads it.
    #[arg(long, value_name = "PATH", conflicts_with = "json")]
    file: Option<String>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let revision = args.revision.map(|number| number.to_string());
    let path = match &revision {
        None => args.skill.path(&[]),
        Some(number) => args.skill.path(&["revisions", number]),
    };
    let out = session.out;
    if args.raw {
        let call = Call::get(path).accept("text/markdown");
        let answer = ask(&session, &args.skill, &call).await?;
        return out.content(&answer.bytes);
    }
    let answer = ask(&session, &args.skill, &Call::get(path)).await?;
    value::needs(&answer.body, &["revision", "status", "digest"])?;
    let Some(file) = args.file else {
        return out.either(&answer.body, || human(out, &args.skill, &answer.body));
    };
    let number = value::number(&answer.body, "revision");
    let path = query(
        &args.skill.path(&["revisions", &number, "file"]),
        &[("path", Some(&file))],
    );
    let call = Call::get(path).accept(BYTES);
    let answer = ask(&session, &args.skill, &call).await?;
    out.content(&answer.bytes)
}

/// Asks for the skill, or a part of it.
pub(super) async fn ask(
    session: &Session,
    skill: &Reference,
    call: &Call,
) -> Result<Answer, Failure> {
    let answer = session.send(As::Oneself, call).await?;
    if answer.status.is_success() {
        Ok(answer)
    } else {
        Err(refused(skill, &Refusal::of(&answer)))
    }
}

fn human(out: Out, skill: &Reference, answer: &Value) -> String {
    let mut status = value::text(answer, "status").to_owned();
    for mark in ["sealed", "templated"] {
        if value::flag(answer, mark) {
            status = format!("{status}, {mark}");
        }
    }
    if value::text(answer, "mode") == "ambient" {
        status.push_str(", ambient");
    }
    let mut text = out.fields(
        &[
            ("skill", skill.to_string()),
            ("revision", value::number(answer, "revision")),
            ("status", status),
            ("roles", value::joined(answer, "roles")),
            ("digest", value::text(answer, "digest").to_owned()),
            ("author", value::text(answer, "author").to_owned()),
            ("changed", changed(answer)),
            ("message", value::text(answer, "message").to_owned()),
            ("description", value::text(answer, "description").to_owned()),
        ],
        style::HEAD,
    );
    for file in value::items(answer, "files") {
        let line = format!(
            "{} ({} bytes)",
            value::text(file, "path"),
            value::number(file, "size")
        );
        text.push_str(&format!(
            "{} {}\n",
            out.paint(style::HEAD, "file"),
            safe::line(&line)
        ));
    }
    text.push('\n');
    match answer.get("body").and_then(Value::as_str) {
        Some(body) => text.push_str(&safe::text(body)),
        None => text.push_str("You may not read the body here: agents and services load it from an offer, and a recalled one is for publishers and auditors.\n"),
    }
    text
}

fn changed(answer: &Value) -> String {
    match value::time(answer, "updated_at") {
        time if time.is_empty() => value::time(answer, "created_at"),
        time => time,
    }
}
