//! `vestry audit verify`: check the hash chains of the audit log.

use std::path::PathBuf;

use super::failure::{Failure, Outcome};
use super::options::Options;
use super::say;
use crate::store::verify_audit;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The directory of keys and database.
    #[arg(long, env = "VESTRY_DATA", default_value = "vestry-data")]
    data: PathBuf,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let reports = verify_audit(&args.data).await?;
    let mut faults = 0;
    for report in &reports {
        let name = if report.tenant == "~" {
            "global"
        } else {
            &report.tenant
        };
        if options.json {
            say(serde_json::json!({
                "chain": name, "records": report.records, "head": report.head, "fault": report.fault,
            }));
        } else {
            match &report.fault {
                None => say(format_args!(
                    "ok     {name}: {} records, head {}",
                    report.records, report.head
                )),
                Some(fault) => say(format_args!("FAULT  {name}: {fault}")),
            }
        }
        faults += usize::from(report.fault.is_some());
    }
    if faults == 0 {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "{faults} of {} chains do not hold; keep the database as it is, and compare it with a backup",
            reports.len()
        )))
    }
}
