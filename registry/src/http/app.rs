//! The state that every handler has at hand.

use std::sync::Arc;

use prometheus_client::registry::Registry;

use super::cursor::Cursors;
use super::health::{Operated, Readiness};
use super::limiter::{PasswordLimits, PublicLimit};
use super::problem::Cause;
use super::reach::Reach;
use super::streams::Streams;
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::identity::Identity;
use crate::store::Store;

/// The state. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// What the state is made of.
pub struct Parts {
    /// What is kept.
    pub store: Store,
    /// Keys, tokens, passwords.
    pub identity: Arc<Identity>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// How often passwords may be tried.
    pub password_limits: PasswordLimits,
    /// How often one address may ask for what is public.
    pub public_limit: PublicLimit,
    /// Whether this replica wants requests.
    pub readiness: Readiness,
    /// The open streams of events.
    pub streams: Streams,
    /// How it is called from outside.
    pub reach: Reach,
    /// What is counted.
    pub registry: Registry,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("App")
    }
}

impl App {
    /// The state made of these parts.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Makes and reads cursors.
    pub(super) fn cursors(&self) -> Cursors<'_> {
        Cursors::new(self.identity.rings())
    }
}

impl std::ops::Deref for App {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Operated for App {
    fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    async fn check(&self) -> Result<(), Cause> {
        self.store.ping().await.map_err(Cause::from)
    }

    fn registry(&self) -> &Registry {
        &self.registry
    }
}
