//! Instruction catalogs: which instruction files a user and a repository have for agents, and reading one of them.
//!
//! A catalog has paths and frontmatter, never bodies: an agent is told what there is, and reads what a task needs. Two roots
//! are looked into, each by rules of its own ([`rules`]): the *user level*, a directory such as `~/.claude`, and the *project
//! level*, a repository. A repository is written by others than the one who runs the agent, so nothing outside of a root is
//! listed or read: every directory is opened below the one before it without following links ([`place`]), a link is followed
//! only to a regular file inside of its root, and reading one file asks the same rules as listing them all.
//!
//! This knows neither the server nor the store; the clients in `examples/clients` do the same in their languages, and one
//! table of cases holds all of them together.

mod ignored;
pub(crate) mod place;
mod read;
mod rules;
mod scan;
mod smallest;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use read::{Instruction, ReadError, read};
pub use rules::SKIPPED;
pub use scan::scan;

use place::Root;

/// The most entries of a catalog, and the most files that it says were left out.
pub const MAX_ENTRIES: usize = 200;
/// How much of a file is read for its frontmatter, in bytes.
pub const MAX_HEAD: usize = 64 << 10;
/// The largest file that is read, in bytes.
pub const MAX_FILE: u64 = 1 << 20;
/// How deep directories are looked into; each has an open file while it is.
pub const MAX_DEPTH: usize = 128;

/// Whose instructions: those of a level come before those of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The user's, for everything that the user does.
    User,
    /// The project's, for everybody who works on it.
    Project,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Project => "project",
        })
    }
}

/// Where to look.
#[derive(Debug, Clone)]
pub struct Places {
    /// The directory of the user level; none to have no entries of it.
    pub home: Option<PathBuf>,
    /// The directory of the project level.
    pub project: PathBuf,
    /// Whether what the project's `.gitignore` files name is skipped.
    pub gitignore: bool,
}

impl Places {
    /// The directory of a level, opened; none where the level is not looked at.
    fn open(&self, level: Level) -> Result<Option<Root>, Unopened> {
        let directory = match level {
            Level::User => match &self.home {
                Some(home) => home,
                None => return Ok(None),
            },
            Level::Project => &self.project,
        };
        match Root::open(directory) {
            Ok(root) => Ok(Some(root)),
            Err(error) => Err(Unopened::of(directory, &error)),
        }
    }
}

/// Why a root could not be looked into, in one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unopened(String);

impl Unopened {
    fn of(directory: &Path, error: &io::Error) -> Self {
        Self(format!("cannot read {}: {error}", directory.display()))
    }
}

/// The instruction files of both levels: user first, then by the bytes of their paths.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Catalog {
    /// The first 200.
    pub entries: Vec<Entry>,
    /// How many more there are; absent when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub truncated: u64,
    /// What would be listed, or holds what would be, and is not; absent when there is nothing. At most 200, in the same order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// How many more were left out; absent when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out_truncated: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "this is how serde calls it"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An instruction file, without its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Whose it is.
    pub level: Level,
    /// Its path below the directory of its level, with `/`.
    pub path: String,
    /// How many bytes it has.
    pub size: u64,
    /// Its frontmatter; null when it has none, or none that can be read.
    pub frontmatter: Option<Map<String, Value>>,
    /// Why its frontmatter cannot be read; absent when it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter_error: Option<FrontmatterError>,
}

/// Why the frontmatter of a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FrontmatterError {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong and what to write, as the rest of a sentence.
    pub detail: String,
}

/// What a catalog leaves out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LeftOut {
    /// Whose it is.
    pub level: Level,
    /// Its path; what is no Unicode text in it is replaced by U+FFFD.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// The frontmatter of a file by what its beginning says, and where the text below it begins.
fn frontmatter(
    head: &[u8],
    is_whole: bool,
) -> (Option<Map<String, Value>>, Option<FrontmatterError>, usize) {
    let head = crate::content::skill_md::head(head, is_whole);
    match head.frontmatter {
        Ok(found) => (found, None, head.body_offset),
        Err(error) => {
            let error = FrontmatterError {
                line: error.line,
                detail: error.detail,
            };
            (None, Some(error), head.body_offset)
        }
    }
}
