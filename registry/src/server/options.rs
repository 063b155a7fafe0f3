//! What a server is started with.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{CHECKPOINT_INTERVAL, DEFAULT_ISSUER};
use crate::clock::{Clock, SystemClock};
use crate::entropy::{Entropy, SystemEntropy};
use crate::http::extract::TrustedProxies;
use crate::http::limiter::{PasswordRates, PublicLimit, Rate};
use crate::http::reach::Reach;
use crate::http::serve::ServeLimits;
use crate::http::streams::StreamLimits;
use crate::identity::PasswordParams;
use crate::store::{Database, Limits, Probe, SOURCE_POLL, SourceSpec};

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
