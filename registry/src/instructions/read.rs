//! Reading one instruction file: by the rules that list it, and no other.

use std::ffi::OsStr;
use std::io::{self, Read as _};

use serde::Serialize;
use serde_json::{Map, Value};

use super::ignored::Ignored;
use super::place::{Folder, Root};
use super::scan::split;
use super::{FrontmatterError, Level, MAX_FILE, MAX_HEAD, Places, Unopened, frontmatter, rules};
use crate::content::sha256_text;

/// An instruction file with its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Instruction {
    /// Whose it is.
    pub level: Level,
    /// Its path below the directory of its level, with `/`.
    pub path: String,
    /// The SHA-256 of the bytes of the file.
    pub digest: String,
    /// Its frontmatter; null when it has none, or none that can be read.
    pub frontmatter: Option<Map<String, Value>>,
    /// Why its frontmatter cannot be read; absent when it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter_error: Option<FrontmatterError>,
    /// The text below the frontmatter; absent when the caller has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Whether the caller has exactly this.
    pub already_loaded: bool,
    /// True when the caller has something else; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// Why an instruction file is not read, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The root cannot be looked into.
    #[error(transparent)]
    Unopened(#[from] Unopened),
    /// No catalog lists it.
    #[error(
        "{path} is not listed at the {level} level: {reason}; `vestry instructions scan` lists what is"
    )]
    Unlisted {
        /// The path that was asked for.
        path: String,
        /// The level.
        level: Level,
        /// Why.
        reason: String,
    },
    /// It is listed, and cannot be read.
    #[error("{path} cannot be read: {reason}")]
    Unreadable {
        /// The path that was asked for.
        path: String,
        /// Why, and what to do.
        reason: String,
    },
}

/// Reads an instruction file. `have` is the digest of what the caller has of it.
///
/// # Errors
/// When it would not be listed, is too large or no text.
pub fn read(
    places: &Places,
    level: Level,
    path: &str,
    have: Option<&str>,
) -> Result<Instruction, ReadError> {
    let unlisted = |reason: &str| ReadError::Unlisted {
        path: path.to_owned(),
        level,
        reason: reason.to_owned(),
    };
    let unreadable = |reason: String| ReadError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    rules::check(level, path).map_err(unlisted)?;
    let Some(root) = places.open(level)? else {
        return Err(unlisted("no directory is given for this level"));
    };
    let not_found = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => unlisted("there is no such file"),
        _ => unlisted(&format!("it cannot be reached: {error}")),
    };
    let (folder_path, name) = split(path);
    let ignored = (level == Level::Project && places.gitignore)
        .then(|| patterns_above(&root, path))
        .transpose()
        .map_err(not_found)?;
    let is_ignored = |path: &str| {
        ignored
            .as_ref()
            .is_some_and(|ignored| ignored.names(path, false))
    };
    if ignored
        .as_ref()
        .is_some_and(|ignored| names_above(ignored, path))
        || is_ignored(path)
    {
        return Err(unlisted("a .gitignore file names it"));
    }
    let folder = root.folder_at(folder_path).map_err(not_found)?;
    let kind = folder.kind(OsStr::new(name)).map_err(not_found)?;
    let target = root
        .counts(folder_path, name, kind)
        .map_err(|reason| unlisted(&format!("it is {reason}")))?;
    if name == rules::AGENTS
        && !is_ignored(&format!("{folder_path}{}", rules::CLAUDE))
        && has_claude(&root, &folder, folder_path)
    {
        return Err(unlisted("the CLAUDE.md beside it is listed in its place"));
    }
    let file = root
        .open_file(&folder, name, &target)
        .map_err(|error| unreadable(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(unreadable(format!(
            "it has more than {MAX_FILE} bytes; split it"
        )));
    }
    let is_whole = bytes.len() <= MAX_HEAD;
    let head = bytes.get(..MAX_HEAD).unwrap_or(&bytes);
    let (frontmatter, frontmatter_error, body_offset) = frontmatter(head, is_whole);
    let digest = sha256_text(&bytes);
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| unreadable("it is no UTF-8 text; save it as UTF-8".to_owned()))?;
    let already_loaded = have == Some(digest.as_str());
    let body = text.get(body_offset..).unwrap_or_default();
    Ok(Instruction {
        level,
        path: path.to_owned(),
        frontmatter,
        frontmatter_error,
        body: (!already_loaded).then(|| body.to_owned()),
        already_loaded,
        changed: have.is_some() && !already_loaded,
        digest,
    })
}

/// Whether there is a CLAUDE.md that counts.
fn has_claude(root: &Root, folder: &Folder, folder_path: &str) -> bool {
    folder
        .kind(OsStr::new(rules::CLAUDE))
        .is_ok_and(|kind| root.counts(folder_path, rules::CLAUDE, kind).is_ok())
}

/// The patterns of all directories that a path is in.
fn patterns_above(root: &Root, path: &str) -> io::Result<Ignored> {
    let mut ignored = Ignored::default();
    for folder in folders_of(path) {
        // What cannot be read hides nothing; the catalog says so.
        let _ = ignored.enter(&root.folder_at(folder)?, folder);
    }
    Ok(ignored)
}

/// Whether a directory that a path is in is named: then nothing below it is looked at. The file of a directory never names
/// the directory itself, so that all patterns may be asked about each.
fn names_above(ignored: &Ignored, path: &str) -> bool {
    folders_of(path)
        .filter_map(|folder| folder.strip_suffix('/'))
        .any(|folder| ignored.names(folder, true))
}

/// The directories that a path is in, the root first, each with `/` at its end.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    let below = path
        .match_indices('/')
        .filter_map(|(at, _)| path.get(..=at));
    std::iter::once("").chain(below)
}
