//! Finding skills below a directory.
//!
//! A folder with a SKILL.md (or `skill.md`) is a skill, at any depth; every other file below it that belongs to no
//! nested skill is a file of it. In a folder `skills` that is not part of a skill, each `*.md` is a skill of one file.
//! Symbolic links are not followed, and what version control and package managers keep is not looked at; what of that is
//! below the folder of a skill is named, because it would be a file of the skill otherwise.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::LocalSkill;

/// Directories that hold no skills of anybody's.
const IGNORED_DIRECTORIES: [&str; 8] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".bzr",
    "_darcs",
    "CVS",
    "node_modules",
];
/// Files that a system leaves in every directory that it shows, or version control in every one that it keeps elsewhere.
const IGNORED_FILES: [&str; 2] = [".DS_Store", ".git"];
/// Files of a folder `skills` that are about it.
const NO_SKILLS: [&str; 6] = [
    "readme",
    "license",
    "changelog",
    "contributing",
    "agents",
    "claude",
];
/// How deep directories are looked into.
const MAX_DEPTH: usize = 64;

/// Why a directory could not be searched, in one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unsearchable(String);

/// What was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Why.
    pub(crate) reason: String,
}

/// What is below a directory.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The skills, ordered by where they are.
    pub(crate) skills: Vec<LocalSkill>,
    /// What was left out.
    pub(crate) skipped: Vec<Skipped>,
}

/// Finds the skills of a directory, itself included.
///
/// # Errors
/// When a directory cannot be read, or a name is no text.
pub(crate) fn find(directory: &Path) -> Result<Found, Unsearchable> {
    let root = fs::canonicalize(directory)
        .map_err(|error| Unsearchable(format!("cannot read {}: {error}", directory.display())))?;
    let mut search = Search::default();
    search.directory(directory, root.file_name(), None, 0)?;
    let mut found = search.found;
    for skill in &mut found.skills {
        skill.files.sort();
        skill.left_out.sort();
    }
    found.skills.sort_by(|a, b| a.skill_md.cmp(&b.skill_md));
    found.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// A skill whose folder the search is in.
#[derive(Clone, Copy)]
struct Inside<'a> {
    /// Its place in the list of found ones.
    skill: usize,
    /// The path from its folder to where the search is, `/` at its end unless empty.
    below: &'a str,
}

#[derive(Default)]
struct Search {
    found: Found,
}

impl Search {
    fn directory(
        &mut self,
        directory: &Path,
        name: Option<&OsStr>,
        outer: Option<Inside<'_>>,
        depth: usize,
    ) -> Result<(), Unsearchable> {
        if depth > MAX_DEPTH {
            self.skip(directory, "too deep");
            return Ok(());
        }
        let entries = read_sorted(directory)?;
        let skill_md = ["SKILL.md", "skill.md"]
            .into_iter()
            .find(|name| entries.get(*name).is_some_and(|(_, kind)| kind.is_file()));
        let inside = match skill_md {
            None => outer,
            Some(file) => {
                let name = name.and_then(OsStr::to_str).unwrap_or_default();
                Some(self.add(name, directory.join(file)))
            }
        };
        let is_flat = inside.is_none() && name == Some(OsStr::new("skills"));
        for (name, (path, kind)) in &entries {
            if kind.is_symlink() {
                self.leave_out(inside, name, path, "a symbolic link");
            } else if kind.is_dir() {
                if IGNORED_DIRECTORIES.contains(&name.as_str()) {
                    if inside.is_some() {
                        self.leave_out(inside, name, path, "no part of a skill");
                    }
                    continue;
                }
                let below = inside.map(|inside| format!("{}{name}/", inside.below));
                let inside = inside
                    .zip(below.as_deref())
                    .map(|(inside, below)| Inside { below, ..inside });
                self.directory(path, Some(OsStr::new(name)), inside, depth + 1)?;
            } else if !kind.is_file() {
                self.leave_out(inside, name, path, "neither a file nor a directory");
            } else if inside.is_some() && IGNORED_FILES.contains(&name.as_str()) {
                self.leave_out(inside, name, path, "no part of a skill");
            } else if let Some(inside) = inside {
                let is_skill_md = inside.below.is_empty() && skill_md == Some(name.as_str());
                if !is_skill_md {
                    let below = format!("{}{name}", inside.below);
                    if let Some(skill) = self.found.skills.get_mut(inside.skill) {
                        skill.files.push((below, path.clone()));
                    }
                }
            } else if is_flat {
                self.flat(name, path);
            }
        }
        Ok(())
    }

    /// A skill of one file.
    fn flat(&mut self, name: &str, path: &Path) {
        let Some(stem) = name.strip_suffix(".md").filter(|stem| !stem.is_empty()) else {
            return;
        };
        if !NO_SKILLS.contains(&stem.to_ascii_lowercase().as_str()) {
            self.add(stem, path.to_owned());
        }
    }

