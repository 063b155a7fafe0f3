//! Paths of bundled files. A path has one spelling on every system that a skill may be unpacked on: what Windows, macOS
//! or a terminal would read as another path, or as none, is refused (threat 17).

use std::collections::BTreeMap;
use std::fmt;

use icu_casemap::CaseMapper;
use unicode_normalization::UnicodeNormalization as _;

use super::text::check_line;

/// The most bytes of a path.
pub const MAX_PATH_BYTES: usize = 512;
/// The most bytes of one segment: what common file systems take.
pub const MAX_SEGMENT_BYTES: usize = 255;
/// The most segments of a path.
pub const MAX_SEGMENTS: usize = 16;

/// The characters that Windows allows in no name, besides the separators, which have a sentence of their own.
/// <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>
const NOT_ON_WINDOWS: [char; 7] = ['<', '>', ':', '"', '|', '?', '*'];

/// The names of devices on Windows, with any extension; `COM` and `LPT` go on with one digit.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Why a path is refused: one sentence with the path and what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The path \"{path}\" {why}.")]
pub struct PathError {
    path: String,
    why: String,
}

/// The directories that version control systems keep beside a working copy: some of them run what their configuration says, as
/// soon as somebody looks. The last one is what Windows also calls `.git`.
const VERSION_CONTROL: [&str; 8] = [
    ".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", "cvs", "git~1",
];

/// The path of a bundled file, relative to its skill, in canonical form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(String);

impl FilePath {
    /// Parses a path. Nothing is corrected: what is not canonical is refused.
    ///
    /// # Errors
    /// [`PathError`], with what to write instead.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let refuse = |why: String| {
            Err(PathError {
                path: shown(text),
                why,
            })
        };
        if text.len() > MAX_PATH_BYTES {
            return refuse(format!(
                "has more than {MAX_PATH_BYTES} bytes; write a shorter one"
            ));
        }
        if let Err(error) = check_line(text) {
            return refuse(format!("is not plain text: {error}"));
        }
        if text.contains('\t') {
            return refuse("has a tab; write it without".to_owned());
        }
        if text.is_empty() {
            return refuse(
                "is empty; write the path of the file below the skill's directory".to_owned(),
            );
        }
        if text.contains('\\') {
            return refuse("has a backslash; write `/` between segments".to_owned());
        }
        if text.starts_with('/') {
            return refuse("is absolute; write it relative to the skill's directory".to_owned());
        }
        if let Some(found) = text.chars().find(|c| NOT_ON_WINDOWS.contains(c)) {
            return refuse(format!(
                "has the character `{found}`, which Windows does not allow; write it without"
            ));
        }
        let mut segments = 0;
        for segment in text.split('/') {
            segments += 1;
            if let Some(why) = fault_of(segment) {
                return refuse(why);
            }
        }
        if segments > MAX_SEGMENTS {
            return refuse(format!(
                "is more than {MAX_SEGMENTS} segments deep; write a flatter one"
            ));
        }
        let folded = folded(text);
        if folded.matches('/').count() + 1 != segments
            || folded.contains('\\')
            || folded
                .split('/')
                .any(|segment| matches!(segment, "." | ".."))
        {
            return refuse(
                "has a character that some systems read as a separator or a dot; write another"
                    .to_owned(),
            );
        }
        if folded == "skill.md" {
            return refuse(
                "is that of the SKILL.md itself; send that as the body, and name the file otherwise"
                    .to_owned(),
            );
        }
        if folded.ends_with("/skill.md") {
            return refuse(
                "makes its folder a skill of its own; publish that by itself, or name the file otherwise"
                    .to_owned(),
            );
        }
        if let Some(store) = folded
            .split('/')
            .find(|segment| VERSION_CONTROL.contains(segment))
        {
            return refuse(format!(
                "has the segment `{store}`, where a version control system keeps what it runs; leave it out"
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// The path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is wrong with a segment, if anything is.
fn fault_of(segment: &str) -> Option<String> {
    if segment.is_empty() {
        return Some(
            "has an empty segment; write one `/` between segments, and none at the end".to_owned(),
        );
    }
    if matches!(segment, "." | "..") {
        return Some(format!(
            "has the segment `{segment}`; write the path that it leads to"
        ));
    }
    if segment.len() > MAX_SEGMENT_BYTES {
        return Some(format!(
            "has a segment of more than {MAX_SEGMENT_BYTES} bytes; write a shorter one"
        ));
    }
    if segment.starts_with(char::is_whitespace) || segment.ends_with(char::is_whitespace) {
        return Some("has white space at the edge of a segment; write it without".to_owned());
    }
    if segment.ends_with('.') {
        return Some(
            "has a segment that ends in a dot, which Windows drops; write it without".to_owned(),
        );
    }
    is_device(segment).then(|| {
        format!("has the segment `{segment}`, which names a device on Windows; write another name")
    })
}

/// Whether Windows takes a name for a device: by what comes before the first dot, without spaces at its end, and with
/// superscript digits counting as digits. Compatibility forms (full-width letters) are folded, because some programs do.
fn is_device(segment: &str) -> bool {
    let folded = folded(segment);
    let stem = folded
        .split_once('.')
        .map_or(folded.as_str(), |(stem, _)| stem)
        .trim_end();
    let is_numbered = ["com", "lpt"].iter().any(|device| {
        stem.strip_prefix(device).is_some_and(|number| {
            let mut characters = number.chars();
            // Superscripts were folded to digits.
            characters.next().is_some_and(|c| c.is_ascii_digit()) && characters.next().is_none()
        })
    });
    is_numbered || DEVICES.contains(&stem)
}

/// A text as it compares without regard to case and compatibility (Unicode Standard, section 3.13, D146).
fn folded(text: &str) -> String {
    let mapper = CaseMapper::new();
    let decomposed: String = text.nfd().collect();
    let once: String = mapper.fold_string(&decomposed).nfkc().collect();
    mapper.fold_string(&once).nfkc().collect()
}

/// A path as a message shows it: without what does not show, and not longer than a path may be.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        if shown.len() >= MAX_PATH_BYTES {
            shown.push('…');
            break;
        }
        if !character.is_control() && check_line(character.encode_utf8(&mut [0; 4])).is_ok() {
            shown.push(character);
        } else {
            shown.extend(character.escape_unicode());
        }
    }
    shown
}

