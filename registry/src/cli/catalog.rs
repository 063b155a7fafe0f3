//! `vestry catalog`: the catalog of a turn, as an agent gets it.

use serde_json::Value;

use super::failure::Outcome;
use super::offer::{self, KeptOffer};
use super::options::Options;
use super::output::{Cell, Out, Table, safe, style, value};
use super::session::Session;
use crate::client::agent::{Terms, Turn};

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
    let terms = Terms {
        turn: args.turn,
        cap: args.cap,
        role: args.role,
        token_budget: args.token_budget,
        session: None,
    };
    let Turn {
        catalog,
        offer,
        json,
    } = Turn::take(&session, terms).await?;
    let kept = KeptOffer {
        server: session.server().to_string(),
        offer,
    };
    offer::keep(&options.profiles()?.file(&options.profile), &kept)?;
    let out = session.out;
    if args.block {
        return out.content(catalog.block.as_bytes());
    }
    out.either(&json, || human(out, &json))
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
