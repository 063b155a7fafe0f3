//! `vestry instructions`: the instruction files of a user and of a project, without a server.

mod read;
mod scan;

use std::path::PathBuf;

use super::failure::{Failure, Outcome};
use super::options::Options;
use crate::instructions::Places;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List the instruction files of the user and of a directory, with their frontmatter.
    Scan(scan::Args),
    /// Print one of them.
    Read(read::Args),
}

pub(super) fn run(options: &Options, command: &Command) -> Outcome {
    let out = options.out();
    match command {
        Command::Scan(args) => scan::run(out, args),
        Command::Read(args) => read::run(out, args),
    }
}

/// Where to look.
#[derive(Debug, clap::Args)]
struct Where {
    /// The directory of the project.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The directory of the user level; `~/.claude`, if there is one, when left out.
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Leave the user level out.
    #[arg(long, conflicts_with = "home")]
    no_home: bool,
    /// Skip what the `.gitignore` files of the project name.
    #[arg(long)]
    gitignore: bool,
}

impl Where {
    fn places(&self) -> Result<Places, Failure> {
        let home = match &self.home {
            Some(home) => Some(home.clone()),
            None if self.no_home => None,
            None => {
                let home = etcetera::home_dir().map_err(|error| {
                    Failure::new(format!(
                        "cannot tell your home directory: {error}; give --home or --no-home"
                    ))
                })?;
                Some(home.join(".claude")).filter(|home| home.is_dir())
            }
        };
        Ok(Places {
            home,
            project: self.directory.clone(),
            gitignore: self.gitignore,
        })
    }
}
