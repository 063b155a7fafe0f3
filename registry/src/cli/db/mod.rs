//! `vestry db`: what is done to databases as a whole.

mod copy;

use super::failure::Outcome;
use super::options::Options;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Copy an SQLite database into an empty PostgreSQL database, and verify the copy before anything of it is kept.
    Copy(copy::Args),
}

pub(super) async fn run(options: &Options, command: Command) -> Outcome {
    match command {
        Command::Copy(args) => copy::run(options, args).await,
    }
}
