//! A whole server: keys, store, table of routes, listener.

mod keys;
mod metrics;
mod options;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::registry::Registry;
use tokio::net::TcpListener;

use crate::content::scan::Scanner;
use crate::http::app::{App, Parts};
use crate::http::health::Readiness;
use crate::http::limiter::{PasswordLimits, PublicLimit};
use crate::http::metrics::HttpMetrics;
use crate::http::middleware::{Edge, EdgeLayer, REQUEST_TIMEOUT};
use crate::http::routes;
use crate::http::serve::{ServeLimits, serve};
use crate::http::streams::Streams;
use crate::mcp;
use crate::store::{Options, Store};

pub use keys::{checkpoint_key_file, checkpoint_place, create_keys, keys_file};
pub use options::ServerOptions;

use keys::{load_checkpoint_key, load_identity};
use metrics::StoreMetrics;

/// How often checkpoints are written unless the operator says otherwise.
pub const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The issuer of tokens unless the operator names another.
pub const DEFAULT_ISSUER: &str = "vestry";

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
