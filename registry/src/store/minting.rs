//! Minting: the token of an elevation that was granted, and the tokens of a service's agents.

use sea_orm::{ConnectionTrait, EntityTrait};
use vestry_policies::{Action, ActorId, AgentId, Facts, Target, Verdict, decide};

use super::authorize::{principal, target_text};
use super::entity::actor_epoch;
use super::error::{StoreError, StoreResult};
use super::journal::Line;
use super::rows::unsigned;
use super::tenant_set::TenantSet;
use super::{Store, actions, facts};
use crate::clock::Micros;
use crate::identity::{AgentGrant, Caller, ElevatedGrant, HumanGrant, Minted};

impl Store {
    /// Mints the token of an elevation that was granted.
    ///
    /// # Errors
    /// When the caller has no session, or no token can be signed.
    pub fn elevated_token(
        &self,
        caller: &Caller,
        scope: &vestry_policies::Scope,
        elevated: &actions::Elevated,
    ) -> StoreResult<Minted> {
        let (Some(username), Some(session_id)) = (caller.username(), caller.session_id()) else {
            return Err(StoreError::Internal(
                "a caller without a session was elevated".to_owned(),
            ));
        };
        let now = self.inner.clock.now();
        self.inner
            .identity
            .mint_elevated(&ElevatedGrant {
                human: HumanGrant {
                    username,
                    tenant: caller.tenant(),
                    session_id,
                    actor_epoch: caller.actor_epoch().unwrap_or(0),
                },
                elevation_id: &elevated.id,
                scope,
                ttl_seconds: Micros(elevated.expires_at).seconds() - now.seconds(),
            })
            .map_err(|error| StoreError::Internal(error.to_string()))
    }

    /// The epoch of an actor; nothing when its authority has ended.
    async fn actor_epoch<C: ConnectionTrait>(
        &self,
        db: &C,
        tenant: &str,
        actor: &str,
    ) -> StoreResult<Option<i64>> {
        if !self.inner.is_shared() {
            return Ok(self.inner.live.actor_epoch(tenant, actor));
        }
        // Another actor than the caller: nothing of it was observed.
        let row = actor_epoch::Entity::find_by_id((tenant.to_owned(), actor.to_owned()))
            .one(db)
            .await?;
        Ok(match row {
            Some(row) if row.ended => None,
            Some(row) => Some(row.epoch),
            None => Some(0),
        })
    }

    /// Mints a token for an agent of the calling service's own tenant.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for anyone but a service; [`StoreError::Conflict`] when the actor's authority has ended.
    pub async fn mint_agent(
        &self,
        caller: &Caller,
        actor: ActorId,
        agent: AgentId,
        ttl_seconds: i64,
    ) -> StoreResult<Minted> {
        let target = caller
            .tenant()
            .map_or(Target::Server, |tenant| Target::Tenant(tenant.clone()));
        let tenants = TenantSet::of_call(caller, &target);
        let reading = self.inner.reader.statements(&tenants).await?;
        let known = facts::read(&reading, caller, &target).await?;
        let facts = Facts {
            principal: principal(caller),
            standing: known.standing,
            elevation: None,
            now: self.inner.clock.now().0,
            settings: known.settings,
            status: None,
            name: None,
            worst_finding: None,
            proposal: None,
            room: None,
        };
        let (tenant, service_id) = match (
            decide(Action::MintToken, &target, &facts),
            caller.tenant(),
            caller.service_id(),
        ) {
            (Verdict::Allow(_), Some(tenant), Some(service)) => (tenant, service),
            (verdict, _, _) => {
                let rule = verdict.rule();
                let target = target_text(&target);
                self.inner
                    .journal
                    .refusal(caller, Action::MintToken, target, rule);
                return Err(StoreError::Refused(rule));
            }
        };
        let epoch = self
            .actor_epoch(&reading, tenant.as_str(), actor.as_str())
            .await?
            .ok_or_else(|| {
                StoreError::Conflict(format!(
                    "The authority of actor `{actor}` has ended, so no agent can act for it; make it a member again first."
                ))
            })?;
        drop(reading);
        let minted = self
            .inner
            .identity
            .mint_agent(&AgentGrant {
                tenant,
                actor: &actor,
                agent: &agent,
                service_id,
                service_epoch: caller.service_epoch().unwrap_or(0),
                actor_epoch: unsigned(epoch, "epoch")?,
                ttl_seconds,
            })
            .map_err(|error| StoreError::InvalidContent {
                field: "ttl_seconds".into(),
                detail: format!("{error}."),
            })?;
        let token = minted.jti.to_string();
        let line = Line::Mint {
            at: self.inner.clock.now().0,
            principal: caller.principal_text(),
            acts_for: actor.as_str(),
            agent: agent.as_str(),
            token: &token,
            expires_at: minted.expires_at.0,
        };
        self.inner.journal.write(caller, &line, None).await?;
        Ok(minted)
    }
}
