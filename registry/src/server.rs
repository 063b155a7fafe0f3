//! A whole server: keys, store, table of routes, listener.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;

use crate::checkpoint::{CheckpointKey, Place};
use crate::clock::{Clock, SystemClock};
use crate::content::scan::Scanner;
use crate::entropy::{Entropy, SystemEntropy};
use crate::http::app::{App, Parts};
use crate::http::extract::TrustedProxies;
use crate::http::health::Readiness;
use crate::http::limiter::{PasswordLimits, PasswordRates, PublicLimit, Rate};
use crate::http::metrics::HttpMetrics;
use crate::http::middleware::{Edge, EdgeLayer, REQUEST_TIMEOUT};
use crate::http::reach::Reach;
use crate::http::routes;
use crate::http::serve::{ServeLimits, serve};
use crate::http::streams::{StreamLimits, Streams};
use crate::identity::{Identity, KeyRings, PasswordParams};
use crate::mcp;
use crate::store::{Database, Limits, Options, Probe, SOURCE_POLL, SourceSpec, Store};

/// The file of the key rings in the data directory.
const KEYS: &str = "keys.json";
/// The file of the key that signs checkpoints in the data directory.
const CHECKPOINT_KEY: &str = "checkpoint.key";
/// Where checkpoints are written in the data directory, unless told otherwise.
const CHECKPOINTS: &str = "checkpoints";

/// How often checkpoints are written unless the operator says otherwise.
pub const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The issuer of tokens unless the operator names another.
pub const DEFAULT_ISSUER: &str = "vestry";

/// What a server is started with.
#[derive(Clone)]
pub struct ServerOptions {
    /// Where keys and database are.
    pub directory: PathBuf,
    /// Which database.
    pub database: Database,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The issuer of tokens.
    pub issuer: String,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// How hard passwords are hashed.
    pub passwords: PasswordParams,
    /// How often passwords may be tried.
    pub password_rates: PasswordRates,
    /// What the operator sets of the store.
    pub limits: Limits,
    /// Whether a new database gets the skills that come with the program.
    pub built_in_skills: bool,
    /// Whether anybody may read the global skills that are public, without a credential.
    pub public_skills: bool,
    /// How often one address may ask for those.
    pub public_rate: Rate,
    /// Folders of skills that are composed with the database.
    pub sources: Vec<SourceSpec>,
    /// How often these are looked at.
    pub source_poll: Duration,
    /// Where checkpoints of the audit log are written; below the data directory when there is none.
    pub checkpoint_directory: Option<PathBuf>,
    /// How often they are written.
    pub checkpoint_interval: Duration,
    /// A file of rules that the scanner has beside its own.
    pub scanner_rules: Option<PathBuf>,
    /// The limits of connections.
    pub serve_limits: ServeLimits,
    /// The limits of streams of events.
    pub stream_limits: StreamLimits,
    /// Whose `X-Forwarded-For` is believed.
    pub proxies: TrustedProxies,
    /// How it is called from outside.
    pub reach: Reach,
    /// How old a catalog may be where other servers write to the same database; zero for catalogs that are exact.
    pub max_staleness: Duration,
    /// For tests only.
    pub probe: Option<Arc<dyn Probe>>,
}

impl std::fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerOptions")
            .field("directory", &self.directory)
            .field("listen", &self.listen)
            .finish_non_exhaustive()
    }
}

impl ServerOptions {
    /// The options of a server for this directory and address, and everything else by default.
    #[must_use]
    pub fn new(directory: PathBuf, listen: SocketAddr) -> Self {
        Self {
            directory,
            database: Database::Sqlite,
            listen,
            issuer: DEFAULT_ISSUER.to_owned(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy::default()),
            passwords: PasswordParams::default(),
            password_rates: PasswordRates::default(),
            limits: Limits::default(),
            built_in_skills: true,
            public_skills: false,
            public_rate: PublicLimit::RATE,
            sources: Vec::new(),
            source_poll: SOURCE_POLL,
            checkpoint_directory: None,
            checkpoint_interval: CHECKPOINT_INTERVAL,
            scanner_rules: None,
            serve_limits: ServeLimits::default(),
            stream_limits: StreamLimits::default(),
            proxies: TrustedProxies::default(),
            reach: Reach::default(),
            max_staleness: Duration::ZERO,
            probe: None,
        }
    }
}

