//! `vestry restore`: make a backup the database of a new data directory.

use std::path::PathBuf;

use indicatif::HumanBytes;
use serde_json::json;

use super::backup::progress;
use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::safe;
use super::serve::shutdown_signal;
use super::verify::{counts, parts};
use crate::store;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The backup.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The data directory to be made; it is not there, or empty.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
}

pub(super) async fn run(options: &Options, Args { file, data }: Args) -> Outcome {
    let interrupted = shutdown_signal()?;
    let progress = progress("copying and verifying the backup");
    let restored = tokio::select! {
        restored = store::restore(&file, &data) => restored,
        () = interrupted => {
            progress.finish_and_clear();
            return Err(Failure::new("the restoration was interrupted, and nothing was restored"));
        }
    };
    progress.finish_and_clear();
    let restored = restored?;
    let (name, directory) = (file.display().to_string(), data.display().to_string());
    let answer = json!({
        "file": name,
        "data": directory,
        "bytes": restored.bytes,
        "sealed": restored.sealed,
        "parts": parts(&restored.verification),
        "pending": restored.verification.pending,
    });
    let out = options.out();
    if !restored.sealed {
        out.note(
            "the file has no seal: it was not made by `vestry backup`, and what has no digest of its own could not be checked",
        );
    }
    out.either(&answer, || {
        format!(
            "restored {} into {} ({}) after verifying it ({}); put checkpoint.key back, start the server, and rotate its keys",
            safe::line(&name),
            safe::line(&directory),
            HumanBytes(restored.bytes),
            counts(&restored.verification),
        )
    })
}
