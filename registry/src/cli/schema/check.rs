//! `vestry schema check`: what activating would do.

use std::path::PathBuf;

use hyper::Method;

use super::{body, report};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The context schema.
    file: PathBuf,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let body = body(&args.file, false, None)?;
    let session = Session::open(options)?;
    let call = Call::new(Method::POST, "/v1/context-schema/check").body("application/json", body);
    let answer = session.send_patiently(As::Oneself, &call).await?;
    if !answer.status.is_success() {
        return Err(report::refused(session.out, &answer)?);
    }
    value::needs(&answer.body, report::NEEDED)?;
    let needs_acceptance = value::flag(&answer.body, "needs_acceptance");
    let end = if value::flag(&answer.body, "unchanged") {
        "it is the active one already"
    } else if needs_acceptance {
        "it would be activated with --accept-breaking only"
    } else {
        "it would be activated"
    };
    session.out.either(&answer.body, || {
        report::human(session.out, &answer.body, end)
    })?;
    if needs_acceptance {
        Err(Failure::Said)
    } else {
        Ok(())
    }
}