/// Why a server does not start, in one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StartError(String);

/// A server that listens, and is about to serve.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: App,
    router: axum::Router,
    serve_limits: ServeLimits,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Loads the keys, opens the store and binds the address.
    ///
    /// # Errors
    /// When the keys are weak or readable by others, the store cannot be opened, or the address is taken.
    pub async fn start(options: ServerOptions) -> Result<Self, StartError> {
        let scanner = scanner(options.scanner_rules.as_deref())?;
        let identity = Arc::new(load_identity(&options)?);
        let checkpoint_key = load_checkpoint_key(&options)?;
        let store = Store::open(Options {
            built_in_skills: options.built_in_skills,
            public_skills: options.public_skills,
            directory: options.directory.clone(),
            database: options.database.clone(),
            identity: Arc::clone(&identity),
            clock: Arc::clone(&options.clock),
            entropy: Arc::clone(&options.entropy),
            limits: options.limits,
            sources: options.sources.clone(),
            source_poll: options.source_poll,
            checkpoint_key: Arc::new(checkpoint_key),
            checkpoint_place: checkpoint_place(
                &options.directory,
                options.checkpoint_directory.clone(),
            ),
            checkpoint_interval: options.checkpoint_interval,
            scanner,
            max_staleness: options.max_staleness,
            probe: options.probe.clone(),
        })
        .await
        .map_err(|error| StartError(error.to_string()))?;
        let mut registry = Registry::default();
        let metrics = HttpMetrics::register(&mut registry);
        registry.register_collector(Box::new(StoreMetrics(store.clone())));
        let password_limits = PasswordLimits::new(
            options.password_rates,
            &options.clock,
            options.entropy.as_ref(),
        )
        .map_err(|error| StartError(error.to_string()))?;
        let public_limit = PublicLimit::new(
            options.public_rate,
            &options.clock,
            options.entropy.as_ref(),
        )
        .map_err(|error| StartError(error.to_string()))?;
        let app = App::new(Parts {
            store,
            identity,
            clock: Arc::clone(&options.clock),
            entropy: Arc::clone(&options.entropy),
            password_limits,
            public_limit,
            readiness: Readiness::new(),
            streams: Streams::new(options.stream_limits),
            reach: options.reach,
            registry,
        });
        let mut table = routes::table();
        table.0.extend(mcp::routes());
        let edge = EdgeLayer::new(Edge {
            clock: options.clock,
            entropy: options.entropy,
            metrics,
            proxies: options.proxies,
            large_bodies: table.large_bodies(),
            request_timeout: REQUEST_TIMEOUT,
        });
        let table = table.serving(options.public_skills);
        let router = table.router().layer(edge).with_state(app.clone());
        let listener = TcpListener::bind(options.listen).await.map_err(|error| {
            StartError(format!(
                "cannot listen on {}: {error}; choose another --listen",
                options.listen
            ))
        })?;
        let address = listener
            .local_addr()
            .map_err(|error| StartError(error.to_string()))?;
        Ok(Self {
            listener,
            address,
            app,
            router,
            serve_limits: options.serve_limits,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it keeps.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.app.store
    }

    /// Serves until `shutdown` is done, drains, and writes out what the journal holds.
    ///
    /// # Errors
    /// When serving fails.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> std::io::Result<()> {
        let served = serve(
            self.listener,
            self.router,
            &self.app.readiness,
            shutdown,
            self.serve_limits,
        )
        .await;
        self.app.store.close().await;
        served
    }
}

