//! A private cluster: a PostgreSQL of the test's own.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::binaries::Binaries;
use super::postmaster::{Postmaster, base, blocking};
use super::psql::psql;

/// The superuser of every cluster.
pub(super) const SUPERUSER: &str = "postgres";

/// Whether what is acknowledged outlasts being killed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Durability {
    /// Nothing is waited for: for tests that look at answers.
    Volatile,
    /// As a production server has it: for tests that kill.
    Durable,
}

/// What both kinds have.
const SETTINGS: &str = "\
listen_addresses = '127.0.0.1'
max_connections = 200
shared_buffers = 64MB
huge_pages = off
wal_level = replica
hot_standby = on
max_wal_senders = 10
max_replication_slots = 10
wal_keep_size = 64MB
# A standby whose primary is gone is soon ready to take its place.
wal_retrieve_retry_interval = 100ms
wal_init_zero = off
max_wal_size = 512MB
jit = off
timezone = UTC
log_timezone = UTC
logging_collector = off
log_min_messages = warning
# Files of the data directory, which goes away whole: a killed server leaves nothing elsewhere.
dynamic_shared_memory_type = mmap
";

const VOLATILE: &str = "\
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
checkpoint_timeout = 1h
";

const DURABLE: &str = "\
fsync = on
synchronous_commit = on
full_page_writes = on
";

/// A running cluster, which ends with the last clone of this. What it does may be told it from several tasks at once.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    postmaster: Arc<Postmaster>,
    durability: Durability,
    port: u16,
}

impl Cluster {
    /// A new one that runs. None, and a line that says so, where PostgreSQL is not installed.
    pub(crate) async fn start_new(durability: Durability) -> Option<Self> {
        let binaries = Binaries::find()?;
        Some(blocking(move || Self::start_new_blocking(binaries, durability)).await)
    }

    /// As `start_new`, and blocks.
    pub(super) fn start_new_blocking(binaries: &'static Binaries, durability: Durability) -> Self {
        let made = Self::make(binaries, durability, |postmaster| {
            let data = postmaster.data();
            let arguments = [
                "--username",
                SUPERUSER,
                "--locale=C",
                "--encoding=UTF8",
                "--auth=trust",
                "--data-checksums",
                "--no-sync",
                "--no-instructions",
                "-D",
                data.to_str().unwrap(),
            ];
            postmaster.run("initdb", &arguments);
            let file = data.join("postgresql.conf");
            let mut configuration = std::fs::read_to_string(&file).unwrap();
            configuration.push_str("\ninclude 'test.conf'\n");
            std::fs::write(file, configuration).unwrap();
        });
        made.start_blocking();
        made
    }

    /// A cluster that does not run yet, of data that is made as told.
    pub(super) fn make(
        binaries: &'static Binaries,
        durability: Durability,
        make_data: impl FnOnce(&Postmaster),
    ) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("vestry-pg-{}-{number}", std::process::id());
        let directory = base(durability == Durability::Volatile).join(name);
        let postmaster = Postmaster::new(binaries, directory);
        make_data(&postmaster);
        Self {
            postmaster: Arc::new(postmaster),
            durability,
            port: free_port(),
        }
    }

    /// Starts it again, with its data and on its port.
    pub(crate) async fn start(&self) {
        self.blocking(Self::start_blocking).await;
    }

    pub(super) fn start_blocking(&self) {
        self.configure();
        if let Err(log) = self.postmaster.start() {
            panic!("PostgreSQL does not start: {log}");
        }
    }

    /// Stops it, as an operator does who does not wait for clients.
    pub(crate) async fn stop(&self) {
        self.blocking(|it| it.postmaster.stop()).await;
    }

    /// Kills all its processes at once, as `kill -9` does.
    pub(crate) async fn kill(&self) {
        self.blocking(|it| it.postmaster.kill()).await;
    }

    /// Makes a standby the primary, and waits until it is.
    pub(crate) async fn promote(&self) {
        assert_eq!(
            self.sql("postgres", "SELECT pg_promote(true, 60)").await,
            "t"
        );
    }

    /// What a role connects to.
    pub(crate) fn url(&self, role: &str, database: &str) -> String {
        self.url_at(self.address(), role, database)
    }

    /// What a role connects to at another address, as of a proxy.
    pub(crate) fn url_at(&self, address: SocketAddr, role: &str, database: &str) -> String {
        format!("postgres://{role}@{address}/{database}")
    }

    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }

    /// Where everything of it is.
    pub(crate) fn directory(&self) -> &Path {
        &self.postmaster.directory
    }

    /// The processes that it has now.
    pub(crate) fn processes(&self) -> Vec<u32> {
        self.postmaster.processes()
    }

    /// Runs statements as the superuser, which have to succeed; see `try_sql`.
    pub(crate) async fn sql(&self, database: &str, sql: &str) -> String {
        let url = self.url(SUPERUSER, database);
        let answer = self.try_sql(&url, sql).await;
        answer.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Runs statements, which are parted by `;` at the end of a line, with a URL. A line is a row, with `|` between columns.
    pub(crate) async fn try_sql(&self, url: &str, sql: &str) -> Result<String, String> {
        let (url, sql) = (url.to_owned(), sql.to_owned());
        self.blocking(move |it| psql(it.binaries(), &url, &sql))
            .await
    }

    /// As `sql`, and blocks.
    pub(super) fn sql_blocking(&self, database: &str, sql: &str) -> Result<String, String> {
        psql(self.binaries(), &self.url(SUPERUSER, database), sql)
    }

    /// Changes a setting of the running server; quoted as SQL does.
    pub(crate) async fn set(&self, setting: &str, value: &str) {
        let sql = format!("ALTER SYSTEM SET {setting} = {value};\nSELECT pg_reload_conf();\n");
        self.sql("postgres", &sql).await;
    }

    pub(super) fn binaries(&self) -> &'static Binaries {
        self.postmaster.binaries
    }

    pub(super) fn durability(&self) -> Durability {
        self.durability
    }

    /// Does what blocks, elsewhere.
    async fn blocking<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> T {
        let this = self.clone();
        blocking(move || run(&this)).await
    }

    /// Writes what this cluster differs in from PostgreSQL's defaults.
    fn configure(&self) {
        let own = match self.durability {
            Durability::Volatile => VOLATILE,
            Durability::Durable => DURABLE,
        };
        let place: PathBuf = self.postmaster.directory.clone();
        let text = format!(
            "{SETTINGS}{own}port = {}\nunix_socket_directories = '{}'\n",
            self.port,
            place.display(),
        );
        std::fs::write(self.postmaster.data().join("test.conf"), text).unwrap();
    }
}

/// A port on which nobody listens, below those that the system gives to clients: it is free when a killed server starts again.
pub(super) fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    const FIRST: u32 = 15_000;
    const PORTS: u32 = 17_000;
    // Test processes beside each other begin in different places.
    let begin = std::process::id().wrapping_mul(101);
    for _ in 0..PORTS {
        let number = begin.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = u16::try_from(FIRST + number % PORTS).unwrap();
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}
