//! Logs go to standard error: readable on a terminal, JSON elsewhere.

use std::io::IsTerminal as _;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

/// Starts logging; what is logged is written for as long as the guard lives.
pub(super) fn start(filter: &str) -> WorkerGuard {
    let (writer, guard) = tracing_appender::non_blocking(std::io::stderr());
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer);
    // A second start keeps the first subscriber.
    let _ = if std::io::stderr().is_terminal() {
        subscriber.try_init()
    } else {
        subscriber.json().with_ansi(false).try_init()
    };
    guard
}
