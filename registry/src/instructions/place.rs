//! Directories and files below one root, which nothing leads out of.
//!
//! Each directory is opened below the one before it, and never through a link: what is put in its place between a look at it
//! and its opening makes the opening fail. Opening a file never waits, whatever it turns out to be.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use super::rules::SKIPPED;

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl Kind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// The directory that a level is below.
#[derive(Debug)]
pub(crate) struct Root {
    /// Where it is, without links on the way.
    path: PathBuf,
    descriptor: OwnedFd,
}

impl Root {
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(directory)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = rustix::fs::open(&path, flags, Mode::empty())?;
        Ok(Self { path, descriptor })
    }

    /// The root itself.
    pub(super) fn folder(&self) -> io::Result<Folder> {
        Folder::below(&self.descriptor, OsStr::new("."))
    }

    /// The directory of this path (empty, or with `/` at its end), reached without following a link.
    pub(super) fn folder_at(&self, path: &str) -> io::Result<Folder> {
        let mut folder = self.folder()?;
        for name in path.split_terminator('/') {
            folder = folder.enter(OsStr::new(name))?;
        }
        Ok(folder)
    }

    /// The file that counts under this name in a directory: itself, or what it is a link to where that is a regular file
    /// inside of the root and of no skipped directory. Why none does, otherwise.
    pub(super) fn counts(
        &self,
        folder_path: &str,
        name: &str,
        kind: Kind,
    ) -> Result<Target, String> {
        match kind {
            Kind::File => Ok(Target::Itself),
            Kind::Link => self.resolve(&format!("{folder_path}{name}")),
            Kind::Folder => Err("a directory, where a file is expected".to_owned()),
            Kind::Other => Err("neither a file nor a directory".to_owned()),
        }
    }

    fn resolve(&self, link: &str) -> Result<Target, String> {
        let nowhere = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => "a symbolic link to nothing".to_owned(),
            _ => format!("a symbolic link that cannot be followed: {error}"),
        };
        let target = fs::canonicalize(self.path.join(link)).map_err(nowhere)?;
        let inside = target
            .strip_prefix(&self.path)
            .map_err(|_| "a symbolic link that leads out of the directory".to_owned())?;
        let is_skipped = inside
            .iter()
            .any(|segment| segment.to_str().is_some_and(|name| SKIPPED.contains(&name)));
        if is_skipped {
            return Err("a symbolic link into a directory that is skipped".to_owned());
        }
        let kind = self
            .parent_of(inside)
            .and_then(|(folder, name)| folder.kind(name));
        match kind {
            Ok(Kind::File) => Ok(Target::Other(inside.to_owned())),
            Ok(_) => Err("a symbolic link to what is no file".to_owned()),
            Err(error) => Err(nowhere(error)),
        }
    }

    /// Opens the file that counts under this name in a directory.
    pub(super) fn open_file(
        &self,
        folder: &Folder,
        name: &str,
        target: &Target,
    ) -> io::Result<File> {
        match target {
            Target::Itself => folder.open_file(OsStr::new(name)),
            Target::Other(inside) => {
                let (folder, name) = self.parent_of(inside)?;
                folder.open_file(name)
            }
        }
    }

    /// Opens the regular file that a path below the root leads to, whatever links are on the way, if it is inside of the root and
    /// not of `.git`: what is there was not committed, and addresses in it may have passwords.
    pub(crate) fn open_inside(&self, path: &str) -> Result<File, NotInside> {
        let target = match fs::canonicalize(self.path.join(path)) {
            Ok(target) => target,
            Err(error) => {
                let is_missing = matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                );
                return Err(if !is_missing {
                    NotInside::Failed(error)
                } else if self.has_dangling_link(path) {
                    NotInside::Failed(io::Error::other(
                        "it, or a directory above it, is a symbolic link to nothing",
                    ))
                } else {
                    NotInside::Missing
                });
            }
        };
        let inside = target
            .strip_prefix(&self.path)
            .map_err(|_| NotInside::Outside)?;
        // Some file systems know it in any case.
        if inside.iter().any(|name| name.eq_ignore_ascii_case(".git")) {
            return Err(NotInside::Uncommitted);
        }
        self.parent_of(inside)
            .and_then(|(folder, name)| folder.open_file(name))
            .map_err(NotInside::Failed)
    }

    /// Whether a part of a path is a link to nothing: something was meant to be there.
    fn has_dangling_link(&self, path: &str) -> bool {
        let mut place = self.path.clone();
        Path::new(path).iter().any(|segment| {
            place.push(segment);
            fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink())
                && fs::metadata(&place).is_err()
        })
    }

    /// The directory of a path without links, and the name in it.
    fn parent_of<'a>(&self, inside: &'a Path) -> io::Result<(Folder, &'a OsStr)> {
        let name = inside.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let mut folder = self.folder()?;
        for segment in inside.parent().into_iter().flat_map(Path::iter) {
            folder = folder.enter(segment)?;
        }
        Ok((folder, name))
    }
}

/// Why a path leads to no file inside of a root.
#[derive(Debug)]
pub(crate) enum NotInside {
    /// There is nothing.
    Missing,
    /// It leads out of the root.
    Outside,
    /// It leads into `.git`.
    Uncommitted,
    /// It cannot be opened, or is no file.
    Failed(io::Error),
}

/// What counts as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The file itself.
    Itself,
    /// What is at this path below the root, on which no link is.
    Other(PathBuf),
}

/// An open directory, and where reading its entries has come to.
#[derive(Debug)]
pub(super) struct Folder(Dir);

impl Folder {
    fn below(folder: impl AsFd, name: &OsStr) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor = rustix::fs::openat(folder, name, flags, Mode::empty())?;
        Ok(Self(Dir::new(descriptor)?))
    }

    /// The directory of this name in this one; not what a link leads to.
    pub(super) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        Self::below(self.0.fd()?, name)
    }

    /// What has this name.
    pub(super) fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        let found = rustix::fs::statat(self.0.fd()?, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Kind::of(FileType::from_raw_mode(found.st_mode)))
    }

    /// Opens a regular file of this name, without waiting and without following a link.
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(
            self.0.fd()?,
            name,
            flags,
            Mode::empty(),
        )?);
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::Error::other("it is no regular file"))
        }
    }

    /// The next entry, in no order; itself and the directory above are none.
    pub(super) fn next_entry(&mut self) -> Option<io::Result<(OsString, Kind)>> {
        loop {
            let entry = match self.0.read()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            if [c".", c".."].contains(&entry.file_name()) {
                continue;
            }
            let name = name_of(entry.file_name());
            // Some file systems do not say.
            let kind = match entry.file_type() {
                FileType::Unknown => match self.kind(&name) {
                    Ok(kind) => kind,
                    // It is gone already.
                    Err(_) => continue,
                },
                kind => Kind::of(kind),
            };
            return Some(Ok((name, kind)));
        }
    }
}

fn name_of(name: &CStr) -> OsString {
    OsStr::from_bytes(name.to_bytes()).to_owned()
}
