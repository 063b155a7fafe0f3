//! `vestry audit list`: read the audit log over the API.

use serde_json::{Value, json};

use super::Log;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{Cell, Table, style, value};
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Which log: the tenant's of the login, or the installation's; the tenant's when left out.
    #[arg(long, value_enum)]
    log: Option<Log>,
    /// Only this action, such as `publish-skill`.
    #[arg(long)]
    action: Option<String>,
    /// Only this principal, such as `human:maria`.
    #[arg(long)]
    principal: Option<String>,
    /// Only records since this time, such as `2027-01-15T08:00:00Z`.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only records before this time.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The most records, oldest first; 0 for all.
    #[arg(long, default_value_t = 200)]
    limit: usize,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let filter = [
        ("log", args.log.map(Log::as_str)),
        ("action", args.action.as_deref()),
        ("principal", args.principal.as_deref()),
        ("since", args.since.as_deref()),
        ("until", args.until.as_deref()),
    ];
    let most = (args.limit > 0).then_some(args.limit);
    let (items, has_more) = session.list("/v1/audit", &filter, most).await?;
    let out = session.out;
    out.either(&json!({"items": items, "has_more": has_more}), || {
        let mut table = Table::new(&[
            "SEQ",
            "AT",
            "PRINCIPAL",
            "ACTION",
            "VERDICT",
            "RULE",
            "TARGET",
        ]);
        for record in &items {
            table.row(row(record));
        }
        table.render(out, "There are no such records.")
    })?;
    if has_more && !out.is_json() {
        out.note(format!(
            "there are more than these {}; give --limit 0 for all",
            items.len()
        ));
    }
    Ok(())
}

fn row(record: &Value) -> Vec<Cell> {
    let principal = match value::text(record, "acts_for") {
        "" => value::text(record, "principal").to_owned(),
        actor => format!("{} for {actor}", value::text(record, "principal")),
    };
    let verdict = value::text(record, "verdict");
    vec![
        value::number(record, "seq").into(),
        value::time(record, "at").into(),
        principal.into(),
        value::text(record, "action").into(),
        Cell::styled(
            verdict,
            if verdict == "allow" {
                style::GOOD
            } else {
                style::BAD
            },
        ),
        value::text(record, "rule").into(),
        value::text(record, "target").into(),
    ]
}
