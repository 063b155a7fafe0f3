//! Standing turns, for protocols whose requests name no turn: the credential itself stands for one (design §8).
//!
//! A row says which turn a credential is in. Listing replaces it where the catalog has changed since; everything else
//! reads under it, and makes one where there is none. The turn is a named one like any other: its pins are durable, a
//! replica or a restart gives the same, and its offers are signed and end.

mod kept;

use std::sync::Arc;

use serde_json::Value;
use vestry_policies::Action;
use vestry_policies::resolve::Cap;

use super::take::{CatalogRequest, Offered};
use super::{PreparedCatalog, Weigh};
use crate::clock::Micros;
use crate::identity::{Caller, TurnName};
use crate::store::Store;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::tenant_key;
use crate::store::turns::context_digest;
use crate::template::builder::BuildFault;

/// A turn older than this is replaced when it is listed, also where its catalog has not changed: a turn is kept 30 days from
/// when it was taken, and the one that a credential is in shall not end under it.
const RENEWED_AFTER_SECONDS: i64 = 24 * 60 * 60;

pub(super) use kept::GATES;

/// Tenant, credential, role and cap.
pub(super) type StandingKey = (String, String, String, i64);

/// What the turns of one credential are told apart by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StandingTerms {
    /// The agent's role.
    pub role: Option<Arc<str>>,
    /// The most entries. It has been checked against [`Store::max_cap`].
    pub cap: Option<Cap>,
}

/// With which context a turn is listed.
#[derive(Debug, Clone, Copy)]
pub enum ListedWith<'a> {
    /// This one, or none.
    Exactly(Option<&'a Value>),
    /// That of the turn before, or none.
    AsBefore,
}

/// The turn that a credential is in, with an offer that has not ended.
#[derive(Debug, Clone)]
pub struct StandingTurn {
    /// The turn, its catalog and its offer.
    pub offered: Offered,
    /// The digest of the context that it was listed with.
    context: Option<String>,
    taken_at: Micros,
}

impl StandingTurn {
    /// The same, for another turn of the same caller.
    #[must_use]
    pub fn with_offer(&self, offered: Offered) -> Self {
        Self {
            offered,
            ..self.clone()
        }
    }

    /// Whether it was listed with a context: what templates write is then fixed.
    #[must_use]
    pub fn has_context(&self) -> bool {
        self.context.is_some()
    }
}

impl Weigh for StandingTurn {
    /// Its catalog included: nothing else may keep that.
    fn weight(&self) -> u64 {
        self.offered.catalog.weight() + self.offered.offer.len() as u64 + 512
    }
}

impl Store {
    /// Puts the credential into a turn with the catalog of now, and the context that comes with the listing.
    ///
    /// # Errors
    /// As [`Store::take_catalog`].
    pub async fn list_standing(
        &self,
        caller: &Caller,
        terms: &StandingTerms,
        context: ListedWith<'_>,
    ) -> StoreResult<Arc<StandingTurn>> {
        self.decide_own(caller, Action::TakeCatalog)?;
        let key = standing_key(caller, terms)?;
        let _alone = self.inner.catalogs.gate(&key).lock().await;
        let known = self.known_standing(caller, terms, &key).await?;
        let wanted = self.key(caller, terms.role.clone(), terms.cap, None);
        let catalog = self.prepare(caller, wanted).await?;
        let context = match context {
            ListedWith::AsBefore => known.as_ref().and_then(|known| known.context.clone()),
            ListedWith::Exactly(context) => digest_where_it_matters(&catalog, context)?,
        };
        let fresh_from = self.inner.clock.now().plus_seconds(-RENEWED_AFTER_SECONDS);
        match known {
            Some(known)
                if known.context == context
                    && known.taken_at > fresh_from
                    && known.offered.catalog.etag() == catalog.etag() =>
            {
                Ok(known)
            }
            _ => self.begin_standing(caller, terms, key, context).await,
        }
    }

    /// The turn that the credential is in; a new one where there is none.
    ///
    /// # Errors
    /// [`StoreError::InvalidContext`] for another context than the one that it was listed with.
    pub async fn standing(
        &self,
        caller: &Caller,
        terms: &StandingTerms,
        context: Option<&Value>,
    ) -> StoreResult<Arc<StandingTurn>> {
        self.decide_own(caller, Action::TakeCatalog)?;
        let key = standing_key(caller, terms)?;
        let standing = match self.known_standing(caller, terms, &key).await? {
            Some(known) => known,
            None => self.begin_first(caller, terms, key, context).await?,
        };
        let context = context.map(context_digest).transpose()?;
        if context.is_some() && standing.has_context() && context != standing.context {
            return Err(StoreError::InvalidContext(vec![BuildFault {
                path: String::new(),
                detail: "This is another context than the one that the skills were listed with. Send that one with every request, or list the skills again with this one.".to_owned(),
            }]));
        }
        Ok(standing)
    }

    /// Begins a turn where there is none. Many may ask at once: one of them begins it, and the others are in it too.
    async fn begin_first(
        &self,
        caller: &Caller,
        terms: &StandingTerms,
        key: StandingKey,
        context: Option<&Value>,
    ) -> StoreResult<Arc<StandingTurn>> {
        let _alone = self.inner.catalogs.gate(&key).lock().await;
        if let Some(known) = self.known_standing(caller, terms, &key).await? {
            return Ok(known);
        }
        let wanted = self.key(caller, terms.role.clone(), terms.cap, None);
        let catalog = self.prepare(caller, wanted).await?;
        let context = digest_where_it_matters(&catalog, context)?;
        self.begin_standing(caller, terms, key, context).await
    }

    /// Resumes a turn that a listing of this caller's began; none when there is no such turn.
    ///
    /// # Errors
    /// As [`Store::take_catalog`].
    pub async fn resume_listing(
        &self,
        caller: &Caller,
        terms: &StandingTerms,
        turn: TurnName,
    ) -> StoreResult<Option<Offered>> {
        if !self.has_turn(caller, &turn).await? {
            return Ok(None);
        }
        self.take_catalog(caller, request(terms, turn))
            .await
            .map(Some)
    }
}

/// The digest of a context that some offered template could be rendered with. Where nothing that is offered is one, every context
/// gives the same, and none is taken down.
fn digest_where_it_matters(
    catalog: &PreparedCatalog,
    context: Option<&Value>,
) -> StoreResult<Option<String>> {
    match context {
        Some(context)
            if catalog
                .snapshot()?
                .entries
                .iter()
                .any(|entry| entry.templated) =>
        {
            context_digest(context).map(Some)
        }
        _ => Ok(None),
    }
}

fn standing_key(caller: &Caller, terms: &StandingTerms) -> StoreResult<StandingKey> {
    // A service has no turns; what it is told is what the rules say of that.
    let credential = caller.credential_id().unwrap_or_default();
    Ok((
        tenant_key(caller.tenant()),
        credential,
        terms.role.as_deref().unwrap_or_default().to_owned(),
        terms
            .cap
            .map_or(Ok(0), |cap| i64::try_from(cap.get()))
            .map_err(|error| StoreError::Internal(error.to_string()))?,
    ))
}

fn request(terms: &StandingTerms, turn: TurnName) -> CatalogRequest {
    CatalogRequest {
        turn: Some(turn),
        cap: terms.cap,
        role: terms.role.clone(),
        ..CatalogRequest::default()
    }
}
