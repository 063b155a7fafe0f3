//! `vestry audit key`: print the key that verifies checkpoints.

use std::path::PathBuf;

use crate::checkpoint::{CheckpointKey, VerifierKey};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::Out;
use crate::cli::session::{As, Session};
use crate::client::Call;
use crate::server::checkpoint_key_file;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Read it from a data directory, and ask no server.
    #[arg(long)]
    data: Option<PathBuf>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    if let Some(data) = args.data {
        let key = CheckpointKey::load(&checkpoint_key_file(&data))?.verifier();
        return print(options.out(), &key);
    }
    let session = Session::open(options)?;
    let key = fetch(&session).await?;
    print(session.out, &key)
}

fn print(out: Out, key: &VerifierKey) -> Outcome {
    out.either(&serde_json::json!({"key": key.to_string()}), || {
        key.to_string()
    })
}

/// The key of the server.
pub(super) async fn fetch(session: &Session) -> Result<VerifierKey, crate::cli::failure::Failure> {
    let call = Call::get("/v1/audit/key").accept("text/plain");
    let answer = session.ask(As::Oneself, &call).await?;
    Ok(VerifierKey::parse(&String::from_utf8_lossy(&answer.bytes))?)
}
