//! Logs go to standard error: readable on a terminal, JSON elsewhere.

mod line;
mod sink;

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Starts logging; what is logged is written for as long as the guard lives.
pub(super) fn start(filter: &str) -> sink::Guard {
    let (sink, guard) = sink::start(Box::new(std::io::stderr()));
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(sink);
    // It writes whole messages, and what callers sent, which no log of ours shall have, whatever it is told to write.
    let ours = filter_fn(|event| !event.target().starts_with("rmcp"));
    // A second start keeps the first subscriber.
    let _ = if std::io::stderr().is_terminal() {
        subscriber.finish().with(ours).try_init()
    } else {
        subscriber
            .with_ansi(false)
            .event_format(line::Json)
            .finish()
            .with(ours)
            .try_init()
    };
    guard
}
