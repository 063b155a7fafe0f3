//! `vestry audit`: read, keep and verify the audit log.

mod checkpoint;
mod export;
mod exported;
pub(super) mod kept;
mod key;
mod list;
mod verify;

use std::path::{Path, PathBuf};

use super::failure::{Failure, Outcome};
use super::options::Options;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Read the audit log over the API.
    List(list::Args),
    /// Take a whole log over the API, with what is needed to verify it offline.
    Export(export::Args),
    /// Sign where the log ends now, to be kept elsewhere.
    Checkpoint(checkpoint::Args),
    /// Print the key that verifies checkpoints.
    Key(key::Args),
    /// Verify every chain of the audit log; only reads, works beside a running server.
    Verify(verify::Args),
}

pub(super) async fn run(options: &Options, command: Command) -> Outcome {
    match command {
        Command::List(args) => list::run(options, args).await,
        Command::Export(args) => export::run(options, args).await,
        Command::Checkpoint(args) => checkpoint::run(options, args).await,
        Command::Key(args) => key::run(options, args).await,
        Command::Verify(args) => verify::run(options, args).await,
    }
}

/// Which log.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Log {
    /// The tenant's.
    Tenant,
    /// The installation's.
    Global,
}

impl Log {
    fn as_str(self) -> &'static str {
        match self {
            Self::Tenant => "tenant",
            Self::Global => "global",
        }
    }
}

/// The name of a chain for people.
fn chain_name(chain: &str) -> &str {
    if chain == "~" { "global" } else { chain }
}

/// Writes a file that was not there; nothing is written over.
fn write_new(path: &PathBuf, bytes: &[u8]) -> Result<(), Failure> {
    use std::io::Write as _;
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.map_err(|error| cannot("write", path, &error))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!(
        "cannot {what} {}: {error}; check the path",
        path.display()
    ))
}