/// The first path that cannot be beside an earlier one, with its position: the two are one file where case or
/// compatibility forms do not count, or one is a directory of the other.
///
/// # Errors
/// The position of the path, and a [`PathError`] that names both.
pub fn check_distinct<'a>(
    paths: impl IntoIterator<Item = &'a FilePath>,
) -> Result<(), (usize, PathError)> {
    // By the folded path of every file, and of every directory that a file makes: the first path that has it.
    let mut files: BTreeMap<String, &FilePath> = BTreeMap::new();
    let mut directories: BTreeMap<String, &FilePath> = BTreeMap::new();
    for (position, path) in paths.into_iter().enumerate() {
        let refuse = |other: &FilePath, how: &str| {
            Err((
                position,
                PathError {
                    path: path.0.clone(),
                    why: format!("{how} \"{other}\"; give one of them another name"),
                },
            ))
        };
        let whole = folded(&path.0);
        if let Some(other) = files.get(&whole) {
            return refuse(other, "is the same file on some systems as");
        }
        if let Some(other) = directories.get(&whole) {
            return refuse(other, "names a file where there is a directory for");
        }
        for (end, _) in whole.match_indices('/') {
            let Some(parent) = whole.get(..end) else {
                continue;
            };
            if let Some(other) = files.get(parent) {
                return refuse(other, "needs a directory where there is the file");
            }
            match directories.get(parent) {
                // One directory in two spellings is one on some systems and two on others.
                Some(other) if !shares_spelling(&other.0, &path.0, parent) => {
                    return refuse(other, "spells a directory otherwise than");
                }
                Some(_) => {}
                None => {
                    directories.insert(parent.to_owned(), path);
                }
            }
        }
        files.insert(whole, path);
    }
    Ok(())
}

/// Whether two paths spell the directories of a folded one alike.
fn shares_spelling(one: &str, other: &str, parent: &str) -> bool {
    let depth = parent.split('/').count();
    one.split('/').take(depth).eq(other.split('/').take(depth))
}

#[cfg(test)]
mod tests;
