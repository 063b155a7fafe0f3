//! Limits on attempts to log in and to elevate, per account and per address.
//!
//! Keys are hashed into a fixed number of buckets: whoever tries a million made-up usernames fills no
//! memory. The hash is keyed with a secret, so that nobody can choose a key that shares a victim's bucket.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::ops::Add;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock as GovernorClock, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use sha2::{Digest as _, Sha256};

use super::problem::Problem;
use crate::clock::Clock;
use crate::entropy::{Entropy, EntropyError};

/// How many buckets the keys share: at most a few megabytes for a limiter.
const BUCKETS: u32 = 1 << 18;
/// After how many checks the buckets that are full again are let go.
const SWEEP_EVERY: u32 = 4096;

/// An instant as governor counts: nanoseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tick(u64);

impl Add<Nanos> for Tick {
    type Output = Self;

    fn add(self, other: Nanos) -> Self {
        Self(self.0.saturating_add(other.as_u64()))
    }
}

impl Reference for Tick {
    fn duration_since(&self, earlier: Self) -> Nanos {
        Nanos::new(self.0.saturating_sub(earlier.0))
    }

    fn saturating_sub(&self, duration: Nanos) -> Self {
        // The trait asks for the instant itself when it would underflow.
        Self(self.0.checked_sub(duration.as_u64()).unwrap_or(self.0))
    }
}

/// Our clock as governor's.
struct Ticks(Arc<dyn Clock>);

impl GovernorClock for Ticks {
    type Instant = Tick;

    fn now(&self) -> Tick {
        Tick(
            u64::try_from(self.0.now().0)
                .unwrap_or(0)
                .saturating_mul(1000),
        )
    }
}

/// How often something may be tried: `burst` times at once, and once more every `every` after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many times at once.
    pub burst: NonZeroU32,
    /// How long until one more; at least a nanosecond is taken.
    pub every: Duration,
}

impl Rate {
    fn quota(self) -> Quota {
        Quota::with_period(self.every.max(Duration::from_nanos(1)))
            // Only a period of zero is refused.
            .unwrap_or(Quota::per_second(NonZeroU32::MIN))
            .allow_burst(self.burst)
    }
}

/// A limit on attempts per key.
pub struct Limiter {
    limiter: RateLimiter<u32, DashMapStateStore<u32>, Ticks, NoOpMiddleware<Tick>>,
    secret: [u8; 16],
    checks: AtomicU32,
}

impl Limiter {
    /// A limiter without any attempts yet.
    ///
    /// # Errors
    /// When there are no random bytes for its secret.
    pub fn new(
        rate: Rate,
        clock: Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, EntropyError> {
        let mut secret = [0_u8; 16];
        entropy.fill(&mut secret)?;
        Ok(Self {
            limiter: RateLimiter::new(rate.quota(), DashMapStateStore::default(), Ticks(clock)),
            secret,
            checks: AtomicU32::new(0),
        })
    }

    /// Counts an attempt.
    ///
    /// # Errors
    /// The seconds to wait, rounded up, when there were too many.
    pub fn check(&self, key: &str) -> Result<(), u64> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(&self.bucket(key)).map_err(|wait| {
            let wait = wait.wait_time_from(self.limiter.clock().now());
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            seconds.max(1)
        })
    }

    fn bucket(&self, key: &str) -> u32 {
        let digest = Sha256::new()
            .chain_update(self.secret)
            .chain_update(key.as_bytes())
            .finalize();
        let number = digest
            .iter()
            .take(4)
            .fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        number % BUCKETS
    }
}

/// The limits on attempts to prove a password.
pub struct PasswordLimits {
    accounts: Limiter,
    addresses: Limiter,
}

/// What a password is tried for. Each has limits of its own: whoever can only guess at logins keeps nobody who is logged
/// in from stepping up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To log in.
    Login,
    /// To step up.
    Elevation,
}

/// What [`PasswordLimits`] allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordRates {
    /// Per account.
    pub account: Rate,
    /// Per address of a client.
    pub address: Rate,
}

impl Default for PasswordRates {
    /// Ten attempts per account and one more every half minute; fifty per address and one more every two seconds.
    fn default() -> Self {
        const fn rate(burst: u32, seconds: u64) -> Rate {
            let burst = match NonZeroU32::new(burst) {
                Some(burst) => burst,
                None => NonZeroU32::MIN,
            };
            Rate {
                burst,
                every: Duration::from_secs(seconds),
            }
        }
        Self {
            account: rate(10, 30),
            address: rate(50, 2),
        }
    }
}

