//! The opt-in that lets catalogs be a little old: a replica that has looked at the database for a caller just now need not look
//! again for the next catalog.
//!
//! The promise: a catalog reflects every write that was acknowledged longer ago than `max_staleness`, and the write whose version
//! the request names. Loads, and everything else, are exact in this mode too. That a replica hears of another's write at once
//! (`LISTEN`) makes catalogs fresher, and is no part of the promise: notifications get lost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use quick_cache::sync::Cache;
use sea_orm::sqlx::postgres::PgListener;
use sea_orm::{ConnectionTrait as _, Statement};

use super::error::StoreResult;
use super::version::Version;
use super::{Inner, postgres};
use crate::clock::{Clock, Micros};
use crate::store::pool::Transaction;

/// How many callers it is remembered of when they were looked at.
const REMEMBERED: usize = 50_000;
/// The channel of notifications. What is sent on it is the tenant that was written to.
const CHANNEL: &str = "vestry_written";
/// How long is waited before a listener that broke is made anew.
const AGAIN: Duration = Duration::from_secs(1);

/// The SHA-256 of a credential.
pub(super) type CredentialKey = [u8; 32];

/// What a request asks of the freshness of its answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Freshness {
    /// Whether it may be as old as the operator allows; only catalogs may.
    pub may_be_stale: bool,
    /// What it has to have.
    pub min_version: Option<Version>,
}

/// When a caller was looked at, and how far the chains were then.
#[derive(Debug, Clone, Copy)]
struct Looked {
    at: Micros,
    tenant_head: i64,
    global_head: i64,
}

/// When callers were looked at, in processes that others write beside.
pub(super) struct Staleness {
    /// In microseconds.
    most: i64,
    looked: Cache<CredentialKey, Looked>,
    /// When each tenant was last heard to be written to.
    heard: Mutex<HashMap<String, Micros>>,
    clock: Arc<dyn Clock>,
}

impl Staleness {
    /// Of catalogs that may be so old; exact where that is nothing.
    pub(super) fn new(most: Duration, clock: Arc<dyn Clock>) -> Self {
        Self {
            most: i64::try_from(most.as_micros()).unwrap_or(i64::MAX),
            looked: Cache::new(REMEMBERED),
            heard: Mutex::default(),
            clock,
        }
    }

    /// Whether anything may be stale.
    pub(super) fn is_allowed(&self) -> bool {
        self.most > 0
    }

    /// How far the chains of a caller's tenant and of global were when it was looked at last.
    pub(super) fn heads(&self, credential: &CredentialKey) -> Option<(i64, i64)> {
        let looked = self.looked.get(credential)?;
        Some((looked.tenant_head, looked.global_head))
    }

    /// Whether what is in memory is new enough for this request.
    pub(super) fn suffices(
        &self,
        credential: &CredentialKey,
        tenant: &str,
        freshness: &Freshness,
    ) -> bool {
        if !(self.is_allowed() && freshness.may_be_stale) {
            return false;
        }
        let Some(looked) = self.looked.get(credential) else {
            return false;
        };
        let age = self.clock.now().0.saturating_sub(looked.at.0);
        let heard = |chain: &str| {
            let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.get(chain).is_some_and(|at| *at >= looked.at)
        };
        // A clock that was set back says nothing about the age.
        (0..=self.most).contains(&age)
            && freshness
                .min_version
                .is_none_or(|version| version.is_in(looked.tenant_head, looked.global_head))
            && !heard(tenant)
            && !heard(vestry_migration::GLOBAL_TENANT)
    }

    /// The time, to be asked before the database is.
    pub(super) fn now(&self) -> Micros {
        self.clock.now()
    }

    /// Notes that the database was asked about a caller, beginning at this time.
    pub(super) fn note(&self, credential: CredentialKey, at: Micros, heads: (i64, i64)) {
        let (tenant_head, global_head) = heads;
        let looked = Looked {
            at,
            tenant_head,
            global_head,
        };
        self.looked.insert(credential, looked);
    }

    fn hear(&self, tenant: &str) {
        let now = self.clock.now();
        let oldest = now.0.saturating_sub(self.most);
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        // What was looked at before is too old by now anyway.
        heard.retain(|_, at| at.0 >= oldest);
        heard.insert(tenant.to_owned(), now);
    }
}

/// Tells the other replicas which tenant was written to, when the transaction commits.
pub(super) async fn tell(tx: &Transaction, tenant: &str) -> StoreResult<()> {
    let sql = format!("SELECT pg_notify('{CHANNEL}', $1)");
    let statement = Statement::from_sql_and_values(tx.get_database_backend(), sql, [tenant.into()]);
    tx.query_one_raw(statement).await?;
    Ok(())
}

/// Listens to what other replicas tell, for as long as the store lives.
pub(super) async fn listen(store: Weak<Inner>, url: String) {
    loop {
        match postgres::listener(&url).await {
            Ok(mut listener) => {
                if let Err(error) = hear_all(&store, &mut listener).await {
                    tracing::debug!(error = %error, "notifications of other replicas were lost");
                }
            }
            Err(error) => tracing::debug!(error = %error, "nobody can be listened to now"),
        }
        if store.strong_count() == 0 {
            return;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn hear_all(
    store: &Weak<Inner>,
    listener: &mut PgListener,
) -> Result<(), sea_orm::sqlx::Error> {
    listener.listen(CHANNEL).await?;
    loop {
        let heard = tokio::time::timeout(AGAIN, listener.recv()).await;
        let Some(inner) = store.upgrade() else {
            return Ok(());
        };
        if let (Ok(heard), Some(staleness)) = (heard, &inner.staleness) {
            staleness.hear(heard?.payload());
        }
    }
}
