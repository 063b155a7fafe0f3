//! `vestry members`: who belongs to a tenant, and as what.

use serde_json::{Value, json};

use super::print_list;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{safe, value};
use crate::cli::session::{As, Session};
use crate::client::{Call, path};

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum Command {
    /// List the members of a tenant.
    List(Of),
    /// Add a member, or change its role; for a publisher elevated for the tenant, or an elevated global administrator.
    Set(Set),
    /// Remove a member; its sessions of the tenant end at once.
    Remove(Remove),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Of {
    /// The tenant; that of the login when left out.
    #[arg(long)]
    tenant: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Set {
    /// The username.
    username: String,
    /// As what.
    #[arg(long, value_enum)]
    role: Role,
    /// Take over the skills that an actor of this name already has.
    #[arg(long)]
    claim: bool,
    #[command(flatten)]
    of: Of,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Remove {
    /// The username.
    username: String,
    #[command(flatten)]
    of: Of,
}

/// A role in a tenant.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Role {
    /// Reads, writes its own scope, proposes.
    Member,
    /// Also writes the tenant's skills and administers it, elevated.
    Publisher,
    /// Also reads the tenant's audit log.
    Auditor,
}

impl Role {
    fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Publisher => "publisher",
            Self::Auditor => "auditor",
        }
    }
}

pub(in crate::cli) async fn run(options: &Options, command: Command) -> Outcome {
    let session = Session::open(options)?;
    match command {
        Command::List(of) => list(&session, &session.tenant(of.tenant)?).await,
        Command::Set(args) => {
            let tenant = session.tenant(args.of.tenant)?;
            let mut body = json!({"role": args.role.as_str()});
            if let (true, Some(body)) = (args.claim, body.as_object_mut()) {
                body.insert("claim".to_owned(), true.into());
            }
            let path = path(&["v1", "tenants", &tenant, "members", &args.username]);
            let fields = ["username", "tenant", "role"];
            change(&session, &tenant, &Call::put(path, &body), &fields).await
        }
        Command::Remove(args) => {
            let tenant = session.tenant(args.of.tenant)?;
            let path = path(&["v1", "tenants", &tenant, "members", &args.username]);
            let fields = ["username", "tenant"];
            change(&session, &tenant, &Call::delete(path), &fields).await
        }
    }
}

async fn list(session: &Session, tenant: &str) -> Outcome {
    let path = path(&["v1", "tenants", tenant, "members"]);
    let (items, _) = session.list(&path, &[], None).await?;
    let head = ["USERNAME", "ROLE", "JOINED"];
    print_list(
        session.out,
        &items,
        &head,
        "There are no members.",
        |member| {
            vec![
                value::text(member, "username").into(),
                value::text(member, "role").into(),
                value::time(member, "created_at").into(),
            ]
        },
    )
}

async fn change(session: &Session, tenant: &str, call: &Call, fields: &[&str]) -> Outcome {
    let answer = session
        .ask_for(As::Administrator(tenant), call, fields)
        .await?
        .body;
    session.out.either(&answer, || said(&answer))
}

fn said(answer: &Value) -> String {
    let (username, tenant) = (
        value::text(answer, "username"),
        value::text(answer, "tenant"),
    );
    let already = if value::flag(answer, "unchanged") {
        " already"
    } else {
        ""
    };
    let sentence = match value::text(answer, "role") {
        "" => format!("{username} is no member of {tenant} any more"),
        role => format!("{username} is {role} of {tenant}{already}"),
    };
    safe::line(&sentence).into_owned()
}
