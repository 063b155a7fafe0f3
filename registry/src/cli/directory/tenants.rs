//! `vestry tenants`: whom the installation serves.

use serde_json::json;

use super::print_list;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{safe, value};
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum Command {
    /// List the tenants; for global administrators.
    List,
    /// Create a tenant; for a global administrator, elevated for `global`.
    Create(Create),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Create {
    /// The id.
    id: String,
    /// What people call it; the id when left out.
    #[arg(long)]
    name: Option<String>,
}

pub(in crate::cli) async fn run(options: &Options, command: Command) -> Outcome {
    let session = Session::open(options)?;
    match command {
        Command::List => {
            let (items, _) = session.list("/v1/tenants", &[], None).await?;
            let head = ["ID", "CREATED", "NAME"];
            print_list(
                session.out,
                &items,
                &head,
                "There are no tenants.",
                |tenant| {
                    vec![
                        value::text(tenant, "id").into(),
                        value::time(tenant, "created_at").into(),
                        value::text(tenant, "name").into(),
                    ]
                },
            )
        }
        Command::Create(Create { id, name }) => {
            let body = json!({"id": id, "name": name.as_ref().unwrap_or(&id)});
            let answer = session
                .ask_for(
                    As::Elevated("global"),
                    &Call::post("/v1/tenants", &body),
                    &["id"],
                )
                .await?;
            session.out.either(&answer.body, || {
                format!("created the tenant {}", safe::line(answer.text("id")))
            })
        }
    }
}
