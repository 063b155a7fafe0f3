//! Logging in and rotating refresh tokens: what gives a human its tokens.
//!
//! A session is the family of its refresh tokens. A refresh token is used once; one that is used again was stolen from
//! somebody, so its whole family ends. A client that was not told whether its token was used could therefore not send it again:
//! where the database goes away in the middle of a commit, whether it has it is found out before anything is answered.
//!
//! What is written is of one tenant, or of global, and only that is locked. Which one is looked up before, and again under the
//! lock.

use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, QueryOrder,
};
use vestry_policies::{TenantId, Username};

use super::audit::{self, Draft, hex};
use super::entity::{actor_epoch, member, refresh_token, session, user};
use super::error::{StoreError, StoreResult};
use super::rows::{tenant_key, tenant_key_str, tenant_of, unsigned};
use super::tenant_set::TenantSet;
use super::turn::WriterTurn;
use super::writing::{Writing, commit};
use super::{Store, actions};
use crate::clock::Micros;
use crate::identity::RefreshToken;
use crate::identity::{HumanGrant, Minted};
use crate::store::pool::Transaction;

/// How long a login lasts when its refresh tokens are used, in seconds.
pub const SESSION_SECONDS: i64 = 30 * 24 * 60 * 60;

/// How often the tenant of a login may be another one under the lock than before it.
const TRIES: usize = 3;

/// The tokens of a login.
#[derive(Debug)]
pub struct SessionTokens {
    /// The access token.
    pub access: Minted,
    /// The refresh token, to be used once.
    pub refresh: RefreshToken,
    /// The tenant that the tokens are for.
    pub tenant: Option<TenantId>,
}

impl Store {
    /// Whether this is the password of this user. Takes as long for users that do not exist.
    ///
    /// # Errors
    /// When the database or the hashing fails.
    pub async fn verify_password(
        &self,
        username: &str,
        password: &str,
    ) -> StoreResult<Option<Username>> {
        let row = match Username::parse(username) {
            Ok(username) => {
                user::Entity::find_by_id(username.folded())
                    .one(&self.inner.reader.statements(&TenantSet::Every).await?)
                    .await?
            }
            Err(_) => None,
        };
        let is_right = self
            .inner
            .identity
            .passwords()
            .verify(password, row.as_ref().map(|row| row.password.as_str()))
            .await
            .map_err(|error| StoreError::Internal(error.to_string()))?;
        match row {
            Some(row) if is_right => parse_username(&row.username).map(Some),
            _ => Ok(None),
        }
    }

    /// Opens a session for a user whose password was verified.
    ///
    /// # Errors
    /// [`StoreError::BadCredentials`] for a tenant that the user is not a member of; [`StoreError::Conflict`] when a
    /// tenant must be named.
    pub async fn open_session(
        &self,
        username: Username,
        tenant: Option<String>,
        request_id: Option<String>,
    ) -> StoreResult<SessionTokens> {
        let store = self.clone();
        spawned(async move {
            let (writer, tx, tenant) = store.begin_login(&username, tenant.as_deref()).await?;
            let now = store.inner.clock.now();
            let row = session::Model {
                id: store.inner.entropy.id("ses_")?,
                tenant: tenant_key(tenant.as_ref()),
                username: username.to_string(),
                created_at: now.0,
                expires_at: now.plus_seconds(SESSION_SECONDS).0,
                revoked_at: None,
            };
            session::Entity::insert(row.clone().into_active_model().reset_all())
                .exec_without_returning(&tx)
                .await?;
            let tokens = store.issue(&tx, &row, now).await?;
            let draft = draft(&row, "login", request_id);
            audit::append(&tx, &row.tenant, now, vec![draft]).await?;
            commit(tx).await?;
            drop(writer);
            Ok(tokens)
        })
        .await
    }

