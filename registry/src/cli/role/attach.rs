//! `vestry role attach` and `detach`.

use serde_json::{Value, json};

use super::{RoleAt, print};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The role, at the scope of the skills.
    #[arg(value_name = "SCOPE/ROLE", value_parser = RoleAt::parse)]
    role: RoleAt,
    /// The names of skills of the scope.
    #[arg(required = true, value_name = "SKILL")]
    skills: Vec<String>,
    /// How they reach the role; as each skill itself says when left out. Of no effect when they are detached.
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Why; one line, for the audit log.
    #[arg(long)]
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Mode {
    Triggered,
    Ambient,
}

impl Mode {
    fn as_str(self) -> &'static str {
        match self {
            Self::Triggered => "triggered",
            Self::Ambient => "ambient",
        }
    }
}

pub(in crate::cli) async fn run(options: &Options, args: Args, attaches: bool) -> Outcome {
    let session = Session::open(options)?;
    let before = args.role.attached(&session).await?;
    let mut skills: Vec<Value> = value::items(&before, "skills")
        .iter()
        .filter(|skill| {
            !args
                .skills
                .iter()
                .any(|name| name == value::text(skill, "name"))
        })
        .cloned()
        .collect();
    if attaches {
        skills.extend(args.skills.iter().map(|name| match args.mode {
            Some(mode) => json!({"name": name, "mode": mode.as_str()}),
            None => json!({"name": name}),
        }));
    }
    let mut body = json!({"skills": skills});
    if let (Some(body), Some(reason)) = (body.as_object_mut(), &args.reason) {
        body.insert("reason".to_owned(), reason.as_str().into());
    }
    let tag = format!("\"{}\"", value::text(&before, "version"));
    let call = Call::put(args.role.path(), &body).header("if-match", tag);
    let answer = session.send(As::Elevated(&args.role.scope), &call).await?;
    if answer.status.is_success() {
        print(session.out, &answer.body)
    } else {
        Err(Failure::refused(&answer, Some(&args.role.scope)))
    }
}
