//! `vestry schema activate`: another contract that templates are written against.

use std::path::PathBuf;

use hyper::Method;

use super::{body, report};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The context schema.
    file: PathBuf,
    /// Activate it although it takes something away, or live templates fail under it.
    #[arg(long)]
    accept_breaking: bool,
    /// Why; it is written to the audit log.
    #[arg(long)]
    reason: Option<String>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let body = body(&args.file, args.accept_breaking, args.reason.as_deref())?;
    let session = Session::open(options)?;
    let call = Call::new(Method::PUT, "/v1/context-schema").body("application/json", body);
    let answer = session
        .send_patiently(As::Elevated("global"), &call)
        .await?;
    if !answer.status.is_success() {
        return Err(report::refused(session.out, &answer)?);
    }
    value::needs(&answer.body, report::NEEDED)?;
    let end = if value::flag(&answer.body, "unchanged") {
        "it is the active one already"
    } else {
        "it is active now"
    };
    session.out.either(&answer.body, || {
        report::human(session.out, &answer.body, end)
    })
}
