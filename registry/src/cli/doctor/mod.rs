//! `vestry doctor`: what is in order, what is not, and what to do.

mod client;
mod data;
mod finding;
mod server;

use std::path::PathBuf;

use serde_json::json;

use self::finding::{Finding, Level};
use super::database::DatabaseArg;
use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::{Cell, Table, style};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The data directory of a server on this machine; looked at only if it is given, or is there.
    #[arg(long, env = "VESTRY_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArg,
    /// Verify the audit log too, which reads all of it.
    #[arg(long)]
    audit: bool,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let mut findings = client::check(options);
    findings.extend(server::check(options).await);
    let default = PathBuf::from("vestry-data");
    let data = args.data.or_else(|| default.is_dir().then_some(default));
    match data {
        Some(data) => {
            findings.extend(data::check(&data, &args.database.database(), args.audit).await)
        }
        None => findings.push(Finding::ok(
            "data",
            "not looked at: no data directory here; --data DIR names one",
        )),
    }
    let out = options.out();
    let fails = findings
        .iter()
        .filter(|finding| finding.level == Level::Fail)
        .count();
    out.either(&json!({"ok": fails == 0, "checks": findings.iter().map(Finding::json).collect::<Vec<_>>()}), || {
        let mut table = Table::new(&["", "CHECK", "FOUND"]);
        for finding in &findings {
            let style = match finding.level {
                Level::Ok => style::GOOD,
                Level::Warn => style::WARN,
                Level::Fail => style::BAD,
            };
            table.row(vec![
                Cell::styled(finding.level.as_str(), style),
                finding.check.into(),
                finding.sentence().into(),
            ]);
        }
        table.render_whole(out)
    })?;
    if fails == 0 {
        Ok(())
    } else {
        Err(Failure::Said)
    }
}
