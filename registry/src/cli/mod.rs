//! The command line: one file per command.
//!
//! Exit codes: 0 done, 1 the server refused or something failed, 2 wrong usage.

mod admin_create;
mod admin_keys;
mod audit;
mod backup;
mod catalog;
mod completions;
mod database;
mod db;
mod directory;
mod doctor;
mod elevate;
mod explain;
mod export;
mod failure;
mod import;
#[cfg(unix)]
mod instructions;
mod load;
mod login;
mod logout;
mod logs;
mod mcp;
mod migrate;
mod offer;
mod opening;
mod options;
mod output;
mod profile;
mod prompt;
#[cfg(unix)]
mod prompts;
mod proposal;
mod quickstart;
mod restore;
mod role;
mod scan;
mod schema;
mod send;
mod serve;
mod session;
mod skill;
mod stepdown;
mod templates;
mod token;
mod verify;
mod watch;
mod whoami;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use self::directory::{keys, members, services, settings, tenants, users};
use self::failure::{Failure, Outcome};
use self::options::Options;

/// A self-hosted, scoped skill registry with governance for AI agents.
#[derive(Debug, Parser)]
#[command(name = "vestry", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server.
    Serve(serve::Args),
    /// Do what an operator may do straight in the data directory.
    #[command(subcommand)]
    Admin(Admin),
    /// Bring the schema of a PostgreSQL database up to this version, before servers of this version start.
    Migrate(migrate::Args),
    /// Move a database from SQLite to PostgreSQL.
    #[command(subcommand)]
    Db(db::Command),
    /// Start a server with the example world, and show what it does.
    Quickstart(quickstart::Args),
    /// Say what is in order, what is not, and what to do.
    Doctor(doctor::Args),
    /// Write a backup of the database into one file, beside a running server.
    Backup(backup::Args),
    /// Verify a backup, and make it the database of a new data directory.
    Restore(restore::Args),
    /// Verify a backup or a database whole: pages, digests, files, audit log.
    Verify(verify::Args),
    /// Log in, and keep the session in a profile.
    Login(login::Args),
    /// End the session, and forget the profile.
    Logout,
    /// Say who the server takes you for.
    Whoami,
    /// Step up for one scope; what is written there in the next 15 minutes uses it.
    Elevate(elevate::Args),
    /// Give elevations up before they end.
    Stepdown(stepdown::Args),
    /// Read and change skills, one by one.
    #[command(subcommand)]
    Skill(skill::Command),
    /// Propose skills, and decide about what others propose.
    #[command(subcommand)]
    Proposal(proposal::Command),
    /// Import the skills of a directory into a scope.
    Import(import::Args),
    /// Say what a reviewer should look at in the skills of a directory, without a server.
    Scan(scan::Args),
    /// List and read the instruction files of a user and a project, without a server.
    #[cfg(unix)]
    #[command(subcommand)]
    Instructions(instructions::Command),
    /// Export the skills of a scope into a directory.
    Export(export::Args),
    /// Take the catalog of a turn, as an agent does.
    Catalog(catalog::Args),
    /// Load an offered skill, as an agent does.
    Load(load::Args),
    /// Print what a run begins with, as an agent gets it.
    Opening(opening::Args),
    /// Speak MCP over standard input and output, for hosts that start their servers themselves.
    Mcp(mcp::Args),
    /// Resolve the prompts of workflows' roles, and keep templates of your own.
    #[cfg(unix)]
    #[command(subcommand)]
    Prompt(prompts::Command),
    /// See and change which skills agents of a role are offered.
    #[command(subcommand)]
    Role(role::Command),
    /// List and create users.
    #[command(subcommand)]
    Users(users::Command),
    /// List and create tenants.
    #[command(subcommand)]
    Tenants(tenants::Command),
    /// List, set and remove the members of a tenant.
    #[command(subcommand)]
    Members(members::Command),
    /// List, create and revoke the services of a tenant.
    #[command(subcommand)]
    Services(services::Command),
    /// List, create and revoke your own API keys.
    #[command(subcommand)]
    Keys(keys::Command),
    /// Show and change the settings of a tenant.
    #[command(subcommand)]
    Settings(settings::Command),
    /// Read, keep and verify the audit log.
    #[command(subcommand)]
    Audit(audit::Command),
    /// Follow what changes: skills and proposals, as it happens. Ctrl-C ends it.
    Watch(watch::Args),
    /// Explain what somebody may do, or why a skill is in a catalog.
    Explain(explain::Args),
    /// Write templates: check, render and look up, without a server.
    #[command(subcommand)]
    Templates(templates::Command),
    /// Show, check and activate what templates are written against.
    #[command(subcommand)]
    Schema(schema::Command),
    /// Mint tokens for agents.
    #[command(subcommand)]
    Token(token::Command),
    /// Print a script that completes commands in a shell.
    Completions(completions::Args),
}

