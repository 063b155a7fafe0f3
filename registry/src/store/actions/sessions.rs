//! Stepping up, stepping down, logging out.

use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel};
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, Scope, Target};

use crate::clock::Micros;
use crate::store::authorize::Governed;
use crate::store::entity::{elevation, session};
use crate::store::error::{StoreError, StoreResult};
use crate::store::live::Effect;
use crate::store::rows::{ScopeKey, tenant_key};
use crate::store::work::{Perform, Work};

/// Steps a human up for one shared scope. The password was verified before.
#[derive(Debug, Clone)]
pub struct Elevate {
    /// The elevation's id.
    pub id: String,
    /// The scope.
    pub scope: Scope,
    /// Why.
    pub reason: super::Reason,
    /// How long, in seconds.
    pub ttl_seconds: i64,
}

/// An elevation that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elevated {
    /// Its id.
    pub id: String,
    /// When it ends, in microseconds since the Unix epoch.
    pub expires_at: i64,
}

/// Ends the caller's own elevation.
#[derive(Debug, Clone)]
pub struct EndElevation;

/// Ends the caller's login: its refresh tokens, access tokens and elevations.
#[derive(Debug, Clone)]
pub struct EndSession;

/// What ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// Whether it had ended already.
    pub unchanged: bool,
}

impl Governed for Elevate {
    type Outcome = Elevated;
    const ACTION: Action = Action::Elevate;
    // A global administrator steps up for tenants that it is not in.
    const SCOPE_FIRST: bool = false;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Perform for Elevate {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Elevated> {
        let Self {
            id,
            scope,
            reason,
            ttl_seconds,
        } = self;
        let (Some(session), Some(username)) = (work.caller.session_id(), work.caller.username())
        else {
            return Err(StoreError::Internal(
                "a caller without a session steps up".to_owned(),
            ));
        };
        // Whole seconds, as the token writes it: the row and the token end at the same instant.
        let expires_at = Micros(work.now.seconds().saturating_mul(crate::clock::SECOND))
            .plus_seconds(ttl_seconds);
        let key = ScopeKey::of(&scope);
        elevation::Entity::insert(
            elevation::Model {
                id: id.clone(),
                session: session.to_owned(),
                username: username.to_string(),
                scope_tenant: key.tenant,
                scope_kind: key.kind,
                reason: reason.clone(),
                created_at: work.now.0,
                expires_at: expires_at.0,
                revoked_at: None,
            }
            .into_active_model()
            .reset_all(),
        )
        .exec_without_returning(work.tx)
        .await?;
        work.audit.detail.insert("reason".to_owned(), reason.into());
        work.audit
            .detail
            .insert("elevation".to_owned(), id.clone().into());
        Ok(Elevated {
            id,
            expires_at: expires_at.0,
        })
    }
}

impl Governed for EndElevation {
    type Outcome = Ended;
    const ACTION: Action = Action::EndSession;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Perform for EndElevation {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Ended> {
        let Some(claim) = work.caller.elevation() else {
            work.unchanged = true;
            return Ok(Ended { unchanged: true });
        };
        let row = elevation::Entity::find_by_id(claim.id.to_string())
            .one(work.tx)
            .await?
            .ok_or_else(|| StoreError::NotFound("This elevation".to_owned()))?;
        work.chain = row.scope_tenant.clone();
        work.audit.target = claim.scope.to_string();
        work.audit
            .detail
            .insert("elevation".to_owned(), row.id.clone().into());
        work.unchanged = row.revoked_at.is_some();
        if !work.unchanged {
            let mut row = row.into_active_model();
            row.revoked_at = Set(Some(work.now.0));
            row.update(work.tx).await?;
        }
        Ok(Ended {
            unchanged: work.unchanged,
        })
    }
}

impl Governed for EndSession {
    type Outcome = Ended;
    const ACTION: Action = Action::EndSession;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Perform for EndSession {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Ended> {
        work.chain = tenant_key(work.caller.tenant());
        let Some(id) = work.caller.session_id() else {
            work.unchanged = true;
            return Ok(Ended { unchanged: true });
        };
        let row = session::Entity::find_by_id(id.to_owned())
            .one(work.tx)
            .await?
            .ok_or_else(|| StoreError::NotFound("This session".to_owned()))?;
        work.audit.target = format!("session:{id}");
        work.effects.push(end_session(&row));
        let mut row = row.into_active_model();
        row.revoked_at = Set(Some(work.now.0));
        row.update(work.tx).await?;
        Ok(Ended { unchanged: false })
    }
}

/// What ending a session changes in the live state.
pub(in crate::store) fn end_session(row: &session::Model) -> Effect {
    Effect::SessionEnded {
        id: row.id.clone(),
        expires_at: row.expires_at,
    }
}
