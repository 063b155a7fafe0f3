//! Standing turns, for protocols whose requests name no turn: the credential itself stands for one (design §8).
//!
//! A row says which turn a credential is in. Listing replaces it where the catalog has changed since; everything else
//! reads under it, and makes one where there is none. The turn is a named one like any other: its pins are durable, a
//! replica or a restart gives the same, and its offers are signed and end.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, PoisonError};

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait as _, ColumnTrait as _, EntityTrait, IntoActiveModel as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _,
};
use serde_json::Value;
use vestry_policies::Action;
use vestry_policies::resolve::Cap;

use super::take::{CatalogRequest, Offered};
use super::{Caches, PreparedCatalog, Weigh};
use crate::clock::Micros;
use crate::identity::{Caller, TurnName};
use crate::store::Store;
use crate::store::entity::standing_turn::{self, Column};
use crate::store::entity::turn;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::tenant_key;
use crate::store::turns::{context_digest, outlived, turn_key};
use crate::template::builder::BuildFault;

/// An offer that ends sooner than this is signed again before it is used.
const FRESH_SECONDS: i64 = 60;
/// A turn older than this is replaced when it is listed, also where its catalog has not changed: a turn is kept 30 days from
/// when it was taken, and the one that a credential is in shall not end under it.
const RENEWED_AFTER_SECONDS: i64 = 24 * 60 * 60;