/// The scanner with the rules of a file, where one is given.
///
/// # Errors
/// One sentence, when the file cannot be read or a rule in it is wrong.
pub fn scanner(rules: Option<&Path>) -> Result<Arc<Scanner>, StartError> {
    let Some(path) = rules else {
        return Scanner::built_in().map_err(|error| StartError(error.to_string()));
    };
    let text = std::fs::read_to_string(path).map_err(|error| {
        StartError(format!(
            "cannot read the scanner's rules in {}: {error}",
            path.display()
        ))
    })?;
    Scanner::extended(&text).map_err(|error| {
        StartError(format!(
            "the scanner's rules in {} are not taken: {error}",
            path.display()
        ))
    })
}

fn load_identity(options: &ServerOptions) -> Result<Identity, StartError> {
    crate::store::directory::create(&options.directory).map_err(|error| {
        StartError(format!(
            "cannot create {}: {error}",
            options.directory.display()
        ))
    })?;
    let file = keys_file(&options.directory);
    let rings = match options.database {
        Database::Sqlite => KeyRings::load_or_create(&file, options.entropy.as_ref()),
        // Replicas have the same keys: none makes its own.
        Database::Postgres(_) => {
            require_given(&file)?;
            KeyRings::load(&file)
        }
    }
    .map_err(|error| StartError(error.to_string()))?;
    Identity::new(
        Arc::new(rings),
        &options.issuer,
        Arc::clone(&options.clock),
        Arc::clone(&options.entropy),
        options.passwords,
    )
    .map_err(|error| StartError(error.to_string()))
}

fn load_checkpoint_key(options: &ServerOptions) -> Result<CheckpointKey, StartError> {
    let file = checkpoint_key_file(&options.directory);
    match options.database {
        Database::Sqlite => {
            CheckpointKey::load_or_create(&file, &options.issuer, options.entropy.as_ref())
        }
        Database::Postgres(_) => {
            require_given(&file)?;
            CheckpointKey::load(&file)
        }
    }
    .map_err(|error| StartError(error.to_string()))
}

fn require_given(file: &Path) -> Result<(), StartError> {
    if file.exists() {
        return Ok(());
    }
    Err(StartError(format!(
        "{} is missing, and with PostgreSQL a server makes no keys of its own: run `vestry admin keys create` once, and give every replica \
         the same files",
        file.display()
    )))
}

/// Makes the keys of an installation in a data directory: those that sign tokens and offers, and the one that signs checkpoints.
/// What is there already stays.
///
/// # Errors
/// When a file cannot be made, or one that is there is no key file.
pub fn create_keys(
    directory: &Path,
    issuer: &str,
    entropy: &dyn Entropy,
) -> Result<(), StartError> {
    let failed = |error: String| StartError(error);
    crate::store::directory::create(directory)
        .map_err(|error| StartError(format!("cannot create {}: {error}", directory.display())))?;
    KeyRings::load_or_create(&keys_file(directory), entropy)
        .map_err(|error| failed(error.to_string()))?;
    CheckpointKey::load_or_create(&checkpoint_key_file(directory), issuer, entropy)
        .map_err(|error| failed(error.to_string()))?;
    Ok(())
}

/// The file of the key rings of a data directory.
#[must_use]
pub fn keys_file(directory: &Path) -> PathBuf {
    directory.join(KEYS)
}

/// The file of the key that signs checkpoints, of a data directory.
#[must_use]
pub fn checkpoint_key_file(directory: &Path) -> PathBuf {
    directory.join(CHECKPOINT_KEY)
}

/// Where the checkpoints of a data directory are written.
#[must_use]
pub fn checkpoint_place(directory: &Path, given: Option<PathBuf>) -> Place {
    Place::new(given.unwrap_or_else(|| directory.join(CHECKPOINTS)))
}

/// What the store counts, as metrics.
#[derive(Debug)]
struct StoreMetrics(Store);

impl Collector for StoreMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let counts = self.0.counts();
        for (name, help, value) in [
            (
                "vestry_content_queries",
                "Queries for the content of skills",
                counts.content_queries,
            ),
            (
                "vestry_scope_fills",
                "Times that a scope was read into the cache",
                counts.scope_fills,
            ),
        ] {
            let counter = ConstCounter::new(value);
            let metric = encoder.encode_descriptor(name, help, None, counter.metric_type())?;
            counter.encode(metric)?;
        }
        Ok(())
    }
}
