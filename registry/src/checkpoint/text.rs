//! The text of a checkpoint.
//!
//! Of one chain, where `acme` is the tenant, or `~` for the installation's own chain:
//!
//! ```text
//! vestry.example.org/audit/acme
//! 42
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
//! time 2027-01-15T08:00:00Z
//! ```
//!
//! Of all chains of an installation; the hash is the SHA-256 of the lines that begin with `chain`:
//!
//! ```text
//! vestry.example.org/audit
//! 2
//! 5Yz3JVM8hm7rZ4o0gS2rV6y0K0V0B8O3qXxq8i2Vq2k=
//! time 2027-01-15T08:00:00Z
//! chain acme 42 CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
//! chain ~ 7 jVJzU8mC1b5m4dQ2e1p0c6X8M3u1o1d1vXq8x5mZ9vE=
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::{Digest as _, Sha256};

use super::note::{self, NoteError};
use super::{CheckpointKey, VerifierKey};
use crate::clock::Micros;

/// What an origin keeps of a tenant's id as it is: a plus sign would not be allowed in it.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':')
    .remove(b'@');

/// Where a chain ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChainHead {
    /// The tenant; `~` for the installation's own chain.
    pub chain: String,
    /// How many records it has.
    pub records: i64,
    /// The hash of the last, or what a chain without records begins with.
    pub hash: [u8; 32],
}

/// Which chains a checkpoint speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covers {
    /// One of them.
    OneChain,
    /// All that there were.
    AllChains,
}

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which chains it speaks of.
    pub covers: Covers,
    /// When it was signed.
    pub at: Micros,
    /// Where these chains ended, ordered by their names.
    pub heads: Vec<ChainHead>,
}

impl Checkpoint {
    /// Of one chain.
    #[must_use]
    pub fn of_chain(head: ChainHead, at: Micros) -> Self {
        Self {
            covers: Covers::OneChain,
            at,
            heads: vec![head],
        }
    }

    /// Of all chains.
    #[must_use]
    pub fn of_all(mut heads: Vec<ChainHead>, at: Micros) -> Self {
        heads.sort();
        Self {
            covers: Covers::AllChains,
            at,
            heads,
        }
    }

    /// The signed note.
    #[must_use]
    pub fn sign(&self, key: &CheckpointKey) -> String {
        note::sign(&self.text(key.name()), key)
    }

    /// Reads a note that a key signed.
    ///
    /// # Errors
    /// A [`NoteError`] for whatever is no checkpoint of this key.
    pub fn open(bytes: &[u8], key: &VerifierKey) -> Result<Self, NoteError> {
        let text = note::open(bytes, key)?;
        Self::parse(text, key.name()).ok_or(NoteError::NoCheckpoint)
    }

    fn text(&self, name: &str) -> String {
        let time = format!("time {}\n", self.at.rfc3339());
        match (self.covers, self.heads.first()) {
            (Covers::OneChain, Some(head)) => format!(
                "{name}/{}\n{}\n{}\n{time}",
                utf8_percent_encode(&head.chain, SEGMENT),
                head.records,
                STANDARD.encode(head.hash),
            ),
            _ => {
                let lines = chain_lines(&self.heads);
                format!(
                    "{name}\n{}\n{}\n{time}{lines}",
                    self.heads.len(),
                    STANDARD.encode(Sha256::digest(&lines)),
                )
            }
        }
    }

    fn parse(text: &str, name: &str) -> Option<Self> {
        let mut lines = text.lines();
        let origin = lines.next()?.strip_prefix(name)?;
        let size = lines.next()?;
        let hash = hash(lines.next()?)?;
        let at = lines.next()?.strip_prefix("time ")?;
        let at = Micros(at.parse::<jiff::Timestamp>().ok()?.as_microsecond());
        let checkpoint = if let Some(segment) = origin.strip_prefix('/') {
            let head = ChainHead {
                chain: percent_decode_str(segment).decode_utf8().ok()?.into_owned(),
                records: count(size)?,
                hash,
            };
            Self::of_chain(head, at)
        } else {
            let heads = lines.map(chain_line).collect::<Option<Vec<_>>>()?;
            Self {
                covers: Covers::AllChains,
                at,
                heads,
            }
        };
        // One text a checkpoint: what is written differently was not written by a server.
        (checkpoint.text(name) == text && is_ordered(&checkpoint.heads)).then_some(checkpoint)
    }
}

