//! The place of a test's server: a data directory, and a database where that is not a file in it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::OnceCell;
use vestry::store::{Database, migrate_postgres};

use super::knobs::on_postgres;
use super::postgres::{APPLICATION, Binaries, Template, TestDatabase};

/// A database with everything migrated and nothing in it.
static MIGRATED: Template = Template::new("vestry");

/// A migrated database of its own for whoever starts several servers on one, whatever the run is on. None, and a line that says
/// so, where PostgreSQL is not installed.
pub(crate) async fn migrated() -> Option<TestDatabase> {
    let migrate = async |owner: &str| {
        migrate_postgres(owner, Some(APPLICATION)).await.unwrap();
    };
    MIGRATED.database(migrate).await
}

/// A data directory that goes away with the test, and its database with it.
pub(crate) struct Directory {
    path: PathBuf,
    /// Whether the database is in PostgreSQL, and not a file in the directory.
    on_postgres: bool,
    postgres: OnceCell<TestDatabase>,
}

impl Directory {
    /// A new one; in memory where the machine has such a place, because what a test measures is not the disk.
    pub(crate) fn new() -> Self {
        Self::in_memory(on_postgres())
    }

    /// A new one with SQLite, whatever the run is on.
    pub(crate) fn in_sqlite() -> Self {
        Self::in_memory(false)
    }

    /// A new one with PostgreSQL, whatever the run is on. None, and a line that says so, where it is not installed.
    pub(crate) fn in_postgres() -> Option<Self> {
        Binaries::find().map(|_| Self::in_memory(true))
    }

    /// A new one on a disk, for what a test says of being killed.
    pub(crate) fn on_disk() -> Self {
        Self::in_base(env!("CARGO_TARGET_TMPDIR").into(), on_postgres())
    }

    fn in_memory(on_postgres: bool) -> Self {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        Self::in_base(base, on_postgres)
    }

    fn in_base(base: PathBuf, on_postgres: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("vestry-test-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self {
            path,
            on_postgres,
            postgres: OnceCell::new(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The database of the servers here. One of PostgreSQL is made when it is asked for first.
    pub(crate) async fn database(&self) -> Database {
        match self.postgres().await {
            Some(database) => Database::Postgres(database.application_url.clone()),
            None => Database::Sqlite,
        }
    }

    /// The same, to look at; none where it is a file in the directory.
    pub(crate) async fn postgres(&self) -> Option<&TestDatabase> {
        if !self.on_postgres {
            return None;
        }
        let make = || async {
            migrated()
                .await
                .expect("the run is to be on PostgreSQL, which is not installed")
        };
        Some(self.postgres.get_or_init(make).await)
    }

    /// What tells a command that it is to use it.
    pub(crate) async fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--data".to_owned(), self.path.to_str().unwrap().to_owned()];
        if let Some(database) = self.postgres().await {
            flags.extend([
                "--database-url".to_owned(),
                database.application_url.clone(),
            ]);
        }
        flags
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
