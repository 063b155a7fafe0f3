//! The two servers as processes of their own, so that their CPU can be told from the generator's.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// `vestry serve` on a fresh directory.
pub(crate) struct Vestry {
    pub(crate) address: SocketAddr,
    child: Child,
    directory: PathBuf,
    /// SQLite in the directory where there is none.
    database: Option<String>,
    /// Whose the directory is.
    is_first: bool,
}

/// The bare handler: this program again.
pub(crate) struct Bare {
    pub(crate) address: SocketAddr,
    child: Child,
}

pub(crate) const PASSWORD: &str = "a password for the bench";

impl Vestry {
    pub(crate) fn start() -> Self {
        Self::start_with(None)
    }

    /// On an empty PostgreSQL database.
    pub(crate) fn start_on(url: &str) -> Self {
        Self::start_with(Some(url.to_owned()))
    }

    /// Another one on the same database, with the same keys.
    pub(crate) fn replica(&self) -> Self {
        let (child, address) = serve(&self.directory, self.database.as_deref(), "log-of-replica");
        Self {
            address,
            child,
            directory: self.directory.clone(),
            database: self.database.clone(),
            is_first: false,
        }
    }

    fn start_with(database: Option<String>) -> Self {
        let program = env!("CARGO_BIN_EXE_vestry-under-test");
        let directory = std::env::temp_dir().join(format!("vestry-bench-{}", std::process::id()));
        if let Some(url) = &database {
            let migrated = Command::new(program)
                .args(["migrate", "--database-url", url])
                .stdout(Stdio::null())
                .status();
            assert!(migrated.unwrap().success());
            let keys = Command::new(program)
                .args(["admin", "keys", "create", "--data"])
                .arg(&directory)
                .stdout(Stdio::null())
                .status();
            assert!(keys.unwrap().success());
        }
        let mut admin = Command::new(program)
            .envs(database.iter().map(|url| ("DATABASE_URL", url)))
            .args([
                "admin",
                "create",
                "--username",
                "root",
                "--password-stdin",
                "--data",
            ])
            .arg(&directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        admin
            .stdin
            .take()
            .unwrap()
            .write_all(PASSWORD.as_bytes())
            .unwrap();
        assert!(admin.wait().unwrap().success());
        let (child, address) = serve(&directory, database.as_deref(), "log");
        Self {
            address,
            child,
            directory,
            database,
            is_first: true,
        }
    }

    /// Ends it, and starts it again on what it kept.
    pub(crate) fn restart(&mut self) {
        self.while_stopped(|_| {});
    }

    /// Ends it, has something done with its directory, and starts it again on what there is then.
    pub(crate) fn while_stopped(&mut self, work: impl FnOnce(&Path)) {
        let ended = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status();
        assert!(ended.unwrap().success());
        assert!(self.child.wait().unwrap().success());
        work(&self.directory);
        (self.child, self.address) = serve(&self.directory, self.database.as_deref(), "log");
    }

    /// The URL of its PostgreSQL database, if that is what it has.
    pub(crate) fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

fn serve(directory: &Path, database: Option<&str>, log: &str) -> (Child, SocketAddr) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_vestry-under-test"))
        .args([
            "serve",
            "--no-built-in-skills",
            "--listen",
            "127.0.0.1:0",
            "--data",
        ])
        .arg(directory)
        .envs(database.map(|url| ("DATABASE_URL", url)))
        .stdout(Stdio::piped())
        // The access log is on, and is written: to a file, as an operator would.
        .stderr(std::fs::File::create(directory.join(log)).unwrap())
        .spawn()
        .unwrap();
    let address = address(&mut child, "vestry is listening on http://");
    (child, address)
}

impl Drop for Vestry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if self.is_first {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}

impl Bare {
    pub(crate) fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("--bare")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let address = address(&mut child, "listening on ");
        Self { address, child }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn address(child: &mut Child, before: &str) -> SocketAddr {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    line.trim()
        .strip_prefix(before)
        .unwrap_or_else(|| panic!("unexpected line: {line}"))
        .parse()
        .unwrap()
}

/// User and system time of a process so far; only on Linux.
pub(crate) fn cpu_time(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The second field is the name in brackets, which may have spaces.
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks: u64 = [11, 12]
        .iter()
        .filter_map(|at| fields.get(*at)?.parse::<u64>().ok())
        .sum();
    // A hundred ticks a second on every Linux that this runs on.
    Duration::from_millis(ticks * 10)
}

/// The memory of a process that is in use, in bytes, without the files that are mapped into it; only on Linux.
pub(crate) fn resident(pid: u32) -> u64 {
    std::fs::read_to_string(format!("/proc/{pid}/status"))
        .unwrap_or_default()
        .lines()
        .find_map(|line| {
            line.strip_prefix("RssAnon:")?
                .split_whitespace()
                .next()?
                .parse::<u64>()
                .ok()
        })
        .unwrap_or(0)
        * 1024
}

pub(crate) fn cpu_model() -> String {
    std::fs::read_to_string("/proc/cpuinfo")
        .unwrap_or_default()
        .lines()
        .find_map(|line| {
            line.strip_prefix("model name")?
                .split(": ")
                .nth(1)
                .map(ToOwned::to_owned)
        })
        .unwrap_or_else(|| "unknown CPU".to_owned())
}
