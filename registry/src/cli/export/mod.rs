//! `vestry export`: the skills of a scope into a directory, byte for byte.

mod fetch;
mod place;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use vestry_policies::SkillName;

use self::fetch::fetch;
use self::place::{Wrote, write};
use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::{Out, safe, style, value};
use super::session::Session;
use super::skill::Reference;

/// How many skills are fetched at once.
const JOBS: usize = 8;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The directory; each skill becomes a folder of its name in it.
    directory: PathBuf,
    /// The scope.
    #[arg(long)]
    scope: String,
    /// Only the skill of this name; may be given several times. All but archived ones when left out.
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Vec<SkillName>,
    /// Overwrite files that differ.
    #[arg(long)]
    force: bool,
}

fn name(text: &str) -> Result<SkillName, String> {
    SkillName::parse(text).map_err(|error| error.to_string())
}

/// A skill, and what became of it.
struct Done {
    name: String,
    result: Result<Wrote, String>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Arc::new(Session::open(options)?);
    let out = session.out;
    let mut done = Vec::new();
    let names = if args.name.is_empty() {
        listed(&session, &args.scope, &mut done).await?
    } else {
        args.name
    };
    std::fs::create_dir_all(&args.directory).map_err(|error| {
        Failure::new(format!(
            "cannot create {}: {error}",
            args.directory.display()
        ))
    })?;
    let mut queue = names.into_iter();
    let mut tasks: JoinSet<Done> = JoinSet::new();
    loop {
        while tasks.len() < JOBS {
            let Some(name) = queue.next() else { break };
            let session = Arc::clone(&session);
            let skill = Reference {
                scope: args.scope.clone(),
                name: name.into(),
            };
            tasks.spawn(one(session, skill, args.directory.clone(), args.force));
        }
        match tasks.join_next().await {
            Some(result) => done.push(result?),
            None => break,
        }
    }
    done.sort_by(|a, b| a.name.cmp(&b.name));
    print(out, &args.scope, &done)?;
    if done.iter().all(|done| done.result.is_ok()) {
        Ok(())
    } else {
        Err(Failure::Said)
    }
}

/// The names at the scope. A server that lists what is no name is not followed.
async fn listed(
    session: &Session,
    scope: &str,
    done: &mut Vec<Done>,
) -> Result<Vec<SkillName>, Failure> {
    let (items, _) = session
        .list("/v1/skills", &[("scope", Some(scope))], None)
        .await?;
    let mut names = Vec::with_capacity(items.len());
    for item in &items {
        let name = value::text(item, "name");
        match SkillName::parse(name) {
            Ok(name) => names.push(name),
            Err(error) => done.push(Done {
                name: name.to_owned(),
                result: Err(format!(
                    "the server lists what is no name of a skill: {error}"
                )),
            }),
        }
    }
    Ok(names)
}

async fn one(session: Arc<Session>, skill: Reference, directory: PathBuf, force: bool) -> Done {
    let name = skill.name.to_string();
    let result = match fetch(&session, &skill).await {
        Err(reason) => Err(reason),
        Ok(files) => {
            let folder = name.clone();
            tokio::task::spawn_blocking(move || write(&directory, &folder, &files, force))
                .await
                .unwrap_or_else(|error| Err(error.to_string()))
        }
    };
    Done { name, result }
}

fn print(out: Out, scope: &str, done: &[Done]) -> Outcome {
    let of = |wanted: Wrote| -> Vec<&str> {
        done.iter()
            .filter(|done| done.result.as_ref() == Ok(&wanted))
            .map(|done| done.name.as_str())
            .collect()
    };
    let refused: Vec<(&str, &str)> = done
        .iter()
        .filter_map(|done| Some((done.name.as_str(), done.result.as_ref().err()?.as_str())))
        .collect();
    let answer = json!({
        "scope": scope,
        "written": of(Wrote::Something),
        "unchanged": of(Wrote::Nothing),
        "refused": refused.iter().map(|(name, reason)| json!({"name": name, "reason": reason})).collect::<Vec<Value>>(),
    });
    out.either(&answer, || {
        let mut text = String::new();
        for (name, reason) in &refused {
            let line = format!("{name}: {reason}");
            text.push_str(&format!(
                "{}  {}\n",
                out.paint(style::BAD, "refused"),
                safe::line(&line)
            ));
        }
        text.push_str(&format!(
            "{}: {} written, {} unchanged, {} refused\n",
            safe::line(scope),
            of(Wrote::Something).len(),
            of(Wrote::Nothing).len(),
            refused.len()
        ));
        text
    })
}
