//! `vestry skill blame`.

use std::collections::HashMap;

use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

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
    let answer = session
        .ask_for(As::Oneself, &Call::get(path), &["lines"])
        .await?
        .body;
    session.out.either(&answer, || human(session.out, &answer))
}

/// One line of the SKILL.md a line: the revision that brought it, who wrote that, when, and the line.
fn human(out: Out, answer: &Value) -> String {
    let lines = value::items(answer, "lines");
    let who: HashMap<String, [String; 3]> = value::items(answer, "revisions")
        .iter()
        .map(|revision| (value::number(revision, "revision"), columns(revision)))
        .collect();
    let mut widths = [0; 3];
    for text in who.values() {
        for (width, text) in widths.iter_mut().zip(text) {
            *width = (*width).max(text.width());
        }
    }
    let last = lines.len().to_string().len();
    let unknown = [String::new(), String::new(), String::new()];
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let columns = who
            .get(&value::number(line, "revision"))
            .unwrap_or(&unknown);
        let mut said = String::new();
        for (column, width) in columns.iter().zip(widths) {
            let padding = width.saturating_sub(column.width()) + 1;
            said.push_str(column);
            said.extend(std::iter::repeat_n(' ', padding));
        }
        said.push_str(&format!("{:>last$} ", index + 1));
        text.push_str(&out.paint(style::FAINT, &said));
        text.push_str(&safe::text(
            value::text(line, "text").trim_end_matches('\r'),
        ));
        text.push('\n');
    }
    if answer.get("complete") == Some(&Value::Bool(false)) {
        text.push_str("The history is longer than what was looked at: lines of the oldest revision may be older.\n");
    }
    text
}

/// Number, author and day of a revision; the history has the time.
fn columns(revision: &Value) -> [String; 3] {
    let day = value::text(revision, "created_at")
        .chars()
        .take(10)
        .collect::<String>();
    [
        value::number(revision, "revision"),
        safe::line(value::text(revision, "author")).into_owned(),
        safe::line(&day).into_owned(),
    ]
}