/// How many credentials can begin turns at once, about.
pub(super) const GATES: usize = 64;
/// The most roles and caps that one credential is in turns for; who asks for more loses the turns that it began first.
const MOST_OF_A_CREDENTIAL: u64 = 32;

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
        let known = match self.known_standing(caller, terms, &key).await? {
            Some(known) => Some(known),
            // Many may ask at once for what there is not yet: one of them begins it.
            None => {
                let _alone = self.inner.catalogs.gate(&key).lock().await;
                match self.known_standing(caller, terms, &key).await? {
                    Some(known) => Some(known),
                    None => {
                        let wanted = self.key(caller, terms.role.clone(), terms.cap, None);
                        let catalog = self.prepare(caller, wanted).await?;
                        let context = digest_where_it_matters(&catalog, context)?;
                        return self.begin_standing(caller, terms, key, context).await;
                    }
                }
            }
        };
        let context = context.map(context_digest).transpose()?;
        match known {
            None => Err(StoreError::Internal("a turn was not begun".to_owned())),
            Some(known) => {
                if context.is_some() && known.has_context() && context != known.context {
                    return Err(StoreError::InvalidContext(vec![BuildFault {
                        path: String::new(),
                        detail: "This is another context than the one that the skills were listed with. Send that one with every request, or list the skills again with this one.".to_owned(),
                    }]));
                }
                Ok(known)
            }
        }
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

    /// Whether the caller has taken a turn of this name.
    async fn has_turn(&self, caller: &Caller, turn: &TurnName) -> StoreResult<bool> {
        let row = turn::Entity::find_by_id(turn_key(caller, turn))
            .one(&self.inner.reader)
            .await?;
        Ok(row.is_some_and(|row| row.created_at > outlived(self.inner.clock.now()).0))
    }

    /// What is known of the turn that a credential is in, with an offer that holds for a while.
    async fn known_standing(
        &self,
        caller: &Caller,
        terms: &StandingTerms,
        key: &StandingKey,
    ) -> StoreResult<Option<Arc<StandingTurn>>> {
        let now = self.inner.clock.now();
        let written_before = self.inner.catalogs.standing_writes();
        let (turn, context, taken_at) = match self.inner.catalogs.standing.get(key) {
            Some(known) if known.taken_at <= outlived(now) => return Ok(None),
            Some(known) if known.offered.expires_at > now.plus_seconds(FRESH_SECONDS) => {
                return Ok(Some(known));
            }
            Some(known) => (
                known.offered.turn.clone(),
                known.context.clone(),
                known.taken_at,
            ),
            None => {
                let row = standing_turn::Entity::find_by_id(key.clone())
                    .one(&self.inner.reader)
                    .await?
                    .filter(|row| row.taken_at > outlived(now).0);
                let Some(row) = row else {
                    return Ok(None);
                };
                let turn = TurnName::parse(&row.turn)
                    .map_err(|error| StoreError::Internal(error.to_string()))?;
                let context = Some(row.context).filter(|digest| !digest.is_empty());
                (turn, context, Micros(row.taken_at))
            }
        };
        let standing = Arc::new(StandingTurn {
            offered: self.take_catalog(caller, request(terms, turn)).await?,
            context,
            taken_at,
        });
        self.inner
            .catalogs
            .keep_standing(key, &standing, Some(written_before));
        Ok(Some(standing))
    }

    /// Takes a new turn, and says that the credential is in it.
    async fn begin_standing(
        &self,
        caller: &Caller,
        terms: &StandingTerms,
        key: StandingKey,
        context: Option<String>,
    ) -> StoreResult<Arc<StandingTurn>> {
        let turn = TurnName::parse(&self.inner.entropy.id("mcp-")?)
            .map_err(|error| StoreError::Internal(error.to_string()))?;
        let offered = self.take_catalog(caller, request(terms, turn)).await?;
        let taken_at = self.inner.clock.now();
        let (tenant, credential, role, cap) = key.clone();
        let row = standing_turn::Model {
            tenant,
            credential,
            role,
            cap,
            turn: offered.turn.to_string(),
            context: context.clone().unwrap_or_default(),
            taken_at: taken_at.0,
        };
        let standing = Arc::new(StandingTurn {
            offered,
            context,
            taken_at,
        });
        let (store, kept) = (self.clone(), Arc::clone(&standing));
        // Not ended by a client that leaves.
        tokio::spawn(async move { store.write_standing(row, key, kept).await })
            .await
            .map_err(|error| StoreError::Internal(error.to_string()))??;
        Ok(standing)
    }

    async fn write_standing(
        &self,
        row: standing_turn::Model,
        key: StandingKey,
        standing: Arc<StandingTurn>,
    ) -> StoreResult<()> {
        let (writer, tx) = self.begin_writing().await?;
        standing_turn::Entity::insert(row.into_active_model().reset_all())
            .on_conflict(
                OnConflict::columns([
                    Column::Tenant,
                    Column::Credential,
                    Column::Role,
                    Column::Cap,
                ])
                .update_columns([Column::Turn, Column::Context, Column::TakenAt])
                .to_owned(),
            )
            .exec_without_returning(&tx)
            .await?;
        let outlived = standing_turn::Entity::find()
            .filter(Column::Tenant.eq(key.0.as_str()))
            .filter(Column::Credential.eq(key.1.as_str()))
            .order_by_desc(Column::TakenAt)
            .order_by_desc(Column::Turn)
            .offset(MOST_OF_A_CREDENTIAL)
            .limit(MOST_OF_A_CREDENTIAL)
            .all(&tx)
            .await?;
        for row in outlived {
            let gone = (
                row.tenant.clone(),
                row.credential.clone(),
                row.role.clone(),
                row.cap,
            );
            standing_turn::Entity::delete(row.into_active_model())
                .exec(&tx)
                .await?;
            self.inner.catalogs.standing.remove(&gone);
        }
        tx.commit().await?;
        // Before the writer is let go: what is in memory is what was committed last.
        self.inner.catalogs.keep_standing(&key, &standing, None);
        drop(writer);
        Ok(())
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

impl Caches {
    fn gate(&self, (tenant, credential, ..): &StandingKey) -> &tokio::sync::Mutex<()> {
        let mut hasher = DefaultHasher::new();
        (tenant, credential).hash(&mut hasher);
        let [first, ..] = &self.standing_gates;
        let at = usize::try_from(hasher.finish() % (GATES as u64)).unwrap_or_default();
        self.standing_gates.get(at).unwrap_or(first)
    }

    fn standing_writes(&self) -> u64 {
        *self
            .standing_writes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what is read back only where nothing was written since it was begun to be read; what is written is kept always.
    fn keep_standing(&self, key: &StandingKey, standing: &Arc<StandingTurn>, read_at: Option<u64>) {
        let mut writes = self
            .standing_writes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match read_at {
            None => *writes = writes.wrapping_add(1),
            Some(at) if at != *writes => return,
            Some(_) => {}
        }
        self.standing.insert(key.clone(), Arc::clone(standing));
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
