//! `vestry proposal`: putting content forward, and deciding about it.

mod comment;
mod create;
mod decide;
mod edit;
mod list;
mod page;
mod rebase;
mod show;
mod withdraw;

use serde_json::Value;

use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::{Out, safe, style, value};
use super::session::{As, Session};
use crate::client::{Call, path};
use crate::content::scan::Severity;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Propose a skill for a tenant or for global.
    Create(create::Args),
    /// List the proposals that you may read, newest first.
    List(list::Args),
    /// Show a proposal: what changes, what was said, and what is missing.
    Show(show::Args),
    /// Change the content of a proposal of yours.
    Edit(edit::Args),
    /// Say something about a proposal.
    Comment(comment::Args),
    /// Approve what a proposal says; the last approval publishes it.
    Approve(decide::Approve),
    /// Reject a proposal.
    Reject(decide::Reject),
    /// Take a proposal of yours back.
    Withdraw(withdraw::Args),
    /// Compare a stale proposal of yours with what is there now.
    Rebase(rebase::Args),
}

pub(super) async fn run(options: &Options, command: Command) -> Outcome {
    match command {
        Command::Create(args) => create::run(options, args).await,
        Command::List(args) => list::run(options, args).await,
        Command::Show(args) => show::run(options, args).await,
        Command::Edit(args) => edit::run(options, args).await,
        Command::Comment(args) => comment::run(options, args).await,
        Command::Approve(args) => decide::approve(options, args).await,
        Command::Reject(args) => decide::reject(options, args).await,
        Command::Withdraw(args) => withdraw::run(options, args).await,
        Command::Rebase(args) => rebase::run(options, args).await,
    }
}

/// The path of a proposal, and of what is below it.
fn path_of(id: &str, below: &[&str]) -> String {
    let mut segments = vec!["v1", "proposals", id];
    segments.extend_from_slice(below);
    path(&segments)
}

/// Reads a proposal.
///
/// # Errors
/// When there is none that the caller may read.
async fn read(session: &Session, id: &str) -> Result<Value, Failure> {
    let answer = session
        .send(As::Oneself, &Call::get(path_of(id, &[])))
        .await?;
    if answer.status == hyper::StatusCode::NOT_FOUND {
        return Err(Failure::new(format!(
            "there is no proposal {id}, or you may not see it: `vestry proposal list` lists what is there"
        )));
    }
    if !answer.status.is_success() {
        return Err(Failure::refused(&answer, None));
    }
    value::needs(&answer.body, &["id", "state", "scope", "name", "digest"])?;
    Ok(answer.body)
}

/// Reads a proposal as whoever would decide it: elevated for its scope, where there is an elevation, so that the page says
/// what that may do.
///
/// # Errors
/// As [`read`].
async fn read_to_decide(session: &Session, id: &str) -> Result<Value, Failure> {
    let proposal = read(session, id).await?;
    let scope = value::text(&proposal, "scope").to_owned();
    if !session.is_elevated(&scope).await {
        return Ok(proposal);
    }
    let call = Call::get(path_of(id, &[]));
    let answer = session.ask(As::Elevated(&scope), &call).await?;
    value::needs(&answer.body, &["id", "state", "scope", "name", "digest"])?;
    Ok(answer.body)
}

/// Prints what a proposal is after a change.
///
/// # Errors
/// When the answer does not say what it is, or cannot be printed.
pub(super) fn print(out: Out, changed: &Value, what: &str) -> Outcome {
    value::needs(changed, &["id", "state", "scope", "name", "digest"])?;
    out.either(changed, || {
        let what = if value::flag(changed, "unchanged") {
            "was so already"
        } else {
            what
        };
        let state = value::text(changed, "state");
        let mut line = format!(
            "{} for {}/{} {what}: {state}",
            value::text(changed, "id"),
            value::text(changed, "scope"),
            value::text(changed, "name"),
        );
        let (has, needs) = (
            value::number(changed, "approvals"),
            value::number(changed, "required_approvals"),
        );
        if state == "open" && !needs.is_empty() {
            line.push_str(&format!(", {has} of {needs} approvals"));
        }
        let published = value::number(changed, "published");
        if !published.is_empty() {
            line.push_str(&format!(" as revision {published}"));
        }
        line.push_str(&format!(", {}", value::text(changed, "digest")));
        safe::line(&line).into_owned()
    })?;
    for warning in value::warnings(changed) {
        if !out.is_json() {
            out.note(format!("warning: {warning}"));
        }
    }
    if !out.is_json() {
        for finding in value::findings(changed, Severity::Low) {
            out.note(format!("finding: {finding}"));
        }
    }
    Ok(())
}

/// The colour of a state.
fn state_style(state: &str) -> anstyle::Style {
    match state {
        "open" | "published" => style::GOOD,
        "rejected" => style::BAD,
        _ => style::WARN,
    }
}
