//! `vestry import`: the skills of a directory into a scope.
//!
//! Importing twice changes nothing and costs one listing: digests are computed here and compared. So an import that
//! was interrupted is finished by repeating it.

mod done;
mod one;
mod plan;
mod report;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use tokio::task::JoinSet;

use self::done::Done;
use self::one::Import;
use self::report::Report;
use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::value;
use super::serve::shutdown_signal;
use super::session::Session;
use crate::bundle::{LocalSkill, find};

/// How many seconds of a step the bar may miss.
const TICK: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The directory: folders with a SKILL.md at any depth, and `skills/*.md`.
    directory: PathBuf,
    /// The scope to import into.
    #[arg(long)]
    scope: String,
    /// Say what would be done, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// How many skills are sent at once.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    /// What changed; one line, for the history of each skill that changes.
    #[arg(long, short)]
    message: Option<String>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let directory = args.directory.clone();
    let found = tokio::task::spawn_blocking(move || find(&directory)).await??;
    if found.skills.is_empty() {
        return Err(Failure::new(format!(
            "{} has no skills: a skill is a folder with a SKILL.md, or a file `skills/<name>.md`",
            args.directory.display()
        )));
    }
    let session = Session::open(options)?;
    let out = session.out;
    let there = listing(&session, &args.scope).await?;
    let (skills, doubles) = plan::distinct(found.skills);
    let mut report = Report::new(args.scope.clone(), args.dry_run, found.skipped);
    for done in doubles {
        report.add(done);
    }
    let import = Arc::new(Import::new(
        session,
        args.scope,
        args.dry_run,
        args.message,
        there,
    ));
    run_jobs(import, skills, usize::from(args.jobs), &mut report).await?;
    report.print(out)?;
    if report.is_clean() {
        Ok(())
    } else {
        Err(Failure::Said)
    }
}

/// What is at the scope, by name: the digests of the current revisions.
async fn listing(session: &Session, scope: &str) -> Result<HashMap<String, String>, Failure> {
    let (items, _) = session
        .list("/v1/skills", &[("scope", Some(scope))], None)
        .await
        .map_err(|failure| match failure {
            Failure::Sentence(sentence) => {
                Failure::Sentence(format!("cannot list the skills of {scope}: {sentence}"))
            }
            other => other,
        })?;
    let pair = |item: &Value| {
        (
            value::text(item, "name").to_owned(),
            value::text(item, "digest").to_owned(),
        )
    };
    Ok(items.iter().map(pair).collect())
}

/// Does the work, so many at once, until it is done, one thing says that the rest is in vain, or somebody interrupts.
/// What is in flight is finished; a second interrupt leaves it.
async fn run_jobs(
    import: Arc<Import>,
    skills: Vec<LocalSkill>,
    jobs: usize,
    report: &mut Report,
) -> Outcome {
    let bar = bar(skills.len() as u64);
    let mut interrupt = Box::pin(shutdown_signal()?);
    let mut queue = skills.into_iter();
    let mut tasks: JoinSet<Done> = JoinSet::new();
    loop {
        while tasks.len() < jobs && report.goes_on() {
            let Some(skill) = queue.next() else { break };
            tasks.spawn(Arc::clone(&import).one(skill));
        }
        if tasks.is_empty() {
            break;
        }
        tokio::select! {
            () = &mut interrupt => {
                if report.interrupt() {
                    tasks.abort_all();
                    break;
                }
                bar.set_message("interrupted: finishing what is in flight");
                interrupt = Box::pin(shutdown_signal()?);
            }
            Some(done) = tasks.join_next() => {
                bar.inc(1);
                report.add(done?);
            }
        }
    }
    report.leave(queue.len() + tasks.len());
    bar.finish_and_clear();
    Ok(())
}

/// A bar on standard error, where that is a terminal.
fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len} {elapsed} {msg}") {
        bar.set_style(style);
    }
    if !bar.is_hidden() {
        bar.enable_steady_tick(TICK);
    }
    bar
}
