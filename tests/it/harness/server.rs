//! A server in the test's own process: real sockets, a real database, and a clock and randomness that the test decides.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use vestry::clock::{ManualClock, Micros, SECOND};
use vestry::entropy::{Entropy, SeededEntropy};
use vestry::http::limiter::{PasswordRates, Rate};
use vestry::http::streams::StreamLimits;
use vestry::identity::{PasswordParams, Passwords};
use vestry::server::{Server, ServerOptions, checkpoint_key_file, create_keys, keys_file};
use vestry::store::{
    ChainReport, Database, KnownHead, NewAdmin, Probe, SourceSpec, create_admin,
    verify_audit_against,
};
use vestry_policies::Username;

use super::{Client, Directory};

/// When every test begins: 2027-01-15T08:00:00Z.
pub(crate) const START: Micros = Micros(1_799_999_600 * SECOND);

/// A running server.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) directory: Directory,
    options: ServerOptions,
    stop: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<std::io::Result<()>>>,
}

/// How often a test's server looks at its sources.
pub(crate) const SOURCE_POLL: Duration = Duration::from_millis(20);

/// How a test's server differs from the usual one.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) probe: Option<Arc<dyn Probe>>,
    pub(crate) rates: Option<PasswordRates>,
    pub(crate) sealed_per_scope: Option<u64>,
    /// Whether there are the skills that come with the program; most tests know what there is without them.
    pub(crate) built_in_skills: bool,
    /// Whether nothing is public; most tests have a server with every route.
    pub(crate) without_public_skills: bool,
    pub(crate) public_rate: Option<Rate>,
    pub(crate) waiting_upload_bytes: Option<u64>,
    pub(crate) stream_limits: Option<StreamLimits>,
    pub(crate) sources: Vec<SourceSpec>,
    /// Where checkpoints are written, and how often.
    pub(crate) checkpoints: Option<(PathBuf, Duration)>,
    pub(crate) scanner_rules: Option<PathBuf>,
    /// Whether the keys are made before the server, as with PostgreSQL they are. Two servers of one randomness have the same then.
    pub(crate) keys_before: bool,
    pub(crate) seed: u64,
    /// Instead of the seed.
    pub(crate) entropy: Option<Arc<dyn Entropy>>,
    /// The database of an installation that other servers may serve too, whose keys are these.
    pub(crate) installation: Option<Shared>,
    pub(crate) max_staleness: Duration,
    /// Instead of one of its own.
    pub(crate) clock: Option<Arc<ManualClock>>,
}

/// What the servers of one installation have in common.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub(crate) url: String,
    /// The data directory that the key files are copied from.
    pub(crate) keys: PathBuf,
}

impl Builder {
    pub(crate) async fn start(self) -> TestServer {
        self.start_on(Directory::new()).await
    }

    /// On a data directory that is there.
    pub(crate) async fn start_on(self, directory: Directory) -> TestServer {
        let clock = self
            .clock
            .unwrap_or_else(|| Arc::new(ManualClock::new(START)));
        let mut options = ServerOptions::new(
            directory.path().to_owned(),
            SocketAddr::from(([127, 0, 0, 1], 0)),
        );
        options.clock = clock.clone();
        options.entropy = self
            .entropy
            .unwrap_or_else(|| Arc::new(SeededEntropy::new(self.seed)));
        options.passwords = PasswordParams::cheap_for_tests();
        options.password_rates = self.rates.unwrap_or_else(unlimited);
        options.built_in_skills = self.built_in_skills;
        options.public_skills = !self.without_public_skills;
        if let Some(rate) = self.public_rate {
            options.public_rate = rate;
        }
        options.probe = self.probe;
        options.sources = self.sources;
        options.source_poll = SOURCE_POLL;
        options.scanner_rules = self.scanner_rules;
        if let Some(limit) = self.sealed_per_scope {
            options.limits.sealed_per_scope = limit;
        }
        if let Some(limits) = self.stream_limits {
            options.stream_limits = limits;
        }
        if let Some(limit) = self.waiting_upload_bytes {
            options.limits.waiting_upload_bytes = limit;
        }
        if let Some((directory, interval)) = self.checkpoints {
            options.checkpoint_directory = Some(directory);
            options.checkpoint_interval = interval;
        }
        options.max_staleness = self.max_staleness;
        if let Some(shared) = self.installation {
            copy_keys(&shared.keys, directory.path());
            options.database = Database::Postgres(shared.url);
        } else {
            options.database = directory.database().await;
        }
        if self.keys_before || options.database != Database::Sqlite {
            // With PostgreSQL a server makes no keys of its own. They are the first that its randomness gives, as with SQLite.
            create_keys(directory.path(), &options.issuer, options.entropy.as_ref()).unwrap();
        }
        let mut server = TestServer {
            address: options.listen,
            clock,
            directory,
            options,
            stop: None,
            running: None,
        };
        server.run().await;
        server
    }
}

/// Gives a replica the keys that the others have.
pub(crate) fn copy_keys(from: &Path, to: &Path) {
    for file in [keys_file, checkpoint_key_file] {
        std::fs::copy(file(from), file(to)).unwrap();
    }
}

fn unlimited() -> PasswordRates {
    let rate = Rate {
        burst: NonZeroU32::MAX,
        every: Duration::from_nanos(1),
    };
    PasswordRates {
        account: rate,
        address: rate,
    }
}

impl TestServer {
    /// The usual server.
    pub(crate) async fn start() -> Self {
        Builder::default().start().await
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// Moves the clock.
    pub(crate) fn advance(&self, seconds: i64) {
        self.clock.advance_seconds(seconds);
    }

    /// Makes a global administrator, as the operator does.
    pub(crate) async fn make_admin(&self, username: &str, password: &str) {
        let entropy = Arc::new(SeededEntropy::new(7));
        let passwords = Passwords::new(PasswordParams::cheap_for_tests(), entropy).unwrap();
        let admin = NewAdmin {
            username: Username::parse(username).unwrap(),
            display_name: username.to_owned(),
            password_hash: passwords.hash(password).await.unwrap(),
        };
        let (place, database) = (self.directory.path(), &self.options.database);
        create_admin(place, database, admin, self.clock.clone())
            .await
            .unwrap();
    }

    /// What verifying the audit chains of its database finds.
    pub(crate) async fn verify_audit(&self) -> Vec<ChainReport> {
        self.verify_audit_against(&[]).await
    }

    /// The same, and against what checkpoints say.
    pub(crate) async fn verify_audit_against(&self, known: &[KnownHead]) -> Vec<ChainReport> {
        let (place, database) = (self.directory.path(), &self.options.database);
        verify_audit_against(place, database, known).await.unwrap()
    }

    /// Stops the server as SIGTERM does, and waits for it.
    pub(crate) async fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(running) = self.running.take() {
            running.await.unwrap().unwrap();
        }
    }

    /// Stops and starts the server on the same data; the address changes.
    pub(crate) async fn restart(&mut self) {
        self.stop().await;
        self.run().await;
    }

    /// Stops and starts the server as if the skills that come with the program were wanted.
    pub(crate) async fn start_with_built_in_skills(&mut self) {
        self.options.built_in_skills = true;
        self.restart().await;
    }

    /// Stops and starts the server on the same data and at the same address.
    pub(crate) async fn restart_in_place(&mut self) {
        self.stop().await;
        self.options.listen = self.address;
        self.run().await;
    }

    async fn run(&mut self) {
        let server = Server::start(self.options.clone()).await.unwrap();
        self.address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        self.stop = Some(stop);
        self.running = Some(tokio::spawn(server.run(async {
            let _ = stopped.await;
        })));
    }
}