fn is_ordered(heads: &[ChainHead]) -> bool {
    heads.is_sorted_by(|a, b| a.chain < b.chain)
}

fn chain_lines(heads: &[ChainHead]) -> String {
    heads
        .iter()
        .map(|head| {
            format!(
                "chain {} {} {}\n",
                head.chain,
                head.records,
                STANDARD.encode(head.hash)
            )
        })
        .collect()
}

fn chain_line(line: &str) -> Option<ChainHead> {
    let mut words = line.strip_prefix("chain ")?.split(' ');
    let head = ChainHead {
        chain: words.next().filter(|chain| !chain.is_empty())?.to_owned(),
        records: count(words.next()?)?,
        hash: hash(words.next()?)?,
    };
    words.next().is_none().then_some(head)
}

fn count(text: &str) -> Option<i64> {
    text.parse().ok().filter(|count| *count >= 0)
}

fn hash(text: &str) -> Option<[u8; 32]> {
    STANDARD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SeededEntropy;

    fn head(chain: &str, records: i64) -> ChainHead {
        ChainHead {
            chain: chain.to_owned(),
            records,
            hash: Sha256::digest(chain).into(),
        }
    }

    #[test]
    fn a_checkpoint_is_read_as_it_is_written() {
        let key = CheckpointKey::generate("example.org/audit", &SeededEntropy::new(1)).unwrap();
        let at = Micros(1_799_999_600_000_001);
        for checkpoint in [
            Checkpoint::of_chain(head("acme", 42), at),
            Checkpoint::of_chain(head("a+b", 0), at),
            Checkpoint::of_chain(head("~", 1), at),
            Checkpoint::of_all(vec![head("~", 1), head("acme", 42)], at),
            Checkpoint::of_all(Vec::new(), at),
        ] {
            let note = checkpoint.sign(&key);
            assert_eq!(
                Checkpoint::open(note.as_bytes(), &key.verifier()),
                Ok(checkpoint)
            );
        }
        let note = Checkpoint::of_chain(head("a+b", 7), at).sign(&key);
        assert!(note.starts_with("example.org/audit/a%2Bb\n7\n"), "{note}");
    }

    #[test]
    fn a_signed_text_that_is_no_checkpoint_is_refused() {
        let key = CheckpointKey::generate("example.org/audit", &SeededEntropy::new(1)).unwrap();
        let good = Checkpoint::of_all(
            vec![head("acme", 42), head("b", 1)],
            Micros(1_799_999_600_000_000),
        )
        .text(key.name());
        assert!(Checkpoint::parse(&good, key.name()).is_some());
        let mut lines: Vec<&str> = good.lines().collect();
        lines.swap(4, 5);
        for bad in [
            good.replace("example.org", "example.com"),
            good.replace("chain b 1", "chain b 01"),
            good.replace("chain b 1", "chain b -1"),
            good.replace("chain acme 42", "chain acme 41"),
            good.replacen("\n2\n", "\n3\n", 1),
            good.replace("time ", "at "),
            good.replace("chain b", "chain acme"),
            good.lines()
                .take(3)
                .map(|line| format!("{line}\n"))
                .collect(),
            lines.iter().map(|line| format!("{line}\n")).collect(),
            "hello\n".to_owned(),
        ] {
            let note = note::sign(&bad, &key);
            assert_eq!(
                Checkpoint::open(note.as_bytes(), &key.verifier()),
                Err(NoteError::NoCheckpoint),
                "{bad}"
            );
        }
    }
}
