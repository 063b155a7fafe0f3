//! The form of an exported log: one JSON object a line. The first says what it is of and how to verify it, each other is a
//! record with its hash.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::cannot;
use crate::checkpoint::MAX_NOTE_BYTES;
use crate::cli::failure::Failure;
use crate::store::{ChainWalk, KnownHead};

/// What the first line begins with: the form and its version.
pub(super) const FORM: &str = "vestry-audit/1";
/// The most bytes of a line.
const MAX_LINE: u64 = MAX_NOTE_BYTES as u64 * 2;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// [`FORM`].
    pub(super) export: String,
    /// The chain: a tenant's id, or `~` for the installation's own.
    pub(super) chain: String,
    /// The server.
    pub(super) server: String,
    /// The key that verifies the checkpoint, as the server says it.
    pub(super) key: String,
    /// A checkpoint that was signed before the records were read.
    pub(super) checkpoint: String,
}

/// A record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// Its position in the chain, from 1.
    pub(super) seq: i64,
    /// The hash of the chain up to it.
    pub(super) hash: String,
    /// The bytes that the hash covers.
    pub(super) record: String,
}

/// What became of an export.
pub(super) struct Walked {
    pub(super) records: i64,
    pub(super) head: String,
    pub(super) faults: Vec<String>,
}

/// An export that is being read.
pub(super) struct Reader {
    lines: BufReader<File>,
    number: u64,
}

impl Reader {
    /// Opens an export; gives what its first line says.
    pub(super) fn open(path: &Path) -> Result<(Self, Header), Failure> {
        let file = File::open(path).map_err(|error| cannot("read", path, &error))?;
        let mut reader = Self {
            lines: BufReader::new(file),
            number: 0,
        };
        let header = reader
            .next::<Header>()
            .ok()
            .flatten()
            .filter(|header| header.export == FORM)
            .ok_or_else(|| {
                Failure::new(format!(
                    "{} is no exported audit log; give a file that `vestry audit export` wrote",
                    path.display()
                ))
            })?;
        Ok((reader, header))
    }

    /// Walks along the records, with what checkpoints say of the chain.
    pub(super) fn walk(mut self, chain: &str, known: &[KnownHead]) -> Walked {
        let mut walk = ChainWalk::new(chain, known);
        let fault = loop {
            match self.next::<Record>() {
                Ok(None) => break None,
                Ok(Some(Record { seq, hash, record })) => {
                    if let Err(fault) = walk.step(seq, record.as_bytes(), &hash) {
                        break Some(format!("line {}: {fault}", self.number));
                    }
                }
                Err(fault) => break Some(format!("line {}: {fault}", self.number)),
            }
        };
        Walked {
            records: walk.records(),
            head: walk.hash().to_owned(),
            faults: match fault {
                Some(fault) => vec![fault],
                None => walk.finish(),
            },
        }
    }

    fn next<T: for<'de> Deserialize<'de>>(&mut self) -> Result<Option<T>, String> {
        let mut line = Vec::new();
        self.number += 1;
        (&mut self.lines)
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| error.to_string())?;
        if line.is_empty() {
            return Ok(None);
        }
        serde_json::from_slice(&line)
            .map(Some)
            .map_err(|_| "this is no record of an export".to_owned())
    }
}
