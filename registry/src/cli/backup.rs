//! `vestry backup`: a copy of the database, consistent and beside a running server.

use std::path::PathBuf;
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::database::DatabaseArg;
use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::safe;
use super::serve::shutdown_signal;
use crate::store::{self, Database};

/// How often the time is shown anew.
const TICK: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file to be made; nothing is written over.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The directory of keys and database.
    #[arg(long, env = "VESTRY_DATA", default_value = "vestry-data")]
    data: PathBuf,
    #[command(flatten)]
    database: DatabaseArg,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let Args {
        file,
        data,
        database,
    } = args;
    if database.database() != Database::Sqlite {
        return Err(Failure::new(
            "PostgreSQL is backed up with its own tools: `pg_dump -Fc`, or base backups with WAL; check what comes back with `vestry verify --database-url`",
        ));
    }
    let interrupted = shutdown_signal()?;
    let progress = progress("writing the backup");
    let made = tokio::select! {
        made = store::backup(&data, &file) => made,
        // What was written so far goes away with the future.
        () = interrupted => {
            progress.finish_and_clear();
            return Err(Failure::new("the backup was interrupted, and nothing was written"));
        }
    };
    progress.finish_and_clear();
    let made = made?;
    let name = file.display().to_string();
    let answer = json!({
        "file": name,
        "bytes": made.bytes,
        "digest": made.digest.to_string(),
    });
    options.out().either(&answer, || {
        format!(
            "wrote {} ({}, {}), without the keys of {}: keep a copy of those elsewhere",
            safe::line(&name),
            HumanBytes(made.bytes),
            made.digest,
            safe::line(&data.display().to_string())
        )
    })
}

/// How long something takes, on a terminal.
pub(super) fn progress(doing: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    if !bar.is_hidden() {
        bar.set_message(doing);
        bar.enable_steady_tick(TICK);
    }
    bar
}
