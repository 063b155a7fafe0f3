//! Writing what a server sent: below the directory, and nowhere else.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::fetch::File;
use crate::content::paths::FilePath;

/// Whether anything had to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrote {
    /// At least one file.
    Something,
    /// Nothing: all was there.
    Nothing,
}

/// Writes the files of a skill into its folder. Nothing is written when one of them may not be.
///
/// # Errors
/// One sentence: a path leads elsewhere, a file differs, or the disk is full.
pub(super) fn write(
    directory: &Path,
    folder: &str,
    files: &[File],
    force: bool,
) -> Result<Wrote, String> {
    let mut missing = Vec::new();
    for (path, bytes) in files {
        let below: PathBuf = path
            .as_ref()
            .map_or("SKILL.md", FilePath::as_str)
            .split('/')
            .collect();
        let target = directory.join(folder).join(below);
        if is_to_be_written(directory, &target, bytes, force)? {
            missing.push((target, bytes));
        }
    }
    for (target, bytes) in &missing {
        put(target, bytes)
            .map_err(|error| format!("cannot write {}: {error}", target.display()))?;
    }
    Ok(if missing.is_empty() {
        Wrote::Nothing
    } else {
        Wrote::Something
    })
}

/// Whether a file is missing. Nothing on the way to it may be a link, which could lead anywhere.
fn is_to_be_written(
    directory: &Path,
    target: &Path,
    bytes: &[u8],
    force: bool,
) -> Result<bool, String> {
    let mut parents: Vec<&Path> = target
        .ancestors()
        .skip(1)
        .take_while(|parent| *parent != directory)
        .collect();
    parents.reverse();
    for parent in parents {
        match fs::symlink_metadata(parent) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(format!("{} is there and is no directory", parent.display())),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(format!("cannot look at {}: {error}", parent.display())),
        }
    }
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(format!("cannot look at {}: {error}", target.display())),
        Ok(found) if !found.is_file() => {
            Err(format!("{} is there and is no file", target.display()))
        }
        Ok(found) => {
            let is_same = found.len() == bytes.len() as u64
                && fs::read(target).is_ok_and(|there| there == bytes);
            if is_same {
                Ok(false)
            } else if force {
                Ok(true)
            } else {
                Err(format!(
                    "{} differs from the skill's; give --force to overwrite it",
                    target.display()
                ))
            }
        }
    }
}

/// Writes a file; it appears whole or not at all.
fn put(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let parent = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let mut builder = tempfile::Builder::new();
    // As any program would make it; the process's mask applies.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(".vestry-").tempfile_in(parent)?;
    file.write_all(bytes)?;
    file.as_file().sync_data()?;
    file.persist(target)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_are_not_written_through() {
        let directory = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let target = directory.path().join("a");
        std::os::unix::fs::symlink(outside.path(), &target).unwrap();
        let files = [(None, "x".into())];
        assert!(write(directory.path(), "a", &files, true).is_err());
        fs::remove_file(&target).unwrap();
        fs::create_dir(&target).unwrap();
        std::os::unix::fs::symlink(outside.path().join("x"), target.join("SKILL.md")).unwrap();
        assert!(write(directory.path(), "a", &files, true).is_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn nothing_is_written_when_one_file_differs() {
        let directory = tempfile::tempdir().unwrap();
        let files: [File; 2] = [
            (None, "new".into()),
            (Some(FilePath::parse("x/y.txt").unwrap()), "y".into()),
        ];
        let skill_md = directory.path().join("a/SKILL.md");
        fs::create_dir(directory.path().join("a")).unwrap();
        fs::write(&skill_md, "old").unwrap();
        assert!(write(directory.path(), "a", &files, false).is_err());
        assert!(!directory.path().join("a/x").exists());
        assert_eq!(
            write(directory.path(), "a", &files, true),
            Ok(Wrote::Something)
        );
        assert_eq!(fs::read(&skill_md).unwrap(), b"new");
        assert_eq!(
            write(directory.path(), "a", &files, false),
            Ok(Wrote::Nothing)
        );
    }
}
