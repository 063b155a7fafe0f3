//! `vestry audit verify`: check the hash chains of the audit log, offline.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::chain_name;
use super::exported::Reader;
use super::kept::{Kept, Signed, heads, read_all};
use crate::checkpoint::{Checkpoint, Covers, VerifierKey};
use crate::cli::database::DatabaseArg;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::safe;
use crate::cli::say;
use crate::store::{ChainReport, verify_audit_against};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The directory of keys and database.
    #[arg(long, env = "VESTRY_DATA", default_value = "vestry-data")]
    data: PathBuf,
    #[command(flatten)]
    database: DatabaseArg,
    #[command(flatten)]
    kept: Kept,
    /// Verify an exported log instead of a database.
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let mut report = Report {
        is_json: options.json,
        faults: 0,
    };
    let chains = match &args.export {
        Some(export) => verify_export(&mut report, export, &args)?,
        None => verify_database(&mut report, &args).await?,
    };
    for chain in &chains {
        report.chain(chain);
    }
    if report.faults == 0 {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "the audit log does not hold ({}); keep the database as it is, and compare it with a backup",
            counted(report.faults, "finding")
        )))
    }
}

async fn verify_database(report: &mut Report, args: &Args) -> Result<Vec<ChainReport>, Failure> {
    let signed = args.kept.read(Some(&args.data))?;
    report.signed(&signed);
    Ok(verify_audit_against(&args.data, &args.database.database(), &signed.known).await?)
}

fn verify_export(
    report: &mut Report,
    export: &Path,
    args: &Args,
) -> Result<Vec<ChainReport>, Failure> {
    let (reader, header) = Reader::open(export)?;
    let key = if let Some(key) = &args.kept.key {
        key.clone()
    } else {
        report.note(format!(
            "the key is the one that the export itself names, {}: compare it with one that you had before",
            safe::line(&header.key)
        ));
        VerifierKey::parse(&header.key)?
    };
    let signed = read_all(&args.kept.checkpoints, &key)?;
    report.signed(&signed);
    let mut known = signed.known;
    match Checkpoint::open(header.checkpoint.as_bytes(), &key) {
        Ok(checkpoint) if checkpoint.covers == Covers::OneChain => {
            known.extend(heads(&checkpoint, "the export itself"));
        }
        Ok(_) => report.fault("the checkpoint of the export is not one of its chain".to_owned()),
        Err(error) => report.fault(format!("the checkpoint of the export: {error}")),
    }
    if !known.iter().any(|known| known.head.chain == header.chain) {
        report.fault(format!(
            "no checkpoint speaks of the chain {}, so that its end could have been cut off unseen",
            chain_name(&header.chain)
        ));
    }
    let walked = reader.walk(&header.chain, &known);
    Ok(vec![ChainReport {
        tenant: header.chain,
        records: walked.records,
        head: walked.head,
        faults: walked.faults,
    }])
}

fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// What is printed, and how much was found.
struct Report {
    is_json: bool,
    faults: usize,
}

impl Report {
    fn chain(&mut self, report: &ChainReport) {
        let name = chain_name(&report.tenant);
        if self.is_json {
            say(json!({
                "chain": name, "records": report.records, "head": report.head, "faults": report.faults,
            }));
        } else if report.faults.is_empty() {
            say(format_args!(
                "ok     {}: {} records, head {}",
                safe::line(name),
                report.records,
                safe::line(&report.head)
            ));
        } else {
            for fault in &report.faults {
                say(format_args!(
                    "FAULT  {}: {}",
                    safe::line(name),
                    safe::line(fault)
                ));
            }
        }
        self.faults += report.faults.len();
    }

    fn signed(&mut self, signed: &Signed) {
        for (path, checkpoint) in &signed.files {
            self.checkpoint(path, checkpoint);
        }
        for fault in &signed.faults {
            self.fault(fault.clone());
        }
    }

    fn checkpoint(&self, path: &Path, checkpoint: &Checkpoint) {
        let (file, at) = (path.display().to_string(), checkpoint.at.rfc3339());
        let chains = checkpoint.heads.len();
        let covers = counted(chains, "chain");
        if self.is_json {
            say(json!({"checkpoint": file, "at": at, "chains": chains}));
        } else {
            say(format_args!(
                "ok     checkpoint {}: signed at {at}, {covers}",
                safe::line(&file)
            ));
        }
    }

    fn fault(&mut self, sentence: String) {
        self.faults += 1;
        if self.is_json {
            say(json!({"fault": sentence}));
        } else {
            say(format_args!("FAULT  {}", safe::line(&sentence)));
        }
    }

    fn note(&self, sentence: String) {
        if self.is_json {
            say(json!({"note": sentence}));
        } else {
            say(format_args!("note   {}", safe::line(&sentence)));
        }
    }
}
