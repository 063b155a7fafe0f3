//! Trying again what has changed nothing yet.
//!
//! After a failover, or a restart of PostgreSQL, connections that were open are broken, and the first who uses one finds it out.
//! What only begins something, or only reads, is tried again on another connection, a few times and with waits that are not the
//! same for everybody. What has been written is never tried again by itself: whether it took effect is for the client to find
//! out, with its idempotency key.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::DbErr;

use super::error::{StoreError, StoreResult};
use crate::entropy::Entropy;

/// How often something is tried.
const TRIES: u32 = 4;
/// How long is waited before the second try, at the most; twice as long before each one after it.
const FIRST_WAIT: Duration = Duration::from_millis(40);

/// Tries again, where others write to the database too.
#[derive(Clone)]
pub(super) struct Retry(Option<Arc<dyn Entropy>>);

impl std::fmt::Debug for Retry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Retry")
    }
}

impl Retry {
    /// Nothing is tried again: the embedded database is there, or it is not.
    pub(super) fn never() -> Self {
        Self(None)
    }

    /// What fails because the database was away or busy is tried again, after waits by this randomness.
    pub(super) fn with(entropy: Arc<dyn Entropy>) -> Self {
        Self(Some(entropy))
    }

    /// The tries of one thing.
    pub(super) fn tries(&self) -> Tries<'_> {
        Tries {
            entropy: self.0.as_deref(),
            left: TRIES - 1,
            most: FIRST_WAIT,
        }
    }
}

/// How often one thing may be tried again.
pub(super) struct Tries<'a> {
    entropy: Option<&'a dyn Entropy>,
    left: u32,
    most: Duration,
}

impl Tries<'_> {
    /// After a failure: waits where trying again may help, and gives the failure where not.
    pub(super) async fn after(&mut self, error: DbErr) -> StoreResult<()> {
        let Some(entropy) = self.entropy else {
            return Err(error.into());
        };
        if StoreError::is_silence(&error) {
            // It was waited for long enough.
            return Err(error.into());
        }
        if StoreError::is_without_connection(&error) {
            // The driver itself tries again, while the database refuses them or starts.
            tracing::error!(error = %error, "no connection to the database is to be had");
            return Err(StoreError::Unavailable);
        }
        if self.left == 0 || !StoreError::is_transient(&error) {
            return Err(error.into());
        }
        tracing::debug!(error = %error, "the database did not answer; trying again");
        tokio::time::sleep(part_of(self.most, entropy)?).await;
        self.left -= 1;
        self.most *= 2;
        Ok(())
    }
}

/// Between nothing and all of it.
fn part_of(most: Duration, entropy: &dyn Entropy) -> StoreResult<Duration> {
    let [byte] = entropy.bytes::<1>()?;
    Ok(most.mul_f64(f64::from(byte) / 255.0))
}
