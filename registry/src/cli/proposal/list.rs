//! `vestry proposal list`.

use serde_json::json;

use super::state_style;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{Cell, Table, style, value};
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Only those for this scope.
    #[arg(long)]
    scope: Option<String>,
    /// Only those in this state.
    #[arg(long, value_enum)]
    state: Option<State>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum State {
    Open,
    Stale,
    Published,
    Rejected,
    Withdrawn,
    Expired,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stale => "stale",
            Self::Published => "published",
            Self::Rejected => "rejected",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
        }
    }
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let filter = [
        ("scope", args.scope.as_deref()),
        ("state", args.state.map(State::as_str)),
    ];
    let (items, _) = session.list("/v1/proposals", &filter, None).await?;
    let out = session.out;
    out.either(&json!({"items": items}), || {
        let mut table = Table::new(&["ID", "STATE", "FOR", "BY", "PROPOSED", "DESCRIPTION"]);
        for item in &items {
            let state = value::text(item, "state");
            let target = format!(
                "{}/{}",
                value::text(item, "scope"),
                value::text(item, "name")
            );
            table.row(vec![
                value::text(item, "id").into(),
                Cell::styled(state, state_style(state)),
                Cell::styled(&target, style::PLACE),
                value::text(item, "author").into(),
                value::time(item, "created_at").into(),
                value::text(item, "description").into(),
            ]);
        }
        table.render(out, "There are no such proposals.")
    })
}
