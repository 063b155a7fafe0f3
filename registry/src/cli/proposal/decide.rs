//! `vestry proposal approve` and `vestry proposal reject`.

use serde_json::{Value, json};

use super::{path_of, print, read};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Approve {
    /// The proposal, such as p-12.
    id: String,
    /// The digest of what you read, as `vestry proposal show` prints it: nothing else is approved.
    #[arg(long, value_name = "DIGEST")]
    digest: String,
    /// The digest of what it was compared with, as `vestry proposal show` prints it; left out where there was nothing.
    #[arg(long, value_name = "DIGEST")]
    base: Option<String>,
    /// Why; one line, for the audit log.
    #[arg(long)]
    reason: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Reject {
    /// The proposal, such as p-12.
    id: String,
    /// Why; one line, for the proposer and the audit log.
    #[arg(long)]
    reason: String,
}

pub(in crate::cli) async fn approve(options: &Options, args: Approve) -> Outcome {
    let session = Session::open(options)?;
    // Whose elevation it needs depends on what it is for.
    let proposal = read(&session, &args.id).await?;
    let mut body = json!({"decision": "approve", "digest": args.digest});
    for (field, text) in [("base", args.base), ("reason", args.reason)] {
        if let (Some(text), Some(body)) = (text, body.as_object_mut()) {
            body.insert(field.to_owned(), text.into());
        }
    }
    send(&session, &args.id, &proposal, &body, "is approved").await
}

pub(in crate::cli) async fn reject(options: &Options, args: Reject) -> Outcome {
    let session = Session::open(options)?;
    let proposal = read(&session, &args.id).await?;
    let body = json!({
        "decision": "reject",
        "digest": value::text(&proposal, "digest"),
        "reason": args.reason,
    });
    send(&session, &args.id, &proposal, &body, "is rejected").await
}

async fn send(session: &Session, id: &str, proposal: &Value, body: &Value, what: &str) -> Outcome {
    let scope = value::text(proposal, "scope");
    let call = Call::post(path_of(id, &["decision"]), body);
    let answer = session.ask(As::Elevated(scope), &call).await?;
    print(session.out, &answer.body, what)
}
