//! What `.gitignore` files name. Those of the project are read, from its root down; not those above it, because nothing
//! outside of the root is read.

use std::ffi::OsStr;
use std::io::Read as _;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::place::Folder;

const NAME: &str = ".gitignore";
/// The largest `.gitignore` that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The patterns of the directories from the root to where the search is.
#[derive(Default)]
pub(super) struct Ignored {
    /// Each with the length of the path of its directory.
    patterns: Vec<(usize, Gitignore)>,
}

impl Ignored {
    /// Adds the patterns of a directory, and says whether it has any.
    ///
    /// # Errors
    /// Why there is a file of patterns that cannot be read.
    pub(super) fn enter(&mut self, folder: &Folder, path: &str) -> Result<bool, String> {
        let file = match folder.open_file(OsStr::new(NAME)) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(format!("cannot be read, and hides nothing: {error}")),
        };
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("cannot be read, and hides nothing: {error}"))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!(
                "has more than {MAX_BYTES} bytes, and hides nothing"
            ));
        }
        let text = String::from_utf8_lossy(&bytes);
        // Paths are given from the directory that the file is in.
        let mut builder = GitignoreBuilder::new(".");
        for line in text.trim_start_matches('\u{feff}').lines() {
            // A pattern that is none matches nothing, as with Git.
            let _ = builder.add_line(None, line);
        }
        let Ok(patterns) = builder.build() else {
            return Err("has patterns that cannot be used, and hides nothing".to_owned());
        };
        self.patterns.push((path.len(), patterns));
        Ok(true)
    }

    /// Takes the patterns of the directory out again.
    pub(super) fn leave(&mut self) {
        self.patterns.pop();
    }

    /// Whether a path below the root is named: by the nearest file that says anything about it.
    pub(super) fn names(&self, path: &str, is_folder: bool) -> bool {
        for (above, patterns) in self.patterns.iter().rev() {
            let below = path.get(*above..).unwrap_or_default();
            match patterns.matched(below, is_folder) {
                Match::None => {}
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
            }
        }
        false
    }
}
