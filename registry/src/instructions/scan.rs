//! Making a catalog: one walk through each root, which holds no more than its deepest path and the first 200 of what it finds.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};

use super::ignored::Ignored;
use super::place::{Folder, Kind, Root};
use super::smallest::Smallest;
use super::{
    Catalog, Entry, LeftOut, Level, MAX_DEPTH, MAX_HEAD, Places, Unopened, frontmatter, rules,
};

/// Lists the instruction files of both levels.
///
/// # Errors
/// When a root cannot be read. What cannot be read below one is left out, and said.
pub fn scan(places: &Places) -> Result<Catalog, Unopened> {
    let mut found = Found {
        files: Smallest::new(),
        left_out: Smallest::new(),
    };
    let user = places.open(Level::User)?;
    if let Some(root) = &user {
        Walk::through(root, Level::User, false, &mut found);
    }
    let project = places.open(Level::Project)?;
    if let Some(root) = &project {
        Walk::through(root, Level::Project, places.gitignore, &mut found);
    }
    let Found {
        files,
        mut left_out,
    } = found;
    let (files, truncated) = files.into_sorted();
    let mut entries = Vec::with_capacity(files.len());
    for (level, path) in files {
        let root = match level {
            Level::User => &user,
            Level::Project => &project,
        };
        match root.as_ref().map(|root| entry(root, level, &path)) {
            Some(Ok(entry)) => entries.push(entry),
            Some(Err(reason)) => left_out.push(LeftOut {
                level,
                path,
                reason,
            }),
            None => {}
        }
    }
    let (left_out, left_out_truncated) = left_out.into_sorted();
    Ok(Catalog {
        entries,
        truncated,
        left_out,
        left_out_truncated,
    })
}

/// An entry, with the frontmatter that its file has now.
fn entry(root: &Root, level: Level, path: &str) -> Result<Entry, String> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "it is gone since it was found".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    let (folder, name) = split(path);
    let inside = root.folder_at(folder).map_err(failed)?;
    let kind = inside.kind(OsStr::new(name)).map_err(failed)?;
    let target = root.counts(folder, name, kind)?;
    let file = root.open_file(&inside, name, &target).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let (head, is_whole) = head(&file).map_err(failed)?;
    let (frontmatter, frontmatter_error, _) = frontmatter(&head, is_whole);
    Ok(Entry {
        level,
        path: path.to_owned(),
        size,
        frontmatter,
        frontmatter_error,
    })
}

/// The beginning of a file, and whether that is all of it.
fn head(file: &File) -> io::Result<(Vec<u8>, bool)> {
    let mut head = Vec::new();
    file.take(MAX_HEAD as u64 + 1).read_to_end(&mut head)?;
    let is_whole = head.len() <= MAX_HEAD;
    head.truncate(MAX_HEAD);
    Ok((head, is_whole))
}

/// The directory of a path, with `/` at its end unless empty, and the name in it.
pub(super) fn split(path: &str) -> (&str, &str) {
    let at = path.rfind('/').map_or(0, |slash| slash + 1);
    (
        path.get(..at).unwrap_or_default(),
        path.get(at..).unwrap_or_default(),
    )
}

struct Found {
    files: Smallest<(Level, String)>,
    left_out: Smallest<LeftOut>,
}

/// A walk through one root.
struct Walk<'a> {
    root: &'a Root,
    level: Level,
    ignored: Option<Ignored>,
    found: &'a mut Found,
    /// Where it is: empty, or with `/` at its end.
    path: String,
}

impl<'a> Walk<'a> {
    fn through(root: &'a Root, level: Level, gitignore: bool, found: &'a mut Found) {
        let mut walk = Self {
            root,
            level,
            ignored: gitignore.then(Ignored::default),
            found,
            path: String::new(),
        };
        match root.folder() {
            Ok(folder) => walk.folder(folder, 0),
            Err(error) => walk.leave_out("", &format!("cannot be read: {error}")),
        }
    }

    fn folder(&mut self, mut folder: Folder, depth: usize) {
        let has_patterns = self.read_patterns(&folder);
        let (mut claude, mut agents) = (None, None);
        while let Some(entry) = folder.next_entry() {
            let (name, kind) = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.leave_out("", &format!("cannot be read to its end: {error}"));
                    break;
                }
            };
            let Some(name) = name.to_str() else {
                self.nameless(&name, kind);
                continue;
            };
            if kind == Kind::Folder && rules::is_entered(self.level, &self.path, name) {
                self.below(&folder, name, depth);
            } else if rules::is_file(self.level, &self.path, name) && !self.is_ignored(name, false)
            {
                match name {
                    rules::CLAUDE => claude = Some(kind),
                    rules::AGENTS => agents = Some(kind),
                    _ => _ = self.file(name, kind),
                }
            }
        }
        let is_hidden = claude.is_some_and(|kind| self.file(rules::CLAUDE, kind));
        if let Some(kind) = agents.filter(|_| !is_hidden) {
            self.file(rules::AGENTS, kind);
        }
        if has_patterns && let Some(ignored) = &mut self.ignored {
            ignored.leave();
        }
    }

    fn below(&mut self, folder: &Folder, name: &str, depth: usize) {
        if self.is_ignored(name, true) {
            return;
        }
        if depth >= MAX_DEPTH {
            self.leave_out(name, "it is too deep");
            return;
        }
        match folder.enter(OsStr::new(name)) {
            Ok(below) => {
                let above = self.path.len();
                self.path.push_str(name);
                self.path.push('/');
                self.folder(below, depth + 1);
                self.path.truncate(above);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.leave_out(name, &format!("cannot be read: {error}")),
        }
    }

    /// Takes an instruction file, or says why not; and which of both.
    fn file(&mut self, name: &str, kind: Kind) -> bool {
        // A directory of this name has been entered, and is no file that is missing.
        if kind == Kind::Folder {
            return false;
        }
        match self.root.counts(&self.path, name, kind) {
            Ok(_) => {
                let path = format!("{}{name}", self.path);
                self.found.files.push((self.level, path));
                true
            }
            Err(reason) => {
                self.leave_out(name, &reason);
                false
            }
        }
    }

    /// What has a name that no path of a catalog can have.
    fn nameless(&mut self, name: &OsStr, kind: Kind) {
        let shown = name.to_string_lossy();
        let is_missing = match kind {
            Kind::Folder => rules::is_entered(self.level, &self.path, &shown),
            _ => rules::is_file(self.level, &self.path, &shown),
        };
        if is_missing {
            self.leave_out(&shown, "its name is no Unicode text; rename it");
        }
    }

    fn read_patterns(&mut self, folder: &Folder) -> bool {
        let Some(ignored) = &mut self.ignored else {
            return false;
        };
        match ignored.enter(folder, &self.path) {
            Ok(has_patterns) => has_patterns,
            Err(reason) => {
                self.leave_out(".gitignore", &reason);
                false
            }
        }
    }

    fn is_ignored(&self, name: &str, is_folder: bool) -> bool {
        self.ignored
            .as_ref()
            .is_some_and(|ignored| ignored.names(&format!("{}{name}", self.path), is_folder))
    }

    fn leave_out(&mut self, name: &str, reason: &str) {
        let path = format!("{}{name}", self.path);
        self.found.left_out.push(LeftOut {
            level: self.level,
            path: if path.is_empty() {
                ".".to_owned()
            } else {
                path
            },
            reason: reason.to_owned(),
        });
    }
}
