//! Where the programs of PostgreSQL are.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::harness::skipped;

/// What the harness runs.
const NEEDED: [&str; 4] = ["initdb", "postgres", "pg_basebackup", "psql"];

/// Places of installations, each with a version in its name; `*` stands for any text.
const INSTALLATIONS: [&str; 4] = [
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
];

/// A directory with all of them.
#[derive(Debug)]
pub(crate) struct Binaries(PathBuf);

impl Binaries {
    /// Those on the path, else the newest installed. None, and a line that says so, when there are none.
    #[track_caller]
    pub(crate) fn find() -> Option<&'static Self> {
        static FOUND: OnceLock<Option<Binaries>> = OnceLock::new();
        let found = FOUND.get_or_init(|| on_path().or_else(newest).map(Self));
        if found.is_none() {
            skipped("no PostgreSQL: initdb, postgres, pg_basebackup and psql are not installed");
        }
        found.as_ref()
    }

    /// The path of a program.
    pub(crate) fn path(&self, program: &str) -> PathBuf {
        self.0.join(program)
    }
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).find_map(|directory| {
        // Distributions link single programs to their installation, which has the others.
        let real = directory.join("initdb").canonicalize().ok();
        let beside = real.and_then(|initdb| Some(initdb.parent()?.to_owned()));
        beside
            .into_iter()
            .chain([directory])
            .find(|it| complete(it))
    })
}

fn newest() -> Option<PathBuf> {
    let all = INSTALLATIONS
        .iter()
        .flat_map(|pattern| matching(pattern))
        .filter(|(_, directory)| complete(directory));
    all.max().map(|(_, directory)| directory)
}

fn complete(directory: &Path) -> bool {
    NEEDED.iter().all(|name| directory.join(name).is_file())
}

/// The directories that are named so, each after its version.
fn matching(pattern: &str) -> Vec<(u32, PathBuf)> {
    let (before, after) = pattern.split_once('*').expect("a pattern has a star");
    let (parent, prefix) = before.rsplit_once('/').expect("a pattern is a path");
    let Ok(entries) = std::fs::read_dir(parent) else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names
        .filter_map(|name| {
            let version = name.strip_prefix(prefix)?.parse().ok()?;
            Some((version, PathBuf::from(format!("{parent}/{name}{after}"))))
        })
        .collect()
}
