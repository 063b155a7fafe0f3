//! Time as a parameter. Everything that needs the time is handed a [`Clock`], so that tests decide what time it is.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Microseconds in a second.
pub const SECOND: i64 = 1_000_000;

/// An instant in microseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(pub i64);

impl Micros {
    /// The whole seconds since the Unix epoch, rounded down: what a JWT calls a `NumericDate`.
    #[must_use]
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    /// This instant and `seconds` more; saturates at the end of time.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(SECOND)))
    }

    /// The instant that a text says in RFC 3339; none when it says none.
    #[must_use]
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let at: jiff::Timestamp = text.parse().ok()?;
        Some(Self(at.as_microsecond()))
    }

    /// RFC 3339 in UTC, with microseconds when there are any.
    #[must_use]
    pub fn rfc3339(self) -> String {
        jiff::Timestamp::from_microsecond(self.0)
            .map_or_else(|_| jiff::Timestamp::MAX.to_string(), |at| at.to_string())
    }
}

/// What tells the time.
pub trait Clock: Send + Sync + 'static {
    /// The present instant.
    fn now(&self) -> Micros;
}

/// The machine's clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that asks the machine for the time"
    )]
    fn now(&self) -> Micros {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }
}

/// A clock that stands still until it is moved; for tests.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn new(now: Micros) -> Self {
        Self(AtomicI64::new(now.0))
    }

    /// Moves the clock by whole seconds.
    pub fn advance_seconds(&self, seconds: i64) {
        self.0
            .fetch_add(seconds.saturating_mul(SECOND), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Micros {
        Micros(self.0.load(Ordering::SeqCst))
    }
}
