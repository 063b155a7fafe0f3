//! `vestry verify`: verify a backup or a database whole.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::audit::kept::{Kept, Signed};
use super::backup::progress;
use super::database::DatabaseArg;
use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::{Out, safe};
use crate::store::{Database, Verification, verify_directory, verify_file, verify_postgres};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A backup, or another file that is a database; the database of the data directory when left out.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The directory of keys and database; works beside a running server.
    #[arg(long, env = "VESTRY_DATA", default_value = "vestry-data")]
    data: PathBuf,
    #[command(flatten)]
    database: DatabaseArg,
    #[command(flatten)]
    kept: Kept,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let progress = progress("verifying");
    let found = match &args.file {
        Some(file) => {
            let signed = args.kept.read(None)?;
            let found = verify_file(file, &signed.known).await;
            found.map(|found| (file.clone(), signed, found))
        }
        None => {
            let signed = args.kept.read(Some(&args.data))?;
            let found = match args.database.database() {
                Database::Sqlite => verify_directory(&args.data, &signed.known).await,
                Database::Postgres(url) => verify_postgres(&url, &signed.known).await,
            };
            found.map(|found| (args.data, signed, found))
        }
    };
    progress.finish_and_clear();
    let (path, signed, found) = found?;
    let faults = found.faults().saturating_add(signed.faults.len() as u64);
    let out = options.out();
    let path = path.display().to_string();
    if out.is_json() {
        out.json(&json!({
            "verified": path,
            "ok": faults == 0,
            "parts": parts(&found),
            "checkpoints": signed.count(),
            "checkpoint_faults": signed.faults,
            "pending": found.pending,
            "notes": found.notes,
        }))?;
    } else {
        print(out, &signed, &found)?;
    }
    match faults {
        0 => Ok(()),
        1 => Err(wrong(&path, "1 finding")),
        _ => Err(wrong(&path, &format!("{faults} findings"))),
    }
}

fn wrong(path: &str, findings: &str) -> Failure {
    Failure::new(format!(
        "{path} does not verify ({findings}); keep it as it is, and restore a backup that does"
    ))
}

fn print(out: Out, signed: &Signed, found: &Verification) -> Outcome {
    let mut text = String::new();
    let mut line = |level: &str, sentence: &str| {
        text.push_str(&format!("{level:<6} {}\n", safe::line(sentence)));
    };
    for part in &found.parts {
        if part.found() == 0 {
            line("ok", &format!("{}: {}", part.name(), part.number()));
        }
        for fault in part.faults() {
            line("FAULT", &format!("{}: {fault}", part.name()));
        }
        let more = part.found().saturating_sub(part.faults().len() as u64);
        if more > 0 {
            line("FAULT", &format!("{}: and {more} more", part.name()));
        }
    }
    if signed.count() > 0 {
        line("ok", &format!("checkpoints: {}", signed.count()));
    }
    for fault in &signed.faults {
        line("FAULT", &format!("checkpoints: {fault}"));
    }
    for note in &found.notes {
        line("note", note);
    }
    if !found.pending.is_empty() {
        line(
            "note",
            &format!(
                "the next start applies these migrations: {}",
                found.pending.join(", ")
            ),
        );
    }
    out.text(&text)
}

/// What was looked at, for scripts.
pub(super) fn parts(found: &Verification) -> Value {
    found
        .parts
        .iter()
        .map(|part| {
            json!({
                "part": part.name(), "checked": part.number(), "found": part.found(), "faults": part.faults(),
            })
        })
        .collect()
}

/// What was looked at, in words.
pub(super) fn counts(found: &Verification) -> String {
    let counts: Vec<String> = found
        .parts
        .iter()
        .filter(|part| part.number() > 0)
        .map(|part| format!("{} {}", part.name(), part.number()))
        .collect();
    counts.join(", ")
}
