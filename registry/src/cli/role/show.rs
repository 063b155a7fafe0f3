//! `vestry role show`.

use super::{RoleAt, print};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The role, at a scope.
    #[arg(value_name = "SCOPE/ROLE", value_parser = RoleAt::parse)]
    role: RoleAt,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let attached = args.role.attached(&session).await?;
    print(session.out, &attached)
}
