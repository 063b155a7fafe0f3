//! The rows of standing turns, and what of them is in memory.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, PoisonError};

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait as _, ColumnTrait as _, EntityTrait, IntoActiveModel as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _,
};

use super::{StandingKey, StandingTerms, StandingTurn, request};
use crate::clock::Micros;
use crate::identity::{Caller, TurnName};
use crate::store::Store;
use crate::store::catalog::Caches;
use crate::store::entity::standing_turn::{self, Column};
use crate::store::entity::turn;
use crate::store::error::{StoreError, StoreResult};
use crate::store::tenant_set::TenantSet;
use crate::store::turns::{outlived, turn_key};
use crate::store::writing::{Writing, commit};

/// An offer that ends sooner than this is signed again before it is used.
const FRESH_SECONDS: i64 = 60;
/// How many credentials can begin turns at once, about.
pub(in crate::store::catalog) const GATES: usize = 64;
/// The most roles and caps that one credential is in turns for; who asks for more loses the turns that it began first.
const MOST_OF_A_CREDENTIAL: u64 = 32;

impl Store {
    /// Whether the caller has taken a turn of this name.
    pub(super) async fn has_turn(&self, caller: &Caller, turn: &TurnName) -> StoreResult<bool> {
        let row = turn::Entity::find_by_id(turn_key(caller, turn))
            .one(
                &self
                    .inner
                    .reader
                    .statements(&TenantSet::of(caller.tenant()))
                    .await?,
            )
            .await?;
        Ok(row.is_some_and(|row| row.created_at > outlived(self.inner.clock.now()).0))
    }

    /// What is known of the turn that a credential is in, with an offer that holds for a while.
    pub(super) async fn known_standing(
        &self,
        caller: &Caller,
        terms: &StandingTerms,
        key: &StandingKey,
    ) -> StoreResult<Option<Arc<StandingTurn>>> {
        let now = self.inner.clock.now();
        let written_before = self.inner.catalogs.standing_writes();
        let known = self.inner.catalogs.standing.get(key);
        let known = self.still_standing(key, known).await?;
        let (turn, context, taken_at) = match known {
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
                let row = self.standing_row(key).await?;
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

    async fn standing_row(&self, key: &StandingKey) -> StoreResult<Option<standing_turn::Model>> {
        let tenants = TenantSet::of_keys([key.0.as_str()]);
        let row = standing_turn::Entity::find_by_id(key.clone())
            .one(&self.inner.reader.statements(&tenants).await?)
            .await?;
        let end = outlived(self.inner.clock.now()).0;
        Ok(row.filter(|row| row.taken_at > end))
    }

    /// What is known in memory, where it still is what the row says: another process may have begun another turn.
    async fn still_standing(
        &self,
        key: &StandingKey,
        known: Option<Arc<StandingTurn>>,
    ) -> StoreResult<Option<Arc<StandingTurn>>> {
        let Some(known) = known else {
            return Ok(None);
        };
        if !self.inner.is_shared() {
            return Ok(Some(known));
        }
        let row = self.standing_row(key).await?;
        let is_same = row.is_some_and(|row| {
            row.turn == known.offered.turn.as_str() && row.taken_at == known.taken_at.0
        });
        if !is_same {
            self.inner.catalogs.standing.remove(key);
        }
        Ok(is_same.then_some(known))
    }

    /// Takes a new turn, and says that the credential is in it.
    pub(super) async fn begin_standing(
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
        let writing = Writing::in_tenant(&key.0);
        let (writer, tx) = self.begin_writing(&writing).await?;
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
        let crowded_out = standing_turn::Entity::find()
            .filter(Column::Tenant.eq(key.0.as_str()))
            .filter(Column::Credential.eq(key.1.as_str()))
            .order_by_desc(Column::TakenAt)
            .order_by_desc(Column::Turn)
            .offset(MOST_OF_A_CREDENTIAL)
            .limit(MOST_OF_A_CREDENTIAL)
            .all(&tx)
            .await?;
        let mut gone = Vec::with_capacity(crowded_out.len());
        for row in crowded_out {
            gone.push((
                row.tenant.clone(),
                row.credential.clone(),
                row.role.clone(),
                row.cap,
            ));
            standing_turn::Entity::delete(row.into_active_model())
                .exec(&tx)
                .await?;
        }
        commit(tx).await?;
        // Before the writer is let go: what is in memory is what was committed last. Whoever read a row before it went, and
        // has not kept it yet, keeps it no more.
        self.inner.catalogs.keep_standing(&key, &standing, None);
        for key in &gone {
            self.inner.catalogs.standing.remove(key);
        }
        drop(writer);
        Ok(())
    }
}

impl Caches {
    pub(super) fn gate(&self, (tenant, credential, ..): &StandingKey) -> &tokio::sync::Mutex<()> {
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
