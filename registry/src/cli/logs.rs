//! Logs go to standard error: readable on a terminal, JSON elsewhere.

mod line;
mod sink;

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::Directive;

/// Crates that write whole messages into the log at their lower levels, which no log of ours shall have.
const QUIET: [&str; 1] = ["rmcp=warn"];

/// Starts logging; what is logged is written for as long as the guard lives.
pub(super) fn start(filter: &str) -> sink::Guard {
    let (sink, guard) = sink::start(Box::new(std::io::stderr()));
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let filter = QUIET
        .iter()
        .filter_map(|quiet| quiet.parse::<Directive>().ok())
        .fold(filter, EnvFilter::add_directive);
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(sink);
    // A second start keeps the first subscriber.
    let _ = if std::io::stderr().is_terminal() {
        subscriber.try_init()
    } else {
        subscriber
            .with_ansi(false)
            .event_format(line::Json)
            .try_init()
    };
    guard
}
