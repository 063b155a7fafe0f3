//! `vestry catalog`: the catalog of a turn, as an agent gets it.

use serde_json::{Map, Value};

use super::failure::Outcome;
use super::offer::{self, KeptOffer};
use super::options::Options;
use super::output::{Cell, Out, Table, safe, style, value};
use super::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The turn; asked again it gives the same catalog. The server names one when left out.
    #[arg(long)]
    turn: Option<String>,
    /// The most entries; 20 when left out.
    #[arg(long)]
    cap: Option<u64>,
    /// The agent's role.
    #[arg(long)]
    role: Option<String>,
    /// The most tokens that the block may take, estimated.
    #[arg(long, value_name = "TOKENS")]
    token_budget: Option<u64>,
    /// Print the block only: the text for the model.
    #[arg(long, conflicts_with = "json")]
    block: bool,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let mut body = Map::new();
    for (field, asked) in [
        ("turn", args.turn.map(Value::from)),
        ("cap", args.cap.map(Value::from)),
        ("role", args.role.map(Value::from)),
        ("token_budget", args.token_budget.map(Value::from)),
    ] {
        if let Some(asked) = asked {
            body.insert(field.to_owned(), asked);
        }
    }
    let call = Call::post("/v1/catalog", &Value::Object(body));
    let fields = ["turn", "offer", "expires_at", "entries"];
    let answer = session.ask_for(As::Oneself, &call, &fields).await?;
    let kept = KeptOffer {
        server: session.server().to_string(),
        turn: answer.text("turn").to_owned(),
        offer: answer.text("offer").to_owned(),
        expires_at: answer.text("expires_at").to_owned(),
    };
    offer::keep(&options.profiles()?.file(&options.profile), &kept)?;
    let out = session.out;
    if args.block {
        return out.content(value::needed_text(&answer.body, "block")?.as_bytes());
    }
    out.either(&answer.body, || human(out, &answer.body))
}

fn human(out: Out, catalog: &Value) -> String {
    let mut table = Table::new(&["NAME", "SCOPE", "REV", "", "DESCRIPTION"]);
    for entry in value::items(catalog, "entries") {
        let mut marks = Vec::new();
        if value::flag(entry, "sealed") {
            marks.push("sealed".to_owned());
        }
        if value::flag(entry, "templated") {
            marks.push("templated".to_owned());
        }
        let shadows = value::joined(entry, "shadows");
        if !shadows.is_empty() {
            marks.push(format!("overrides {shadows}"));
        }
        table.row(vec![
            value::text(entry, "name").into(),
            Cell::styled(value::text(entry, "scope"), style::PLACE),
            value::number(entry, "revision").into(),
            Cell::styled(&marks.join(", "), style::FAINT),
            value::text(entry, "description").into(),
        ]);
    }
    let mut text = table.render(out, "Nothing is offered.");
    let mut say = |line: String| {
        text.push_str(&safe::line(&line));
        text.push('\n');
    };
    for blocked in value::items(catalog, "blocked") {
        say(format!(
            "{} of {} is blocked by the sealed one of {}",
            value::text(blocked, "name"),
            value::text(blocked, "scope"),
            value::text(blocked, "by")
        ));
    }
    let omitted = value::number(catalog, "omitted");
    if !matches!(omitted.as_str(), "" | "0") {
        say(format!(
            "{omitted} more are not offered: {}",
            value::joined(catalog, "omitted_names")
        ));
    }
    if let Some(report) = catalog.get("report") {
        say(format!(
            "the budget of {} tokens kept {}: {}",
            value::number(report, "token_budget"),
            value::number(report, "kept"),
            value::text(report, "reason")
        ));
    }
    say(format!(
        "turn {}, offered until {}; `vestry load NAME` loads one",
        value::text(catalog, "turn"),
        value::time(catalog, "expires_at")
    ));
    text
}
