//! Checkpoints that were kept, for verifying against them.

use std::path::{Path, PathBuf};

use super::cannot;
use crate::checkpoint::{Checkpoint, CheckpointKey, MAX_NOTE_BYTES, VerifierKey};
use crate::cli::failure::Failure;
use crate::server::{checkpoint_key_file, checkpoint_place};
use crate::store::KnownHead;

/// Which checkpoints there are.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Kept {
    /// A checkpoint that was kept elsewhere; may be given several times. That in the data directory is looked at in any case.
    #[arg(long = "checkpoint", value_name = "FILE")]
    pub(super) checkpoints: Vec<PathBuf>,
    /// The key that signed them, as `vestry audit key` prints it; that of the data directory when left out.
    #[arg(long, value_name = "KEY", value_parser = verifier)]
    pub(super) key: Option<VerifierKey>,
}

/// What they say.
#[derive(Debug, Default)]
pub(in crate::cli) struct Signed {
    /// Where chains ended.
    pub(in crate::cli) known: Vec<KnownHead>,
    /// Those that the key signed, and their files.
    pub(super) files: Vec<(PathBuf, Checkpoint)>,
    /// What is wrong with the others, a sentence each.
    pub(in crate::cli) faults: Vec<String>,
}

impl Signed {
    /// How many the key signed.
    pub(in crate::cli) fn count(&self) -> usize {
        self.files.len()
    }
}

impl Kept {
    /// Reads them, and that of the data directory, where one is given.
    pub(in crate::cli) fn read(&self, data: Option<&Path>) -> Result<Signed, Failure> {
        let file = data.map(checkpoint_key_file).filter(|file| file.exists());
        let key = match (&self.key, file) {
            (Some(key), _) => Some(key.clone()),
            (None, Some(file)) => Some(CheckpointKey::load(&file)?.verifier()),
            (None, None) => None,
        };
        let mut files = self.checkpoints.clone();
        let own = data.map(|data| checkpoint_place(data, None).current());
        files.extend(own.filter(|own| own.exists()));
        match key {
            Some(key) => read_all(&files, &key),
            None if self.checkpoints.is_empty() => Ok(Signed::default()),
            None => Err(Failure::usage(
                "there is no key in the data directory to check the checkpoints with: give --key",
            )),
        }
    }
}

fn verifier(text: &str) -> Result<VerifierKey, String> {
    VerifierKey::parse(text).map_err(|error| error.to_string())
}

/// What the checkpoints in these files say.
pub(super) fn read_all(files: &[PathBuf], key: &VerifierKey) -> Result<Signed, Failure> {
    let mut signed = Signed::default();
    for path in files {
        let size = std::fs::metadata(path).map_err(|error| cannot("read", path, &error))?;
        if size.len() > MAX_NOTE_BYTES as u64 {
            signed
                .faults
                .push(format!("{} is too large for a checkpoint", path.display()));
            continue;
        }
        let bytes = std::fs::read(path).map_err(|error| cannot("read", path, &error))?;
        match Checkpoint::open(&bytes, key) {
            Ok(checkpoint) => {
                signed
                    .known
                    .extend(heads(&checkpoint, &path.display().to_string()));
                signed.files.push((path.clone(), checkpoint));
            }
            Err(error) => signed
                .faults
                .push(format!("the checkpoint {}: {error}", path.display())),
        }
    }
    Ok(signed)
}

/// What a checkpoint says, and where it is.
pub(super) fn heads(checkpoint: &Checkpoint, place: &str) -> Vec<KnownHead> {
    let says = format!("the checkpoint of {} ({place})", checkpoint.at.rfc3339());
    checkpoint
        .heads
        .iter()
        .map(|head| KnownHead {
            head: head.clone(),
            checkpoint: says.clone(),
        })
        .collect()
}