    /// Opens a transaction that holds the lock of the tenant that a login is for.
    async fn begin_login(
        &self,
        username: &Username,
        wanted: Option<&str>,
    ) -> StoreResult<(WriterTurn, Transaction, Option<TenantId>)> {
        for _ in 0..TRIES {
            let reading = self.inner.reader.statements(&TenantSet::Every).await?;
            let tenant = choose_tenant(&reading, username, wanted).await?;
            drop(reading);
            let writing = Writing::of_session(tenant_key_str(tenant.as_ref()));
            let (writer, tx) = self.begin_writing(&writing).await?;
            // It may have left the tenant, or joined another, before nobody else wrote.
            if choose_tenant(&tx, username, wanted).await? == tenant {
                return Ok((writer, tx, tenant));
            }
            tx.rollback().await?;
        }
        Err(StoreError::Busy)
    }

    /// Uses a refresh token, and gives the next ones.
    ///
    /// # Errors
    /// [`StoreError::BadCredentials`] for a token that is unknown, expired, used before or of an ended session.
    pub async fn refresh(
        &self,
        token: &str,
        request_id: Option<String>,
    ) -> StoreResult<SessionTokens> {
        let token = RefreshToken::parse(token).map_err(|_| StoreError::BadCredentials)?;
        let hash = hex(&token.hash());
        let store = self.clone();
        spawned(async move {
            let reading = store.inner.reader.statements(&TenantSet::Every).await?;
            let (_, family) = family_of(&reading, &hash, store.inner.clock.now()).await?;
            drop(reading);
            let writing = Writing::of_session(&family.tenant);
            let (writer, tx) = store.begin_writing(&writing).await?;
            let now = store.inner.clock.now();
            let (used, family) = family_of(&tx, &hash, now).await?;
            if used.used_at.is_some() {
                let effect = actions::end_session(&family);
                let draft = draft(&family, "refresh-reuse", request_id);
                let chain = family.tenant.clone();
                let mut family = family.into_active_model();
                family.revoked_at = Set(Some(now.0));
                family.update(&tx).await?;
                audit::append(&tx, &chain, now, vec![draft]).await?;
                commit(tx).await?;
                store.inner.apply(vec![effect]);
                drop(writer);
                return Err(StoreError::BadCredentials);
            }
            let is_member = match tenant_of(&family.tenant)? {
                None => true,
                Some(_) => {
                    member::Entity::find_by_id((family.tenant.clone(), family.username.clone()))
                        .one(&tx)
                        .await?
                        .is_some()
                }
            };
            if !is_member {
                return Err(StoreError::BadCredentials);
            }
            let mut used = used.into_active_model();
            used.used_at = Set(Some(now.0));
            used.update(&tx).await?;
            let tokens = store.issue(&tx, &family, now).await?;
            let draft = draft(&family, "refresh", request_id);
            audit::append(&tx, &family.tenant, now, vec![draft]).await?;
            let committed = commit(tx).await;
            drop(writer);
            match committed {
                Err(StoreError::OutcomeUnknown) => {
                    store.find_out(&writing, &tokens).await?;
                }
                committed => committed?,
            }
            Ok(tokens)
        })
        .await
    }

    /// Whether tokens were kept whose commit nobody answered: whoever gets the lock that it held knows that it has ended.
    async fn find_out(&self, writing: &Writing, tokens: &SessionTokens) -> StoreResult<()> {
        let found = async {
            let (_writer, tx) = self.begin_writing(writing).await?;
            let row = refresh_token::Entity::find_by_id(hex(&tokens.refresh.hash()))
                .one(&tx)
                .await?;
            tx.rollback().await?;
            Ok::<_, StoreError>(row.is_some())
        };
        match found.await {
            Ok(true) => Ok(()),
            // Nothing was written: the token that was sent can be sent again.
            Ok(false) => Err(StoreError::Unavailable),
            Err(error) => {
                tracing::error!(error = %error, "whether a token was used could not be found out");
                Err(StoreError::OutcomeUnknown)
            }
        }
    }

