//! `vestry token mint`: a token for an agent, with a service's key.

use serde_json::json;

use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::safe;
use super::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Mint a token for an agent, and print it. Give the service's key as VESTRY_TOKEN.
    Mint(Mint),
}

#[derive(Debug, clap::Args)]
pub(super) struct Mint {
    /// The actor that the agent acts for.
    #[arg(long)]
    actor: String,
    /// The agent.
    #[arg(long)]
    agent: String,
    /// How long, in seconds, 1 to 3600; 900 when left out.
    #[arg(long, value_name = "SECONDS")]
    ttl: Option<i64>,
}

pub(super) async fn run(options: &Options, command: Command) -> Outcome {
    let Command::Mint(args) = command;
    if options.token.is_none() {
        return Err(Failure::usage(
            "services mint: give the service's key as VESTRY_TOKEN or --token",
        ));
    }
    let session = Session::open(options)?;
    let mut body = json!({"actor": {"id": args.actor}, "agent": args.agent});
    if let (Some(ttl), Some(body)) = (args.ttl, body.as_object_mut()) {
        body.insert("ttl_seconds".to_owned(), ttl.into());
    }
    let answer = session
        .ask_for(
            As::Oneself,
            &Call::post("/v1/token", &body),
            &["access_token", "expires_at"],
        )
        .await?;
    let out = session.out;
    if out.is_json() {
        return out.json(&answer.body);
    }
    out.note(format!("it ends at {}", answer.text("expires_at")));
    out.text(&safe::line(answer.text("access_token")))
}
