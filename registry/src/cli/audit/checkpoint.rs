//! `vestry audit checkpoint`: sign where the log ends now.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::{Log, key, write_new};
use crate::checkpoint::{Checkpoint, CheckpointKey, Covers, VerifierKey};
use crate::cli::database::DatabaseArg;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::safe;
use crate::cli::session::{As, Session};
use crate::client::{Call, query};
use crate::clock::SystemClock;
use crate::server::{checkpoint_key_file, checkpoint_place};
use crate::store::{Database, write_checkpoint};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Which log: the tenant's of the login, or the installation's; the tenant's when left out.
    #[arg(long, value_enum, conflicts_with = "data")]
    log: Option<Log>,
    /// Write the checkpoint to this new file instead of printing it.
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    out: Option<PathBuf>,
    /// Sign all chains of a data directory, and ask no server; works beside a running one.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArg,
    /// With --data: where the checkpoint is written; `checkpoints` in the data directory when left out.
    #[arg(long, env = "VESTRY_CHECKPOINT_DIR", value_name = "DIR")]
    checkpoint_dir: Option<PathBuf>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    if let Some(data) = args.data {
        return sign(
            options,
            data,
            &args.database.database(),
            args.checkpoint_dir,
        )
        .await;
    }
    let session = Session::open(options)?;
    let key = key::fetch(&session).await?;
    let note = fetch(&session, args.log, &key).await?.text;
    match args.out {
        Some(path) => write_new(&path, note.as_bytes()),
        None => session.out.either(&json!({"checkpoint": note}), || {
            safe::text(&note).into_owned()
        }),
    }
}

async fn sign(
    options: &Options,
    data: PathBuf,
    database: &Database,
    directory: Option<PathBuf>,
) -> Outcome {
    let key = CheckpointKey::load(&checkpoint_key_file(&data))?;
    let place = checkpoint_place(&data, directory);
    let current = place.current();
    let written = write_checkpoint(&data, database, key, place, Arc::new(SystemClock)).await?;
    let is_new = written.is_some();
    let answer = json!({"file": current.display().to_string(), "unchanged": !is_new});
    options.out().either(&answer, || {
        let file = current.display().to_string();
        let file = safe::line(&file);
        if is_new {
            format!("wrote {file}: keep a copy elsewhere")
        } else {
            format!("nothing has changed since {file} was written")
        }
    })
}

/// A checkpoint of one log.
pub(super) struct Note {
    /// The signed note.
    pub(super) text: String,
    /// The chain that it is of.
    pub(super) chain: String,
}

/// The checkpoint of a log, from the server: one that its key signed, and nothing else that is answered there.
pub(super) async fn fetch(
    session: &Session,
    log: Option<Log>,
    key: &VerifierKey,
) -> Result<Note, Failure> {
    let path = query("/v1/audit/checkpoint", &[("log", log.map(Log::as_str))]);
    let call = Call::get(path).accept("text/plain");
    let answer = session.ask(As::Oneself, &call).await?;
    let checkpoint = Checkpoint::open(&answer.bytes, key)?;
    let head = checkpoint
        .heads
        .into_iter()
        .next()
        .filter(|_| checkpoint.covers == Covers::OneChain);
    match (head, String::from_utf8(answer.bytes.to_vec())) {
        (Some(head), Ok(text)) => Ok(Note {
            text,
            chain: head.chain,
        }),
        _ => Err(Failure::new(
            "the server answered no checkpoint of one log; is it a vestry server?",
        )),
    }
}
