//! `vestry skill recall`: quarantine, revoke or disable content by its digest, wherever it is.

use serde_json::{Value, json};

use super::change::Reason;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::{Cell, Out, Table, style, value};
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The digest of the revisions, `sha256:…`.
    digest: String,
    /// The scope whose elevation is used, such as `tenant:acme`.
    #[arg(long, default_value = "global")]
    scope: String,
    /// How: a revocation is final; what is disabled still loads where it was offered.
    #[arg(long, value_enum, default_value = "quarantine")]
    action: How,
    #[command(flatten)]
    why: Reason,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum How {
    Quarantine,
    Revoke,
    Disable,
}

impl How {
    fn as_str(self) -> &'static str {
        match self {
            Self::Quarantine => "quarantine",
            Self::Revoke => "revoke",
            Self::Disable => "disable",
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Quarantine => "quarantined",
            Self::Revoke => "revoked",
            Self::Disable => "disabled",
        }
    }
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let body = json!({
        "digest": args.digest, "reason": args.why.reason, "action": args.action.as_str(),
    });
    let answer = session
        .ask_for(
            As::Elevated(&args.scope),
            &Call::post("/v1/recall", &body),
            &["recalled"],
        )
        .await?
        .body;
    session
        .out
        .either(&answer, || human(session.out, &answer, args.action))?;
    if value::items(&answer, "refused").is_empty() {
        Ok(())
    } else {
        Err(Failure::Said)
    }
}

fn human(out: Out, answer: &Value, action: How) -> String {
    let mut table = Table::new(&["", "SCOPE", "NAME", "REV", "RULE"]);
    for (list, word, style) in [
        ("recalled", action.done(), style::GOOD),
        ("refused", "refused", style::BAD),
    ] {
        for found in value::items(answer, list) {
            table.row(vec![
                Cell::styled(word, style),
                value::text(found, "scope").into(),
                value::text(found, "name").into(),
                value::number(found, "revision").into(),
                value::text(found, "rule").into(),
            ]);
        }
    }
    table.render(out, "There is no such content where you may recall it.")
}