#[derive(Debug, Subcommand)]
enum Admin {
    /// Make a global administrator; works beside a running server.
    Create(admin_create::Args),
    /// Show or rotate the keys that sign tokens and offers.
    #[command(subcommand)]
    Keys(admin_keys::Command),
}

/// The commands and their arguments, for completions and for tests that hold the documentation to them.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command that the arguments name.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return Failure::from(error).report(),
    };
    match runtime.block_on(run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

async fn run(Cli { command, options }: Cli) -> Outcome {
    let options = &options;
    match command {
        Command::Serve(args) => serve::run(args).await,
        Command::Admin(Admin::Create(args)) => admin_create::run(args).await,
        Command::Admin(Admin::Keys(command)) => admin_keys::run(command),
        Command::Migrate(args) => migrate::run(options, args).await,
        Command::Db(command) => db::run(options, command).await,
        Command::Quickstart(args) => quickstart::run(args).await,
        Command::Doctor(args) => doctor::run(options, args).await,
        Command::Backup(args) => backup::run(options, args).await,
        Command::Restore(args) => restore::run(options, args).await,
        Command::Verify(args) => verify::run(options, args).await,
        Command::Login(args) => login::run(options, args).await,
        Command::Logout => logout::run(options).await,
        Command::Whoami => whoami::run(options).await,
        Command::Elevate(args) => elevate::run(options, args).await,
        Command::Stepdown(args) => stepdown::run(options, args).await,
        Command::Skill(command) => skill::run(options, command).await,
        Command::Proposal(command) => proposal::run(options, command).await,
        Command::Import(args) => import::run(options, args).await,
        Command::Scan(args) => scan::run(options, &args),
        #[cfg(unix)]
        Command::Instructions(command) => instructions::run(options, &command),
        Command::Export(args) => export::run(options, args).await,
        Command::Catalog(args) => catalog::run(options, args).await,
        Command::Load(args) => load::run(options, args).await,
        Command::Opening(args) => opening::run(options, args).await,
        Command::Mcp(args) => mcp::run(options, args).await,
        #[cfg(unix)]
        Command::Prompt(command) => prompts::run(options, command).await,
        Command::Role(command) => role::run(options, command).await,
        Command::Users(command) => users::run(options, command).await,
        Command::Tenants(command) => tenants::run(options, command).await,
        Command::Members(command) => members::run(options, command).await,
        Command::Services(command) => services::run(options, command).await,
        Command::Keys(command) => keys::run(options, command).await,
        Command::Settings(command) => settings::run(options, command).await,
        Command::Audit(command) => audit::run(options, command).await,
        Command::Watch(args) => watch::run(options, args).await,
        Command::Explain(args) => explain::run(options, args).await,
        Command::Templates(command) => templates::run(options, command),
        Command::Schema(command) => schema::run(options, command).await,
        Command::Token(command) => token::run(options, command).await,
        Command::Completions(args) => completions::run(options, &args),
    }
}

/// Prints a line for people. A reader that is gone is no reason for a server to end.
fn say(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
