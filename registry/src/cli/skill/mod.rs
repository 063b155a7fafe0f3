//! `vestry skill`: skills, one by one.

mod archive;
mod blame;
mod change;
mod check;
mod diff;
mod edit;
mod hide;
mod history;
pub(super) mod impact;
mod list;
mod publish;
mod recall;
mod recall_report;
mod reference;
mod rollback;
mod seal;
mod show;
mod source;
mod switch;
mod withdraw;

use super::failure::Outcome;
use super::options::Options;

pub(in crate::cli) use edit::edit;
pub(super) use reference::Reference;
pub(super) use source::{Source, bundle_at};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List skills: what your scopes resolve to, or those at one scope.
    List(list::Args),
    /// Show a skill, or one of its revisions.
    Show(show::Args),
    /// Create or update a skill from a SKILL.md, a folder, or standard input.
    Publish(publish::Args),
    /// Say what publishing would do, without doing it.
    Check(check::Args),
    /// Change the SKILL.md of a skill in your editor, and publish it.
    Edit(edit::Args),
    /// List the revisions of a skill, newest first.
    History(history::Args),
    /// Compare two revisions of a skill.
    Diff(diff::Args),
    /// Say of each line of a SKILL.md who changed it last.
    Blame(blame::Args),
    /// Make an earlier revision's content current again.
    Rollback(rollback::Args),
    /// Archive a skill: it leaves catalogs and listings.
    Archive(archive::Args),
    /// Keep narrower scopes from overriding a tenant or global skill.
    Seal(seal::Args),
    /// Undo a seal.
    Unseal(seal::Args),
    /// Hide a global skill from a tenant's members.
    Hide(hide::Args),
    /// Show a hidden skill to a tenant's members again.
    Unhide(hide::Args),
    /// Leave a skill out of new catalogs.
    Disable(switch::Args),
    /// Take a disabled skill back into catalogs.
    Enable(switch::Args),
    /// Recall a revision until it is released: outstanding offers stop loading it.
    Quarantine(withdraw::Args),
    /// Release a quarantined revision.
    Release(withdraw::Args),
    /// Recall a revision for good.
    Revoke(withdraw::Args),
    /// Quarantine, revoke or disable content by its digest, in every scope where you may.
    Recall(recall::Args),
    /// Say which turns were offered a revision, and which loaded it.
    RecallReport(recall_report::Args),
}

pub(super) async fn run(options: &Options, command: Command) -> Outcome {
    match command {
        Command::List(args) => list::run(options, args).await,
        Command::Show(args) => show::run(options, args).await,
        Command::Publish(args) => publish::run(options, args).await,
        Command::Check(args) => check::run(options, args).await,
        Command::Edit(args) => edit::run(options, args).await,
        Command::History(args) => history::run(options, args).await,
        Command::Diff(args) => diff::run(options, args).await,
        Command::Blame(args) => blame::run(options, args).await,
        Command::Rollback(args) => rollback::run(options, args).await,
        Command::Archive(args) => archive::run(options, args).await,
        Command::Seal(args) => seal::run(options, args, "seal").await,
        Command::Unseal(args) => seal::run(options, args, "unseal").await,
        Command::Hide(args) => hide::run(options, args, "hide").await,
        Command::Unhide(args) => hide::run(options, args, "show").await,
        Command::Disable(args) => switch::run(options, args, "disable").await,
        Command::Enable(args) => switch::run(options, args, "enable").await,
        Command::Quarantine(args) => withdraw::run(options, args, "quarantine").await,
        Command::Release(args) => withdraw::run(options, args, "release").await,
        Command::Revoke(args) => withdraw::run(options, args, "revoke").await,
        Command::Recall(args) => recall::run(options, args).await,
        Command::RecallReport(args) => recall_report::run(options, args).await,
    }
}
