//! `vestry opening`: what a run begins with, as an agent gets it.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::failure::Outcome;
use super::load::context;
use super::options::Options;
use super::output::{Cell, Out, Table, safe, style, value};
use super::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The turn; asked again with the same role and context it gives the same opening. The server names one when left out.
    #[arg(long)]
    turn: Option<String>,
    /// The agent's role.
    #[arg(long)]
    role: Option<String>,
    /// The data of the run as JSON (`-` for standard input); `vestry templates samples NAME` prints one to begin with.
    #[arg(long, value_name = "FILE")]
    context: PathBuf,
    /// Print the text only: what the model gets.
    #[arg(long, conflicts_with = "json")]
    text: bool,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let mut body = Map::new();
    body.insert("context".to_owned(), context(&args.context)?.into());
    for (field, asked) in [("turn", args.turn), ("role", args.role)] {
        if let Some(asked) = asked {
            body.insert(field.to_owned(), asked.into());
        }
    }
    let call = Call::post("/v1/openings", &Value::Object(body));
    let answer = session
        .ask_for(As::Oneself, &call, &["turn", "parts", "rendered_digest"])
        .await?;
    let out = session.out;
    if args.text {
        return out.content(value::text(&answer.body, "text").as_bytes());
    }
    out.either(&answer.body, || human(out, &answer.body))
}

fn human(out: Out, opening: &Value) -> String {
    let mut table = Table::new(&["PART", "SCOPE", "REV", "CHARACTERS", ""]);
    for part in value::items(opening, "parts") {
        let name = match value::text(part, "kind") {
            "role-instruction" => format!("role:{}", value::text(part, "name")),
            _ => value::text(part, "name").to_owned(),
        };
        let mut marks = Vec::new();
        if value::flag(part, "templated") {
            marks.push("templated".to_owned());
        }
        if value::flag(part, "cut") {
            marks.push("cut".to_owned());
        }
        let shadows = value::joined(part, "shadows");
        if !shadows.is_empty() {
            marks.push(format!("overrides {shadows}"));
        }
        table.row(vec![
            Cell::from(name.as_str()),
            Cell::styled(value::text(part, "scope"), style::PLACE),
            value::number(part, "revision").into(),
            Cell::from(
                value::text(part, "body")
                    .chars()
                    .count()
                    .to_string()
                    .as_str(),
            ),
            Cell::styled(&marks.join(", "), style::FAINT),
        ]);
    }
    let mut text = table.render(out, "The run begins with nothing.");
    let omitted = value::number(opening, "omitted");
    let mut say = |line: String| {
        text.push_str(&safe::line(&line));
        text.push('\n');
    };
    if !matches!(omitted.as_str(), "" | "0") {
        say(format!(
            "{omitted} more are left out: {}",
            value::joined(opening, "omitted_names")
        ));
    }
    say(format!(
        "turn {}; `--text` prints what the model gets",
        value::text(opening, "turn")
    ));
    text
}
