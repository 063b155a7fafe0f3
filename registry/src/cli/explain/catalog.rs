//! `vestry explain catalog`.

use serde_json::{Value, json};

use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{Cell, Table, style, value};
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// An actor of your tenant; yourself when left out.
    #[arg(long)]
    actor: Option<String>,
    /// The most entries; 20 when left out.
    #[arg(long)]
    cap: Option<u64>,
    /// The agent's role.
    #[arg(long)]
    role: Option<String>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let cap = args.cap.map(|cap| cap.to_string());
    let filter = [
        ("actor", args.actor.as_deref()),
        ("cap", cap.as_deref()),
        ("role", args.role.as_deref()),
    ];
    let (items, _) = session.list("/v1/explain/catalog", &filter, None).await?;
    let out = session.out;
    out.either(&json!({"items": items}), || {
        let mut table = Table::new(&["NAME", "SCOPE", "REV", "PLACE", "WHY"]);
        for item in &items {
            table.row(row(item));
        }
        table.render(out, "There are no skills at these scopes.")
    })
}

fn row(item: &Value) -> Vec<Cell> {
    let place = value::text(item, "place");
    let position = value::number(item, "position");
    let why = match (place, value::text(item, "by")) {
        ("offered", _) => format!("number {position} of the catalog"),
        ("omitted", _) => format!("number {position}, beyond the cap"),
        ("shadowed", by) => format!("the skill of {by} overrides it"),
        ("blocked", by) => format!("the sealed skill of {by} keeps it out"),
        ("hidden", _) => "the tenant hides it".to_owned(),
        ("other-role", _) => "it is attached to other roles".to_owned(),
        ("ambient", _) => "it belongs into openings".to_owned(),
        ("other-source", _) => "another source of the scope has the name".to_owned(),
        (state, _) => format!("what is {state} takes no part"),
    };
    let paint = if place == "offered" {
        style::GOOD
    } else {
        style::FAINT
    };
    vec![
        value::text(item, "name").into(),
        Cell::styled(value::text(item, "scope"), style::PLACE),
        value::number(item, "revision").into(),
        Cell::styled(place, paint),
        why.into(),
    ]
}