impl PasswordLimits {
    /// Limits without any attempts yet.
    ///
    /// # Errors
    /// When there are no random bytes.
    pub fn new(
        rates: PasswordRates,
        clock: &Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, EntropyError> {
        Ok(Self {
            accounts: Limiter::new(rates.account, Arc::clone(clock), entropy)?,
            addresses: Limiter::new(rates.address, Arc::clone(clock), entropy)?,
        })
    }

    /// Counts an attempt at an account, known or not, from an address. The address is asked first:
    /// one that is out of attempts uses up nobody's account.
    ///
    /// # Errors
    /// [`Problem::TooManyRequests`], the same for both limits, so that it tells nothing about the account.
    pub fn check(&self, purpose: Purpose, account: &str, address: IpAddr) -> Result<(), Problem> {
        let purpose = match purpose {
            Purpose::Login => "login",
            Purpose::Elevation => "elevation",
        };
        self.addresses
            .check(&format!("{purpose} {}", network(address)))
            .and_then(|()| {
                self.accounts
                    .check(&format!("{purpose} {}", account.to_ascii_lowercase()))
            })
            .map_err(|retry_after| Problem::TooManyRequests { retry_after })
    }
}

/// The limit on requests without a credential for skills that are public, per address of a client.
pub struct PublicLimit(Limiter);

impl PublicLimit {
    /// What an address may ask for unless told otherwise. Whoever installs all of a few hundred skills by the older paths asks for each
    /// file by itself, all at once, and takes a refusal for a file that is not there.
    pub const RATE: Rate = Rate {
        burst: match NonZeroU32::new(5_000) {
            Some(burst) => burst,
            None => NonZeroU32::MIN,
        },
        every: Duration::from_millis(20),
    };

    /// A limit without any requests yet.
    ///
    /// # Errors
    /// When there are no random bytes.
    pub fn new(
        rate: Rate,
        clock: &Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, EntropyError> {
        Limiter::new(rate, Arc::clone(clock), entropy).map(Self)
    }

    /// Counts a request from an address.
    ///
    /// # Errors
    /// [`Problem::TooManyRequests`].
    pub fn check(&self, address: IpAddr) -> Result<(), Problem> {
        self.0
            .check(&network(address))
            .map_err(|retry_after| Problem::TooManyRequests { retry_after })
    }
}

/// An IPv4 address, or the /64 of an IPv6 one: that is what one subscriber is given.
fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("{:x}", address.to_bits() >> 64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{ManualClock, Micros};
    use crate::entropy::SeededEntropy;

    fn rates(account: u32, address: u32) -> PasswordRates {
        let rate = |burst| Rate {
            burst: NonZeroU32::new(burst).unwrap(),
            every: Duration::from_secs(30),
        };
        PasswordRates {
            account: rate(account),
            address: rate(address),
        }
    }

    fn limits(rates: PasswordRates) -> (Arc<ManualClock>, PasswordLimits) {
        let manual = Arc::new(ManualClock::new(Micros(1_800_000_000_000_000)));
        let clock: Arc<dyn Clock> = manual.clone();
        let limits = PasswordLimits::new(rates, &clock, &SeededEntropy::new(1)).unwrap();
        (manual, limits)
    }

    fn wait(result: Result<(), Problem>) -> Option<u64> {
        match result {
            Ok(()) => None,
            Err(Problem::TooManyRequests { retry_after }) => Some(retry_after),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn limits_an_account_whatever_the_address_and_case() {
        let (clock, limits) = limits(rates(3, 100));
        let from = |n: u8| IpAddr::from([10, 0, 0, n]);
        for n in 0..3 {
            assert_eq!(wait(limits.check(Purpose::Login, "Alice", from(n))), None);
        }
        assert_eq!(
            wait(limits.check(Purpose::Login, "alice", from(9))),
            Some(30)
        );
        assert_eq!(wait(limits.check(Purpose::Login, "bob", from(9))), None);
        clock.advance_seconds(29);
        assert_eq!(
            wait(limits.check(Purpose::Login, "alice", from(9))),
            Some(1)
        );
        clock.advance_seconds(1);
        assert_eq!(wait(limits.check(Purpose::Login, "alice", from(9))), None);
        assert_eq!(
            wait(limits.check(Purpose::Login, "alice", from(9))),
            Some(30)
        );
    }

    #[test]
    fn limits_an_address_without_using_up_accounts() {
        let (_, limits) = limits(rates(3, 2));
        let one: IpAddr = "2001:db8::1".parse().unwrap();
        let neighbour: IpAddr = "2001:db8::2".parse().unwrap();
        let other: IpAddr = "2001:db8:0:1::1".parse().unwrap();
        assert_eq!(wait(limits.check(Purpose::Login, "a", one)), None);
        assert_eq!(wait(limits.check(Purpose::Login, "b", neighbour)), None);
        for _ in 0..10 {
            assert!(wait(limits.check(Purpose::Login, "c", one)).is_some());
        }
        assert_eq!(wait(limits.check(Purpose::Login, "c", other)), None);
    }

    #[test]
    fn lets_go_of_what_is_full_again() {
        let (clock, limits) = limits(rates(3, 100));
        for n in 0..SWEEP_EVERY - 1 {
            let _ = limits.accounts.check(&n.to_string());
        }
        assert!(limits.accounts.limiter.len() > 4000);
        clock.advance_seconds(3600);
        assert_eq!(limits.accounts.check("login last"), Ok(()));
        assert_eq!(limits.accounts.limiter.len(), 1);
    }

    #[test]
    fn a_clock_that_goes_back_opens_nothing() {
        let (clock, limits) = limits(rates(2, 100));
        let from = IpAddr::from([10, 0, 0, 1]);
        assert_eq!(wait(limits.check(Purpose::Login, "alice", from)), None);
        assert_eq!(wait(limits.check(Purpose::Login, "alice", from)), None);
        clock.advance_seconds(-3600);
        assert!(wait(limits.check(Purpose::Login, "alice", from)).is_some());
    }
}
