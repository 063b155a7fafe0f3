//! `vestry skill blame`.

use serde_json::Value;

use super::Reference;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{Out, safe, style, value};
use crate::cli::session::{As, Session};
use crate::client::{Call, query};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
    /// The number of the revision; the current one when left out.
    #[arg(long, value_name = "NUMBER")]
    revision: Option<u32>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let revision = args.revision.map(|number| number.to_string());
    let path = query(
        &args.skill.path(&["blame"]),
        &[("revision", revision.as_deref())],
    );
    let answer = session.ask(As::Oneself, &Call::get(path)).await?.body;
    session.out.either(&answer, || human(session.out, &answer))
}

/// One line of the SKILL.md a line: who, when, in which revision, and the line.
fn human(out: Out, answer: &Value) -> String {
    let lines = value::items(answer, "lines");
    let of = |line: &Value| {
        [
            value::number(line, "revision"),
            safe::line(value::text(line, "author")).into_owned(),
            // The day will do: the history has the time.
            value::text(line, "at").chars().take(10).collect(),
        ]
    };
    let mut widths = [0; 3];
    for line in lines {
        for (width, text) in widths.iter_mut().zip(of(line)) {
            *width = (*width).max(text.chars().count());
        }
    }
    let [number, author, day] = widths;
    let last = lines.len().to_string().len();
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let [a, b, c] = of(line);
        let who = format!("{a:>number$} {b:<author$} {c:<day$} {:>last$} ", index + 1);
        text.push_str(&out.paint(style::FAINT, &who));
        text.push_str(&safe::text(
            value::text(line, "text").trim_end_matches(['\n', '\r']),
        ));
        text.push('\n');
    }
    text
}
