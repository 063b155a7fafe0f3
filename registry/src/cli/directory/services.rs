//! `vestry services`: the agent platforms of a tenant.

use serde_json::json;

use super::print_list;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{safe, value};
use crate::cli::session::{As, Session};
use crate::client::{Call, path};

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum Command {
    /// List the services of a tenant.
    List(Of),
    /// Create a service, and print its key, this once; for a publisher elevated for the tenant, or an elevated global
    /// administrator.
    Create(Create),
    /// Revoke a service: its key and every token that it minted end at once.
    Revoke(Revoke),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Of {
    /// The tenant; that of the login when left out.
    #[arg(long)]
    tenant: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Create {
    /// The name.
    name: String,
    #[command(flatten)]
    of: Of,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Revoke {
    /// The id, as `vestry services list` has it.
    id: String,
    #[command(flatten)]
    of: Of,
}

pub(in crate::cli) async fn run(options: &Options, command: Command) -> Outcome {
    let session = Session::open(options)?;
    match command {
        Command::List(of) => list(&session, &session.tenant(of.tenant)?).await,
        Command::Create(Create { name, of }) => {
            let tenant = session.tenant(of.tenant)?;
            let body = json!({"tenant": tenant, "name": name});
            let answer = session
                .ask_for(
                    As::Administrator(&tenant),
                    &Call::post("/v1/services", &body),
                    &["id", "name", "key"],
                )
                .await?;
            let out = session.out;
            if out.is_json() {
                return out.json(&answer.body);
            }
            out.note(format!(
                "created the service {} ({}); its key is shown this once:",
                answer.text("name"),
                answer.text("id")
            ));
            out.text(&safe::line(answer.text("key")))
        }
        Command::Revoke(Revoke { id, of }) => {
            let tenant = session.tenant(of.tenant)?;
            let call =
                Call::delete(path(&["v1", "tenants", &tenant, "services", &id])).without_answer();
            session.ask(As::Administrator(&tenant), &call).await?;
            session.out.either(&json!({"id": id, "revoked": true}), || {
                format!("revoked the service {id}")
            })
        }
    }
}

async fn list(session: &Session, tenant: &str) -> Outcome {
    let path = path(&["v1", "tenants", tenant, "services"]);
    let (items, _) = session.list(&path, &[], None).await?;
    let head = ["ID", "KEY", "CREATED", "REVOKED", "NAME"];
    print_list(
        session.out,
        &items,
        &head,
        "There are no services.",
        |service| {
            vec![
                value::text(service, "id").into(),
                value::text(service, "key_hint").into(),
                value::time(service, "created_at").into(),
                value::time(service, "revoked_at").into(),
                value::text(service, "name").into(),
            ]
        },
    )
}
