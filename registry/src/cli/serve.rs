//! `vestry serve`: start the server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::uri::Authority;
use ipnet::IpNet;
use vestry_policies::Scope;

use super::database::DatabaseArg;
use super::failure::{Failure, Outcome};
use super::{logs, say};
use crate::http::extract::TrustedProxies;
use crate::http::reach::Reach;
use crate::server::{CHECKPOINT_INTERVAL, DEFAULT_ISSUER, Server, ServerOptions};
use crate::store::settings::{MAX_SEALED_PER_SCOPE, SEALED_PER_SCOPE, WAITING_UPLOAD_BYTES};
use crate::store::{SourceOrder, SourceSpec};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The directory of keys and database.
    #[arg(long, env = "VESTRY_DATA", default_value = "vestry-data")]
    data: PathBuf,
    #[command(flatten)]
    database: DatabaseArg,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, env = "VESTRY_LISTEN", default_value = "127.0.0.1:7700")]
    listen: SocketAddr,
    /// The issuer in tokens: a name for this installation, usually its URL.
    #[arg(long, env = "VESTRY_ISSUER", default_value = DEFAULT_ISSUER)]
    issuer: String,
    /// A proxy whose X-Forwarded-For is believed, as an address range; may be given several times.
    #[arg(
        long = "trusted-proxy",
        env = "VESTRY_TRUSTED_PROXIES",
        value_delimiter = ','
    )]
    trusted_proxies: Vec<IpNet>,
    /// The URL that clients reach this server by, such as `https://skills.example.com`; it goes into what MCP clients are told.
    #[arg(long, env = "VESTRY_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    public_url: Option<String>,
    /// A name or address, with or without port, that MCP clients may use as `Host` besides the loopback ones and the public URL's;
    /// may be given several times.
    #[arg(
        long = "allowed-host",
        env = "VESTRY_ALLOWED_HOSTS",
        value_name = "HOST",
        value_delimiter = ',',
        value_parser = host
    )]
    allowed_hosts: Vec<String>,
    /// The origin of web pages that may speak MCP, such as `https://app.example.com:443`, besides those of the machine itself; may
    /// be given several times.
    #[arg(
        long = "allowed-origin",
        env = "VESTRY_ALLOWED_ORIGINS",
        value_name = "ORIGIN",
        value_delimiter = ',',
        value_parser = origin
    )]
    allowed_origins: Vec<String>,
    /// How many skills may be sealed at one scope, 1 to 50.
    #[arg(long, env = "VESTRY_SEALED_LIMIT", default_value_t = SEALED_PER_SCOPE,
          value_parser = clap::value_parser!(u64).range(1..=MAX_SEALED_PER_SCOPE))]
    sealed_limit: u64,
    /// How long an offer lives, 1 to 3600 seconds.
    #[arg(long, env = "VESTRY_OFFER_TTL", default_value_t = crate::identity::DEFAULT_OFFER_TTL_SECONDS,
          value_parser = clap::value_parser!(i64).range(1..=crate::identity::MAX_OFFER_TTL_SECONDS))]
    offer_ttl: i64,
    /// How many MiB of files a tenant may have uploaded and not published; one uploader may have a quarter of it.
    #[arg(long, env = "VESTRY_UPLOAD_QUOTA_MIB", default_value_t = WAITING_UPLOAD_BYTES >> 20,
          value_parser = clap::value_parser!(u64).range(64..=1 << 20))]
    upload_quota_mib: u64,
    /// Start a new database without the skills that come with Vestry, which open the runs of agents.
    #[arg(long, env = "VESTRY_NO_BUILT_IN_SKILLS")]
    no_built_in_skills: bool,
    /// Let anybody read and install the global skills, without a credential, at /.well-known/agent-skills/: those that a catalog offers
    /// without a role, but for templates.
    #[arg(long, env = "VESTRY_PUBLIC_SKILLS")]
    public_skills: bool,
    /// A folder of skills to offer at a scope beside the database, which wins over it: DIR=global or DIR=tenant:ID. It is only
    /// read, and read again when it changes; may be given several times, the earlier wins.
    #[arg(long = "source", env = "VESTRY_SOURCES", value_name = "DIR=SCOPE", value_delimiter = ',', value_parser = source)]
    sources: Vec<(PathBuf, Scope)>,
    /// As --source, but it wins over the database.
    #[arg(long = "source-first", env = "VESTRY_SOURCES_FIRST", value_name = "DIR=SCOPE", value_delimiter = ',', value_parser = source)]
    sources_first: Vec<(PathBuf, Scope)>,
    /// Where checkpoints of the audit log are written; `checkpoints` in the data directory when left out. Better on another
    /// machine's disk.
    #[arg(long, env = "VESTRY_CHECKPOINT_DIR", value_name = "DIR")]
    checkpoint_dir: Option<PathBuf>,
    /// Every how many seconds one is written, when something has changed; 10 to 86400.
    #[arg(long, env = "VESTRY_CHECKPOINT_INTERVAL", default_value_t = CHECKPOINT_INTERVAL.as_secs(), value_name = "SECONDS",
          value_parser = clap::value_parser!(u64).range(10..=86_400))]
    checkpoint_interval: u64,
    /// A file of rules for the scanner, beside its own: docs/scanner.md says what it looks like.
    #[arg(long, env = "VESTRY_SCANNER_RULES", value_name = "FILE")]
    scanner_rules: Option<PathBuf>,
    /// Let catalogs be so many milliseconds old instead of asking PostgreSQL for each, 1 to 60000; 0 for exact ones. Loads are always
    /// exact. Give every replica the same.
    #[arg(long, env = "VESTRY_MAX_STALENESS", default_value_t = 0, value_name = "MILLISECONDS",
          value_parser = clap::value_parser!(u64).range(0..=60_000))]
    max_staleness: u64,
    /// Seconds to go on accepting after SIGTERM, so that a load balancer can see that the server drains.
    #[arg(long, env = "VESTRY_DRAIN_NOTICE", default_value_t = 0)]
    drain_notice: u64,
    /// Which logs are written, such as `info` or `vestry=debug`.
    #[arg(long, env = "VESTRY_LOG", default_value = "info")]
    log: String,
}

