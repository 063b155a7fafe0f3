//! Walking along a chain, record by record, from the database or from an export: every hash, every number, and where
//! checkpoints say that it was.

use std::collections::VecDeque;

use super::heads::bytes_of;
use super::{AuditRecord, genesis, hex, link};
use crate::checkpoint::ChainHead;

/// Where a checkpoint says that a chain ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownHead {
    /// Where.
    pub head: ChainHead,
    /// Which checkpoint says so, in words.
    pub checkpoint: String,
}

/// A walk along one chain.
#[derive(Debug)]
pub struct ChainWalk {
    chain: String,
    records: i64,
    hash: String,
    /// What lies ahead, in the order of the chain.
    known: VecDeque<KnownHead>,
    faults: Vec<String>,
}

impl ChainWalk {
    /// At the beginning of a chain, with what checkpoints say of it.
    #[must_use]
    pub fn new(chain: &str, known: &[KnownHead]) -> Self {
        let mut known: Vec<KnownHead> = known
            .iter()
            .filter(|known| known.head.chain == chain)
            .cloned()
            .collect();
        known.sort_by_key(|known| known.head.records);
        let mut walk = Self {
            chain: chain.to_owned(),
            records: 0,
            hash: genesis(chain),
            known: known.into(),
            faults: Vec::new(),
        };
        walk.compare();
        walk
    }

    /// How many records there were so far.
    #[must_use]
    pub fn records(&self) -> i64 {
        self.records
    }

    /// The hash of the last of them.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Goes on by one record; gives it.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence: nothing after it can be said.
    pub fn step(&mut self, seq: i64, record: &[u8], hash: &str) -> Result<AuditRecord, String> {
        let expected = self.records + 1;
        if seq != expected {
            return Err(format!("record {expected} is missing"));
        }
        if link(&self.hash, record) != hash {
            return Err(format!(
                "record {expected} does not have the hash that its bytes give: it, or one before it, was changed"
            ));
        }
        let read: AuditRecord = serde_json::from_slice(record)
            .map_err(|_| format!("record {expected} is not readable"))?;
        if read.seq != seq {
            return Err(format!(
                "record {expected} says that it is record {}",
                read.seq
            ));
        }
        self.records = seq;
        hash.clone_into(&mut self.hash);
        self.compare();
        Ok(read)
    }

    /// Compares the place with the checkpoints that speak of it.
    fn compare(&mut self) {
        while let Some(known) = self
            .known
            .pop_front_if(|known| known.head.records <= self.records)
        {
            if bytes_of(&self.hash) != Some(known.head.hash) {
                self.faults.push(format!(
                    "{} says that record {} has the hash {}, and it has {}: the chain was written anew",
                    known.checkpoint,
                    known.head.records,
                    hex(&known.head.hash),
                    self.hash
                ));
            }
        }
    }

    /// What is wrong, in sentences, at the end of the chain.
    #[must_use]
    pub fn finish(mut self) -> Vec<String> {
        for known in self.known {
            self.faults.push(if self.records == 0 {
                format!(
                    "{} says that the chain `{}` has {} records, and it is missing",
                    known.checkpoint, self.chain, known.head.records
                )
            } else {
                format!(
                    "{} says that there are {} records, and there are {}: the end was cut off",
                    known.checkpoint, known.head.records, self.records
                )
            });
        }
        self.faults
    }
}
