//! The command line: one file per command.
//!
//! Exit codes: 0 done, 1 the server refused or something failed, 2 wrong usage.

mod admin_create;
mod audit_verify;
mod keys;
mod logs;
mod quickstart;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A self-hosted, scoped skill registry with governance for AI agents.
#[derive(Debug, Parser)]
#[command(name = "vestry", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server.
    Serve(serve::Args),
    /// Do what an operator may do straight in the data directory.
    #[command(subcommand)]
    Admin(Admin),
    /// Start a server with the example world, and show what it does.
    Quickstart(quickstart::Args),
    /// Read and verify the audit log.
    #[command(subcommand)]
    Audit(Audit),
}

#[derive(Debug, Subcommand)]
enum Admin {
    /// Make a global administrator; works beside a running server.
    Create(admin_create::Args),
    /// Show or rotate the keys that sign tokens and offers.
    #[command(subcommand)]
    Keys(keys::Command),
}

#[derive(Debug, Subcommand)]
enum Audit {
    /// Verify every chain of the audit log; only reads, works beside a running server.
    Verify(audit_verify::Args),
}

/// Why a command failed: one sentence that says what to do.
#[derive(Debug)]
struct Failure(String);

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

type Outcome = Result<(), Failure>;

/// Runs the command that the arguments name.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return failed(&Failure::from(error)),
    };
    let outcome = runtime.block_on(async {
        match cli.command {
            Command::Serve(args) => serve::run(args).await,
            Command::Admin(Admin::Create(args)) => admin_create::run(args).await,
            Command::Admin(Admin::Keys(command)) => keys::run(command),
            Command::Quickstart(args) => quickstart::run(args).await,
            Command::Audit(Audit::Verify(args)) => audit_verify::run(args).await,
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failed(&failure),
    }
}

#[expect(
    clippy::print_stderr,
    reason = "this is how a command says that it failed"
)]
fn failed(Failure(sentence): &Failure) -> ExitCode {
    eprintln!("vestry: {sentence}");
    ExitCode::from(1)
}

/// Prints a line for people.
#[expect(
    clippy::print_stdout,
    reason = "this is the command line's one way to print"
)]
fn say(line: impl std::fmt::Display) {
    println!("{line}");
}
