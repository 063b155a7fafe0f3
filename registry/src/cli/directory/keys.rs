//! `vestry keys`: your own API keys.

use serde_json::json;

use super::print_list;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{safe, value};
use crate::cli::session::{As, Session};
use crate::client::{Call, path};

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum Command {
    /// List your API keys.
    List,
    /// Create an API key of your own, and print it, this once; needs an interactive login.
    Create {
        /// What it is for.
        name: String,
    },
    /// Revoke an API key of your own.
    Revoke {
        /// The id, as `vestry keys list` has it.
        id: String,
    },
}

pub(in crate::cli) async fn run(options: &Options, command: Command) -> Outcome {
    let session = Session::open(options)?;
    let out = session.out;
    match command {
        Command::List => {
            let (items, _) = session.list("/v1/keys", &[], None).await?;
            let head = ["ID", "KEY", "CREATED", "REVOKED", "NAME"];
            print_list(out, &items, &head, "You have no keys.", |key| {
                vec![
                    value::text(key, "id").into(),
                    value::text(key, "key_hint").into(),
                    value::time(key, "created_at").into(),
                    value::time(key, "revoked_at").into(),
                    value::text(key, "name").into(),
                ]
            })
        }
        Command::Create { name } => {
            let call = Call::post("/v1/keys", &json!({"name": name}));
            let answer = session
                .ask_for(As::Oneself, &call, &["id", "name", "key"])
                .await?;
            if out.is_json() {
                return out.json(&answer.body);
            }
            out.note(format!(
                "created the key {} ({}); it is shown this once:",
                answer.text("name"),
                answer.text("id")
            ));
            out.text(&safe::line(answer.text("key")))
        }
        Command::Revoke { id } => {
            let call = Call::delete(path(&["v1", "keys", &id])).without_answer();
            session.ask(As::Oneself, &call).await?;
            out.either(&json!({"id": id, "revoked": true}), || {
                format!("revoked the key {id}")
            })
        }
    }
}