    fn add(&mut self, name: &str, skill_md: PathBuf) -> Inside<'static> {
        self.found.skills.push(LocalSkill {
            name: name.to_owned(),
            skill_md,
            files: Vec::new(),
            left_out: Vec::new(),
        });
        Inside {
            skill: self.found.skills.len() - 1,
            below: "",
        }
    }

    /// Skips an entry, which is or holds files of a skill if that is below its folder.
    fn leave_out(&mut self, inside: Option<Inside<'_>>, name: &str, path: &Path, reason: &str) {
        self.skip(path, reason);
        if let Some(inside) = inside
            && let Some(skill) = self.found.skills.get_mut(inside.skill)
        {
            skill.left_out.push(format!("{}{name}", inside.below));
        }
    }

    fn skip(&mut self, path: &Path, reason: &str) {
        self.found.skipped.push(Skipped {
            path: path.to_owned(),
            reason: reason.to_owned(),
        });
    }
}

/// The entries of a directory by name, in order.
fn read_sorted(
    directory: &Path,
) -> Result<BTreeMap<String, (PathBuf, fs::FileType)>, Unsearchable> {
    let failed = |error: std::io::Error| {
        Unsearchable(format!("cannot read {}: {error}", directory.display()))
    };
    let mut entries = BTreeMap::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().into_string().map_err(|name| {
            Unsearchable(format!(
                "the name of {} is no Unicode text; rename it",
                directory.join(name).display()
            ))
        })?;
        let kind = entry.file_type().map_err(failed)?;
        entries.insert(name, (entry.path(), kind));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for file in files {
            let path = directory.path().join("repo").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        directory
    }

    fn found(directory: &Path) -> Vec<(String, Vec<String>)> {
        find(directory)
            .unwrap()
            .skills
            .into_iter()
            .map(|skill| {
                let files = skill.files.into_iter().map(|(path, _)| path).collect();
                (skill.name, files)
            })
            .collect()
    }

    #[test]
    fn folders_nested_folders_and_flat_files() {
        let tree = tree(&[
            "README.md",
            "a/SKILL.md",
            "a/x.txt",
            "a/deep/er/y.txt",
            "a/.DS_Store",
            "a/skills/not-flat.md",
            "a/nested/skill.md",
            "a/nested/z.txt",
            ".claude/skills/flat.md",
            ".claude/skills/README.md",
            ".claude/skills/folder/SKILL.md",
            ".claude/skills/folder/.git/config",
            "node_modules/b/SKILL.md",
            ".git/c/SKILL.md",
        ]);
        let strings = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            found(&tree.path().join("repo")),
            [
                ("flat".to_owned(), Vec::new()),
                ("folder".to_owned(), Vec::new()),
                (
                    "a".to_owned(),
                    strings(&["deep/er/y.txt", "skills/not-flat.md", "x.txt"])
                ),
                ("nested".to_owned(), strings(&["z.txt"])),
            ]
        );
        // The directory itself may be a skill, or the folder of flat ones.
        assert_eq!(
            found(&tree.path().join("repo/a/nested")),
            [("nested".to_owned(), strings(&["z.txt"]))]
        );
        assert_eq!(found(&tree.path().join("repo/.claude/skills")).len(), 2);
    }

    #[test]
    fn what_is_left_out_of_a_skill_is_named() {
        let tree = tree(&[
            "a/SKILL.md",
            "a/x.txt",
            "a/node_modules/y/z.js",
            "a/deep/.DS_Store",
            "a/deep/.git",
            "a/nested/SKILL.md",
            "a/nested/.hg/store",
            "node_modules/b/SKILL.md",
            ".DS_Store",
        ]);
        let found = find(&tree.path().join("repo")).unwrap();
        let left_out: Vec<_> = found
            .skills
            .iter()
            .map(|skill| (skill.name.as_str(), skill.left_out.join(" ")))
            .collect();
        assert_eq!(
            left_out,
            [
                ("a", "deep/.DS_Store deep/.git node_modules".to_owned()),
                ("nested", ".hg".to_owned())
            ]
        );
        assert_eq!(found.skipped.len(), 4, "{:?}", found.skipped);
        let outer = &found.skills[0];
        assert!(outer.leaves_out("node_modules") && outer.leaves_out("node_modules/q.js"));
        assert!(!outer.leaves_out("node_modules.md") && !outer.leaves_out("x.txt"));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_are_named() {
        let tree = tree(&["a/SKILL.md", "elsewhere/secret.txt"]);
        let repo = tree.path().join("repo");
        std::os::unix::fs::symlink(repo.join("elsewhere"), repo.join("a/linked")).unwrap();
        std::os::unix::fs::symlink(repo.join("elsewhere/secret.txt"), repo.join("a/secret"))
            .unwrap();
        let found = find(&repo).unwrap();
        assert_eq!(found.skills.len(), 1);
        assert!(found.skills[0].files.is_empty());
        let skipped: Vec<_> = found
            .skipped
            .iter()
            .map(|skipped| skipped.path.clone())
            .collect();
        assert_eq!(skipped, [repo.join("a/linked"), repo.join("a/secret")]);
    }
}
