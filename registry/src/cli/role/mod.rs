//! `vestry role`: which skills agents of a role are offered.

mod attach;
mod list;
mod show;

use serde_json::Value;

use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::{Cell, Out, Table, value};
use super::session::{As, Session};
use crate::client::{Call, path};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List the roles that have an instruction at a scope.
    List(list::Args),
    /// Show which skills a scope attaches to a role.
    Show(show::Args),
    /// Attach skills of a scope to a role: they are offered to its agents, and to no others.
    Attach(attach::Args),
    /// Detach skills from a role; what is attached to none is for all.
    Detach(attach::Args),
}

pub(super) async fn run(options: &Options, command: Command) -> Outcome {
    match command {
        Command::List(args) => list::run(options, args).await,
        Command::Show(args) => show::run(options, args).await,
        Command::Attach(args) => attach::run(options, args, true).await,
        Command::Detach(args) => attach::run(options, args, false).await,
    }
}

/// A role at a scope: `tenant:acme/support`.
#[derive(Debug, Clone)]
struct RoleAt {
    scope: String,
    role: String,
}

impl RoleAt {
    fn parse(text: &str) -> Result<Self, String> {
        let (scope, role) = text
            .rsplit_once('/')
            .filter(|(scope, role)| !scope.is_empty() && !role.is_empty())
            .ok_or("write it as SCOPE/ROLE, such as tenant:acme/support")?;
        let role = role.strip_prefix("role:").unwrap_or(role);
        Ok(Self {
            scope: scope.to_owned(),
            role: role.to_owned(),
        })
    }

    fn path(&self) -> String {
        path(&["v1", "roles", &self.scope, &self.role, "attachments"])
    }

    /// What is attached now.
    async fn attached(&self, session: &Session) -> Result<Value, Failure> {
        let call = Call::get(self.path());
        let fields = ["role", "scope", "skills", "version"];
        Ok(session.ask_for(As::Oneself, &call, &fields).await?.body)
    }
}

/// What is attached, for people or as JSON.
fn print(out: Out, answer: &Value) -> Outcome {
    out.either(answer, || {
        let mut table = Table::new(&["SKILL", "MODE"]);
        for skill in value::items(answer, "skills") {
            let mode = match value::text(skill, "mode") {
                "" => "as the skill says",
                mode => mode,
            };
            table.row(vec![value::text(skill, "name").into(), Cell::from(mode)]);
        }
        table.render(out, "Nothing is attached to this role there.")
    })
}
