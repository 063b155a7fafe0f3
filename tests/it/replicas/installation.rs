//! An installation of processes: a cluster of its own, whose commits are durable, and `vestry serve` as often as is wanted.

use std::net::SocketAddr;
use std::process::Output;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use vestry::store::migrate_postgres;

use crate::harness::postgres::{APPLICATION, Cluster, Durability, OWNER};
use crate::harness::{Client, Directory, Spawned, elevate, login, run};

const DATABASE: &str = "vestry";

/// How long anything may take before a test gives it up.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A cluster, a migrated database in it, and the keys.
pub(super) struct Installation {
    pub(super) cluster: Cluster,
    pub(super) keys: Directory,
}

impl Installation {
    /// With `root` as administrator. None, and a line that says so, where PostgreSQL is not installed.
    pub(super) async fn new() -> Option<Self> {
        let cluster = Cluster::start_new(Durability::Durable).await?;
        for role in [OWNER, APPLICATION] {
            let sql = format!("CREATE ROLE {role} LOGIN NOSUPERUSER NOBYPASSRLS");
            cluster.sql("postgres", &sql).await;
        }
        let sql = format!("CREATE DATABASE {DATABASE} OWNER {OWNER}");
        cluster.sql("postgres", &sql).await;
        let owner = cluster.url(OWNER, DATABASE);
        migrate_postgres(&owner, Some(APPLICATION)).await.unwrap();
        let this = Self {
            cluster,
            keys: Directory::on_disk(),
        };
        let data = this.keys.path().to_str().unwrap();
        succeeds(&run(&["admin", "keys", "create", "--data", data], "").await);
        let admin = ["admin", "create", "--username", "root", "--password-stdin"];
        let flags = this.flags_at(this.cluster.address());
        let arguments: Vec<&str> = admin
            .into_iter()
            .chain(flags.iter().map(String::as_str))
            .collect();
        succeeds(&run(&arguments, "correct horse battery\n").await);
        Some(this)
    }

    /// What servers connect to.
    pub(super) fn url_at(&self, address: SocketAddr, role: &str) -> String {
        self.cluster.url_at(address, role, DATABASE)
    }

    /// What tells a command the keys, and the database at an address.
    pub(super) fn flags_at(&self, address: SocketAddr) -> Vec<String> {
        vec![
            "--data".to_owned(),
            self.keys.path().to_str().unwrap().to_owned(),
            "--database-url".to_owned(),
            self.url_at(address, APPLICATION),
        ]
    }

    /// One more server, with the database at an address.
    pub(super) async fn serve_at(&self, address: SocketAddr) -> Spawned {
        let mut flags = self.flags_at(address);
        // What a killed database does to a server is expected, and would be all that is read.
        flags.extend(["--log".to_owned(), "off".to_owned()]);
        Spawned::start_with(flags.iter().map(String::as_str)).await
    }

    /// Runs statements in its database as the superuser.
    pub(super) async fn sql(&self, sql: &str) -> String {
        self.cluster.sql(DATABASE, sql).await
    }

    /// Verifies everything that is stored in the database at an address.
    pub(super) async fn verifies_at(&self, address: SocketAddr) {
        let flags = self.flags_at(address);
        let arguments: Vec<&str> = ["verify"]
            .into_iter()
            .chain(flags.iter().map(String::as_str))
            .collect();
        succeeds(&run(&arguments, "").await);
    }
}

#[track_caller]
pub(super) fn succeeds(output: &Output) {
    let said = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{told}");
}

/// The servers that run, of which a client asks any.
pub(super) struct Servers(Mutex<Vec<Client>>);

impl Servers {
    pub(super) fn of(all: &[Spawned]) -> Self {
        Self(Mutex::new(
            all.iter()
                .map(|server| Client::new(server.address))
                .collect(),
        ))
    }

    pub(super) fn count(&self) -> usize {
        self.all().len()
    }

    pub(super) fn client(&self, server: usize) -> Client {
        self.all()[server].clone()
    }

    /// One was started again, elsewhere.
    pub(super) fn moved(&self, server: usize, to: SocketAddr) {
        self.all()[server] = Client::new(to);
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Client>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until every one of them wants requests, or none does.
    pub(super) async fn until_ready(&self, so: bool) -> Duration {
        let began = Instant::now();
        for server in 0..self.count() {
            loop {
                let client = self.client(server);
                let asked = client.try_raw(hyper::Method::GET, "/readyz", &[], Vec::new());
                let is_ready = asked.await.is_ok_and(|answer| answer.status == 200);
                if is_ready == so {
                    break;
                }
                assert!(
                    began.elapsed() < PATIENCE,
                    "server {server} is not ready={so}"
                );
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        began.elapsed()
    }
}

/// A tenant, and the key of a service in it, which mints for agents.
pub(super) async fn service_key(server: &Client) -> String {
    let root = elevate(&login(server, "root", None).await, "global").await;
    let tenant = json!({"id": "acme", "name": "Acme"});
    root.post("/v1/tenants", tenant).await.expect(201);
    let settings = json!({"max_cap": 200, "agent_own_scope": "allow", "skills_per_actor": 200,
        "skills_per_tenant": 2000, "revisions_per_skill": 1_000_000});
    let maria =
        json!({"username": "maria", "password": crate::harness::PASSWORD, "display_name": "Maria"});
    root.post("/v1/users", maria).await.expect(201);
    root.put(
        "/v1/tenants/acme/members/maria",
        json!({"role": "publisher"}),
    )
    .await
    .expect(200);
    let maria = elevate(&login(server, "maria", None).await, "tenant:acme").await;
    maria
        .put("/v1/tenants/acme/settings", settings)
        .await
        .expect(200);
    let service = json!({"tenant": "acme", "name": "platform"});
    root.post("/v1/services", service)
        .await
        .expect(201)
        .text("key")
}
