//! A PostgreSQL cluster of the tests' own, which lives as long as a test uses it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use sea_orm_migration::sea_orm::{
    ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection,
};

/// The role that owns databases and runs migrations. Not a superuser: policies hold for it.
pub(crate) const OWNER: &str = "vestry owner";
/// The role that a server connects as.
pub(crate) const APP: &str = "vestry \"app\"";
/// Whoever is at it longer than this is stuck; the cluster then ends by itself.
const SECONDS: &str = "600";

static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());
static DATABASES: AtomicUsize = AtomicUsize::new(0);

pub(crate) struct Cluster {
    directory: PathBuf,
    programs: PathBuf,
    user: Option<(u32, u32)>,
    server: Child,
}

impl Cluster {
    /// The cluster that the tests which run now share. None, with the reason printed, where PostgreSQL is not installed;
    /// there has to be one where tests are run for everybody.
    pub(crate) fn shared() -> Option<Arc<Self>> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cluster) = shared.upgrade() {
            return Some(cluster);
        }
        let Some(programs) = programs() else {
            assert!(
                std::env::var_os("CI").is_none(),
                "PostgreSQL is not installed: install it, so that its migrations are tested"
            );
            println!("skipped: PostgreSQL is not installed");
            return None;
        };
        let cluster = Arc::new(Self::start(programs));
        *shared = Arc::downgrade(&cluster);
        Some(cluster)
    }

    fn start(programs: PathBuf) -> Self {
        static CLUSTERS: AtomicUsize = AtomicUsize::new(0);
        let number = CLUSTERS.fetch_add(1, Ordering::Relaxed);
        let memory = Path::new("/dev/shm");
        let under = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        let directory = under.join(format!("vestry-migration-{}-{number}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        let user = somebody_else();
        if let Some((user, group)) = user {
            chown(&directory, Some(user), Some(group)).unwrap();
        }
        let data = directory.join("data");
        let made = command(programs.join("initdb"), user)
            .args([
                "--no-sync",
                "--auth=trust",
                "--username=super",
                "--encoding=UTF8",
            ])
            .args(["--locale=C.UTF-8", "-D"])
            .arg(&data)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(made.success(), "initdb failed");
        let log = fs::File::create(directory.join("log")).unwrap();
        let server = command(Path::new("timeout"), user)
            .args(["--signal=QUIT", SECONDS])
            .arg(programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&directory)
            .args([
                "-c",
                "listen_addresses=",
                "-c",
                "fsync=off",
                "-c",
                "max_connections=60",
            ])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let cluster = Self {
            directory,
            programs,
            user,
            server,
        };
        cluster.wait_until_ready();
        cluster
    }

    fn wait_until_ready(&self) {
        for _ in 0..600 {
            let ready = command(self.programs.join("pg_isready"), self.user)
                .arg("-q")
                .arg("-h")
                .arg(&self.directory)
                .status()
                .unwrap();
            if ready.success() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let log = fs::read_to_string(self.directory.join("log")).unwrap_or_default();
        panic!("PostgreSQL did not start:\n{log}");
    }

    /// A new database that is the owner's, with both roles. Its own collation is not `C`.
    pub(crate) async fn database(self: &Arc<Self>) -> TestDatabase {
        let name = format!("vestry_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        let admin = self.connect("super", "postgres", 1).await;
        for role in [OWNER, APP] {
            let literal = role.replace('"', "\"\"");
            let sql = format!(
                "DO $$ BEGIN CREATE ROLE \"{literal}\" LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
            );
            admin.execute_unprepared(&sql).await.unwrap();
        }
        let sql = format!("CREATE DATABASE {name} OWNER \"{OWNER}\"");
        admin.execute_unprepared(&sql).await.unwrap();
        admin.close().await.unwrap();
        TestDatabase {
            cluster: Arc::clone(self),
            name,
        }
    }

    async fn connect(&self, role: &str, database: &str, most: u32) -> DatabaseConnection {
        let encoded: String = role.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let url = format!(
            "postgres://{encoded}@localhost/{database}?host={}",
            self.directory.display()
        );
        let mut options = ConnectOptions::new(url);
        options.sqlx_logging(false).max_connections(most);
        Database::connect(options).await.unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = command(self.programs.join("pg_ctl"), self.user)
            .args(["stop", "-m", "immediate", "-t", "20", "-D"])
            .arg(self.directory.join("data"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

pub(crate) struct TestDatabase {
    cluster: Arc<Cluster>,
    name: String,
}

impl TestDatabase {
    /// Connections as a role, at most four.
    pub(crate) async fn connect(&self, role: &str) -> DatabaseConnection {
        self.cluster.connect(role, &self.name, 4).await
    }

    /// Connections as the role that may do everything, also see every row.
    pub(crate) async fn superuser(&self) -> DatabaseConnection {
        self.connect("super").await
    }
}

fn command(program: impl AsRef<OsStr>, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    // What is not this user's to read is no place to start in.
    command.current_dir("/");
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command
}

/// Where PostgreSQL's programs are: on the path, or in the directory of the newest version that a distribution installed.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).find_map(|one| {
        // A link to one of them does not lead to the others.
        let found = fs::canonicalize(one.join("initdb")).ok()?;
        found.parent().map(Path::to_owned)
    });
    on_path.or_else(|| {
        let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
        versions
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let version: u32 = path.file_name()?.to_str()?.parse().ok()?;
                let programs = path.join("bin");
                programs
                    .join("initdb")
                    .is_file()
                    .then_some((version, programs))
            })
            .max()
            .map(|(_, programs)| programs)
    })
}

/// PostgreSQL does not run as root: its own user then, or else nobody.
fn somebody_else() -> Option<(u32, u32)> {
    if fs::metadata("/proc/self").ok()?.uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    ["postgres", "nobody"].iter().find_map(|wanted| {
        users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let is_wanted = fields.next() == Some(*wanted);
            let user = fields.nth(1)?.parse().ok()?;
            let group = fields.next()?.parse().ok()?;
            is_wanted.then_some((user, group))
        })
    })
}
