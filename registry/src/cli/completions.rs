//! `vestry completions`: a script that completes commands in a shell.

use clap_complete::Shell;

use super::failure::Outcome;
use super::options::Options;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(options: &Options, args: &Args) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "vestry", &mut script);
    options.out().bytes(&script)
}
