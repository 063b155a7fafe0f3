//! Databases for tests that need nothing but one: of a cluster that all tests of the process share.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};

use tokio::sync::OnceCell;

use super::binaries::Binaries;
use super::cluster::{Cluster, Durability, SUPERUSER};
use super::postmaster::blocking;

/// Who owns the databases, and migrates them.
pub(crate) const OWNER: &str = "vestry_owner";

/// Who the server connects as.
pub(crate) const APPLICATION: &str = "vestry_app";

/// The cluster of this process. It is started by the first test that needs it; its supervisor ends it with the process.
struct Shared {
    cluster: Cluster,
    /// Takes the databases that no test needs any more.
    unneeded: Sender<String>,
}

static SHARED: OnceCell<Shared> = OnceCell::const_new();

async fn shared() -> Option<&'static Shared> {
    let binaries = Binaries::find()?;
    let shared = SHARED.get_or_init(|| blocking(move || Shared::start(binaries)));
    Some(shared.await)
}

impl Shared {
    fn start(binaries: &'static Binaries) -> Self {
        let cluster = Cluster::start_new_blocking(binaries, Durability::Volatile);
        for role in [OWNER, APPLICATION] {
            let sql = format!("CREATE ROLE {role} LOGIN NOSUPERUSER NOBYPASSRLS");
            cluster.sql_blocking("postgres", &sql).unwrap();
        }
        let (unneeded, taken) = channel::<String>();
        let of = cluster.clone();
        // A thread of its own: the one of a test that ends has nothing to wait for.
        std::thread::spawn(move || {
            for name in taken {
                let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                // What is left goes with the cluster.
                let _ = of.sql_blocking("postgres", &sql);
            }
        });
        Self { cluster, unneeded }
    }
}

/// A database that others are made like.
pub(crate) struct Template {
    name: &'static str,
    made: OnceCell<()>,
}

impl Template {
    /// One that is made when it is needed first. The name is part of an SQL name, and unique.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            made: OnceCell::const_new(),
        }
    }

    /// A new database like it. Whoever needs the first fills the template, with the URL of its owner. None, and a line that
    /// says so, where PostgreSQL is not installed.
    pub(crate) async fn database(&self, fill: impl AsyncFnOnce(&str)) -> Option<TestDatabase> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let shared = shared().await?;
        let template = format!("{}_template", self.name);
        let make = || self.make(&shared.cluster, &template, fill);
        self.made.get_or_init(make).await;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}_{number}", self.name);
        let sql = format!("CREATE DATABASE {name} TEMPLATE {template} OWNER {OWNER}");
        shared.cluster.sql("postgres", &sql).await;
        Some(TestDatabase {
            owner_url: shared.cluster.url(OWNER, &name),
            application_url: shared.cluster.url(APPLICATION, &name),
            superuser_url: shared.cluster.url(SUPERUSER, &name),
            cluster: shared.cluster.clone(),
            unneeded: shared.unneeded.clone(),
            name,
        })
    }

    async fn make(&self, cluster: &Cluster, template: &str, fill: impl AsyncFnOnce(&str)) {
        // One that failed half way, of a test that did, is not gone on with.
        let sql = format!(
            "DROP DATABASE IF EXISTS {template} WITH (FORCE);\nCREATE DATABASE {template} OWNER {OWNER};\n"
        );
        cluster.sql("postgres", &sql).await;
        fill(&cluster.url(OWNER, template)).await;
        // Whoever is connected to it keeps others from being made like it.
        let sql = format!("ALTER DATABASE {template} ALLOW_CONNECTIONS false");
        cluster.sql("postgres", &sql).await;
    }
}

/// A database that goes away with the test, best effort.
#[derive(Debug)]
pub(crate) struct TestDatabase {
    /// For migrations.
    pub(crate) owner_url: String,
    /// For the server.
    pub(crate) application_url: String,
    /// For looking at what is stored, and for tampering with it: no policy holds, and no trigger has to.
    pub(crate) superuser_url: String,
    pub(crate) name: String,
    pub(crate) cluster: Cluster,
    unneeded: Sender<String>,
}

impl TestDatabase {
    /// Runs statements as the superuser; see `Cluster::try_sql`.
    pub(crate) async fn sql(&self, sql: &str) -> String {
        let ran = self.cluster.try_sql(&self.superuser_url, sql).await;
        ran.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let _ = self.unneeded.send(self.name.clone());
    }
}
