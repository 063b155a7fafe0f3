//! The worktree that a workflow works on: templates in it are read, and nothing that a path or a link leads out to.

use std::io::Read as _;
use std::path::Path;

use super::MAX_TEMPLATE;
use crate::content::check_text;
use crate::instructions::place::{NotInside, Root};

/// Why a template of the worktree is not read, in one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WorktreeError(String);

/// A worktree.
#[derive(Debug)]
pub struct Worktree(Root);

impl Worktree {
    /// Opens a directory.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn open(directory: &Path) -> Result<Self, WorktreeError> {
        Root::open(directory).map(Self).map_err(|error| {
            WorktreeError(format!(
                "the worktree {} cannot be opened: {error}; give another with --worktree",
                directory.display()
            ))
        })
    }

    /// Reads a template; none where there is no such file.
    ///
    /// # Errors
    /// When it leads out of the worktree, is no file, too large, blank, or no text of which everything shows.
    pub fn read(&self, path: &str) -> Result<Option<String>, WorktreeError> {
        let refused = |why: String| {
            WorktreeError(format!(
                "the template {path} of the worktree is refused: {why}"
            ))
        };
        let file = match self.0.open_inside(path) {
            Ok(file) => file,
            Err(NotInside::Missing) => return Ok(None),
            Err(NotInside::Outside) => {
                return Err(refused(
                    "it leads out of the worktree; put the file itself into it".to_owned(),
                ));
            }
            Err(NotInside::Uncommitted) => {
                return Err(refused(
                    "it leads into `.git`, and what is there was not committed; put the file elsewhere"
                        .to_owned(),
                ));
            }
            Err(NotInside::Failed(error)) => return Err(refused(error.to_string())),
        };
        let mut bytes = Vec::new();
        let most = MAX_TEMPLATE as u64;
        file.take(most.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| refused(error.to_string()))?;
        text(bytes).map(Some).map_err(refused)
    }
}

/// A template of bytes, without the byte order mark that some editors begin it with.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.len() > MAX_TEMPLATE {
        return Err(format!("it has more than {MAX_TEMPLATE} bytes; shorten it"));
    }
    let text =
        String::from_utf8(bytes).map_err(|_| "it is no UTF-8 text; save it as UTF-8".to_owned())?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    if vestry_policies::prompt::is_blank(&text) {
        return Err("it is blank; write the prompt, or remove the file".to_owned());
    }
    check_text(&text).map_err(|error| format!("line {}: {}", error.line(), error.reason()))?;
    Ok(text)
}