pub(super) async fn run(args: Args) -> Outcome {
    let _guard = logs::start(&args.log);
    let mut options = ServerOptions::new(args.data, args.listen);
    options.database = args.database.database();
    options.issuer = args.issuer;
    options.proxies = TrustedProxies(args.trusted_proxies);
    options.reach = Reach {
        hosts: args.allowed_hosts,
        origins: args.allowed_origins,
        public_url: args.public_url,
    };
    options.built_in_skills = !args.no_built_in_skills;
    options.public_skills = args.public_skills;
    options.limits.sealed_per_scope = args.sealed_limit;
    options.limits.offer_ttl_seconds = args.offer_ttl;
    options.checkpoint_directory = args.checkpoint_dir;
    options.checkpoint_interval = Duration::from_secs(args.checkpoint_interval);
    options.limits.waiting_upload_bytes = args.upload_quota_mib << 20;
    let spec = |order| {
        move |(directory, scope)| SourceSpec {
            directory,
            scope,
            order,
        }
    };
    let first = args.sources_first.into_iter();
    options.sources = first
        .map(spec(SourceOrder::Before))
        .chain(args.sources.into_iter().map(spec(SourceOrder::After)))
        .collect();
    options.max_staleness = Duration::from_millis(args.max_staleness);
    options.scanner_rules = args.scanner_rules;
    options.serve_limits.notice = Duration::from_secs(args.drain_notice);
    let server = Server::start(options).await?;
    if !server.store().has_admin().await? {
        tracing::warn!("there is no global administrator yet: make one with `vestry admin create`");
    }
    if args.public_skills {
        tracing::info!("global skills are read without a credential at /.well-known/agent-skills/");
    }
    let shutdown = shutdown_signal()?;
    say(format_args!(
        "vestry is listening on http://{}",
        server.address()
    ));
    server.run(shutdown).await?;
    Ok(())
}

/// A URL of a server, without a path.
fn public_url(text: &str) -> Result<String, String> {
    let url = text.trim_end_matches('/');
    let has_host = ["https://", "http://"].into_iter().any(|scheme| {
        url.strip_prefix(scheme)
            .is_some_and(|host| !host.contains('@') && host.parse::<Authority>().is_ok())
    });
    has_host.then(|| url.to_owned()).ok_or_else(|| {
        "write a URL without a path, such as `https://skills.example.com`".to_owned()
    })
}

/// A name or an address, with a port or without.
fn host(text: &str) -> Result<String, String> {
    let is_host = !text.contains(['@', '/']) && text.parse::<Authority>().is_ok();
    is_host.then(|| text.to_owned()).ok_or_else(|| {
        "write a name or an address, with a port or without, such as `skills.example.com:8443`"
            .to_owned()
    })
}

/// The origin of a web page: scheme, host and port, or `:*` for any port.
fn origin(text: &str) -> Result<String, String> {
    let is_origin = text.split_once("://").is_some_and(|(scheme, rest)| {
        let (host, port) = rest.rsplit_once(':').unwrap_or(("", ""));
        matches!(scheme, "http" | "https")
            && !host.is_empty()
            && !host.contains('/')
            && (port == "*" || port.parse::<u16>().is_ok())
    });
    is_origin.then(|| text.to_owned()).ok_or_else(|| {
        "write scheme, host and port, such as `https://app.example.com:443`".to_owned()
    })
}

/// A folder and the scope that it is mounted at.
fn source(text: &str) -> Result<(PathBuf, Scope), String> {
    let Some((directory, scope)) = text.rsplit_once('=').filter(|(path, _)| !path.is_empty())
    else {
        return Err("write a folder and a scope, as `/srv/skills=global`".to_owned());
    };
    let scope = Scope::parse(scope, None)
        .ok()
        .filter(Scope::is_shared)
        .ok_or("write `global` or `tenant:ID` as the scope; actors have no sources")?;
    Ok((PathBuf::from(directory), scope))
}

/// Done when the process is asked to end, by SIGTERM or SIGINT.
pub(super) fn shutdown_signal() -> Result<impl Future<Output = ()>, Failure> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    {
        Ok(async {
            let _ = tokio::signal::ctrl_c().await;
        })
    }
}
