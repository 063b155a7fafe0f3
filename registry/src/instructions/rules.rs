//! Which files are instructions, by their paths alone.

use super::Level;

/// Directories that are looked into nowhere: they hold what others wrote, or what was made.
pub const SKIPPED: [&str; 10] = [
    ".git",
    "node_modules",
    ".venv",
    "venv",
    "dist",
    "build",
    "target",
    ".next",
    ".cache",
    "__pycache__",
];

/// The file that hides [`AGENTS`] beside it.
pub(super) const CLAUDE: &str = "CLAUDE.md";
/// What the same instructions are called elsewhere.
pub(super) const AGENTS: &str = "AGENTS.md";
/// The directory of rules, at the user level.
const RULES: &str = "rules";

/// Whether a file of this name in this directory (empty, or with `/` at its end) is an instruction file.
pub(super) fn is_file(level: Level, folder: &str, name: &str) -> bool {
    match level {
        Level::Project => is_named(name),
        Level::User if folder.is_empty() => is_named(name),
        // Below `rules`: nothing else is entered.
        Level::User => name.ends_with(".md"),
    }
}

fn is_named(name: &str) -> bool {
    name == CLAUDE || name == AGENTS
}

/// Whether the directory of this name in this one is looked into.
pub(super) fn is_entered(level: Level, folder: &str, name: &str) -> bool {
    let is_open = match level {
        Level::Project => true,
        Level::User => !folder.is_empty() || name == RULES,
    };
    is_open && !SKIPPED.contains(&name)
}

/// Whether a path is one that a catalog may list; why not, otherwise, as the rest of a sentence.
pub(super) fn check(level: Level, path: &str) -> Result<(), &'static str> {
    let mut folder = String::new();
    let mut segments = path.split('/').peekable();
    let mut depth = 0_usize;
    while let Some(segment) = segments.next() {
        if matches!(segment, "" | "." | "..") || segment.contains('\0') {
            return Err("it is no path as the catalog writes it");
        }
        if segments.peek().is_none() {
            return if is_file(level, &folder, segment) {
                Ok(())
            } else {
                Err("a file of this name is no instruction file")
            };
        }
        depth += 1;
        if depth > super::MAX_DEPTH {
            return Err("it is too deep");
        }
        if !is_entered(level, &folder, segment) {
            return Err("its directory is not looked into");
        }
        folder.push_str(segment);
        folder.push('/');
    }
    Err("it is no path as the catalog writes it")
}