    /// Gives a session its next refresh token and an access token.
    async fn issue(
        &self,
        tx: &Transaction,
        row: &session::Model,
        now: Micros,
    ) -> StoreResult<SessionTokens> {
        let refresh = RefreshToken::generate(self.inner.entropy.as_ref())?;
        refresh_token::Entity::insert(
            refresh_token::Model {
                token_hash: hex(&refresh.hash()),
                session: row.id.clone(),
                created_at: now.0,
                expires_at: row.expires_at,
                used_at: None,
            }
            .into_active_model()
            .reset_all(),
        )
        .exec_without_returning(tx)
        .await?;
        let epoch = actor_epoch::Entity::find_by_id((row.tenant.clone(), row.username.clone()))
            .one(tx)
            .await?
            .map_or(0, |row| row.epoch);
        let tenant = tenant_of(&row.tenant)?;
        let access = self
            .inner
            .identity
            .mint_human(&HumanGrant {
                username: &parse_username(&row.username)?,
                tenant: tenant.as_ref(),
                session_id: &row.id,
                actor_epoch: unsigned(epoch, "epoch")?,
            })
            .map_err(|error| StoreError::Internal(error.to_string()))?;
        Ok(SessionTokens {
            access,
            refresh,
            tenant,
        })
    }
}

/// A refresh token that was not forgotten, and its session, if that goes on.
async fn family_of<C: ConnectionTrait>(
    db: &C,
    hash: &str,
    now: Micros,
) -> StoreResult<(refresh_token::Model, session::Model)> {
    let used = refresh_token::Entity::find_by_id(hash.to_owned())
        .one(db)
        .await?
        .filter(|row| row.expires_at > now.0)
        .ok_or(StoreError::BadCredentials)?;
    let family = session::Entity::find_by_id(used.session.clone())
        .one(db)
        .await?
        .filter(|row| row.revoked_at.is_none() && row.expires_at > now.0)
        .ok_or(StoreError::BadCredentials)?;
    Ok((used, family))
}

/// The tenant that a login is for: the named one, or the only one.
async fn choose_tenant<C: ConnectionTrait>(
    tx: &C,
    username: &Username,
    wanted: Option<&str>,
) -> StoreResult<Option<TenantId>> {
    let memberships = member::Entity::find()
        .filter(member::Column::Username.eq(username.as_str()))
        .order_by_asc(member::Column::Tenant)
        .all(tx)
        .await?;
    if let Some(wanted) = wanted {
        let found = memberships
            .iter()
            .find(|row| row.tenant.eq_ignore_ascii_case(wanted))
            .ok_or(StoreError::BadCredentials)?;
        return tenant_of(&found.tenant);
    }
    let is_admin = user::Entity::find_by_id(username.folded())
        .one(tx)
        .await?
        .is_some_and(|row| row.global_admin);
    if is_admin {
        // Whoever adds an administrator to a tenant changes nothing about how it logs in.
        return Ok(None);
    }
    match memberships.as_slice() {
        [only] => tenant_of(&only.tenant),
        [] => Err(StoreError::Conflict(
            "You are not a member of any tenant; ask a publisher of yours to add you.".to_owned(),
        )),
        several => {
            let names: Vec<&str> = several.iter().map(|row| row.tenant.as_str()).collect();
            Err(StoreError::Conflict(format!(
                "You are a member of several tenants; send `tenant` with one of: {}.",
                names.join(", ")
            )))
        }
    }
}

fn draft(row: &session::Model, action: &str, request_id: Option<String>) -> Draft {
    Draft {
        principal: format!("human:{}", row.username),
        action: action.to_owned(),
        target: format!("session:{}", row.id),
        request_id,
        ..Draft::default()
    }
}

fn parse_username(column: &str) -> StoreResult<Username> {
    Username::parse(column)
        .map_err(|error| StoreError::Internal(format!("a stored username is no id: {error}")))
}

/// Runs a write in a task of its own, so that a client that leaves cancels nothing.
async fn spawned<T: Send + 'static>(
    work: impl Future<Output = StoreResult<T>> + Send + 'static,
) -> StoreResult<T> {
    tokio::spawn(work).await.unwrap_or_else(|error| {
        Err(StoreError::Internal(format!(
            "a writing task ended early: {error}"
        )))
    })
}
