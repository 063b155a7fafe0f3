//! Who belongs to a tenant, and as what. Removing a member ends its authority at once, for its tokens, for its keys and
//! for the agents that act for it.

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter,
};
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, ActorId, Role, Scope, Target, TenantId, Username};

use crate::store::actions::end_session;
use crate::store::authorize::Governed;
use crate::store::entity::{actor_epoch, member, session, skill, user};
use crate::store::error::{StoreError, StoreResult};
use crate::store::live::Effect;
use crate::store::rows::{ScopeKey, role_code, role_of};
use crate::store::work::{Perform, Work};

/// Adds a member, or changes its role.
#[derive(Debug, Clone)]
pub struct SetMember {
    /// The tenant.
    pub tenant: TenantId,
    /// The human.
    pub username: Username,
    /// The role.
    pub role: Role,
    /// Whether the human takes over the skills that its actor id already has.
    pub claim: bool,
}

/// Removes a member.
#[derive(Debug, Clone)]
pub struct RemoveMember {
    /// The tenant.
    pub tenant: TenantId,
    /// The human.
    pub username: Username,
}

/// What a member is after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberChange {
    /// The tenant.
    pub tenant: String,
    /// The human.
    pub username: String,
    /// The role; none when it is no member any more.
    pub role: Option<String>,
    /// Whether it was so already.
    pub unchanged: bool,
}

impl Governed for SetMember {
    type Outcome = MemberChange;
    const ACTION: Action = Action::SetMember;
    fn target(&self) -> Target {
        Target::Tenant(self.tenant.clone())
    }
}

impl Perform for SetMember {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<MemberChange> {
        let username = known_username(work, &self.username).await?;
        let key = (self.tenant.to_string(), username.clone());
        let current = member::Entity::find_by_id(key.clone()).one(work.tx).await?;
        let change = MemberChange {
            tenant: self.tenant.to_string(),
            username: username.clone(),
            role: Some(self.role.as_str().to_owned()),
            unchanged: false,
        };
        work.audit.target = format!("tenant:{} member:{username}", self.tenant);
        work.audit
            .detail
            .insert("role".to_owned(), self.role.as_str().into());
        if let Some(row) = &current {
            let before = role_of(row.role)?;
            if before == self.role {
                work.unchanged = true;
                return Ok(MemberChange {
                    unchanged: true,
                    ..change
                });
            }
            work.audit
                .detail
                .insert("role_before".to_owned(), before.as_str().into());
        } else {
            self.join(work, &username).await?;
        }
        member::Entity::insert(
            member::Model {
                tenant: key.0,
                username,
                role: role_code(self.role),
                created_at: current.map_or(work.now.0, |row| row.created_at),
            }
            .into_active_model()
            .reset_all(),
        )
        .on_conflict(
            OnConflict::columns([member::Column::Tenant, member::Column::Username])
                .update_column(member::Column::Role)
                .to_owned(),
        )
        .exec_without_returning(work.tx)
        .await?;
        Ok(change)
    }
}

impl SetMember {
    /// A human who joins takes over nothing unasked: skills that agents wrote for an external actor of its name stay
    /// out of reach until someone who may decide that says that they are the same.
    async fn join(&self, work: &mut Work<'_>, username: &str) -> StoreResult<()> {
        let actor = ActorId::parse(username).map_err(|error| {
            StoreError::Internal(format!("a stored username is no id: {error}"))
        })?;
        let key = ScopeKey::of(&Scope::Actor {
            tenant: Some(self.tenant.clone()),
            actor,
        });
        let epoch = actor_epoch::Entity::find_by_id((key.tenant.clone(), key.id.clone()))
            .one(work.tx)
            .await?;
        // A tombstone shows that this human was here before: then the skills are its own.
        let was_member = epoch.as_ref().is_some_and(|row| row.ended);
        if !was_member && !self.claim {
            let skills = skill::Entity::find()
                .filter(skill::Column::Tenant.eq(key.tenant.clone()))
                .filter(skill::Column::ScopeKind.eq(key.kind))
                .filter(skill::Column::ScopeId.eq(key.id.clone()))
                .count(work.tx)
                .await?;
            if skills > 0 {
                return Err(StoreError::ActorIdTaken(username.to_owned()));
            }
        }
        if self.claim {
            work.audit.detail.insert("claim".to_owned(), true.into());
        }
        if let Some(row) = epoch.filter(|row| row.ended) {
            set_epoch(work, key.tenant, key.id, row.epoch, false).await?;
        }
        Ok(())
    }
}

impl Governed for RemoveMember {
    type Outcome = MemberChange;
    const ACTION: Action = Action::RemoveMember;
    fn target(&self) -> Target {
        Target::Tenant(self.tenant.clone())
    }
}

impl Perform for RemoveMember {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<MemberChange> {
        let tenant = self.tenant.to_string();
        let username = known_username(work, &self.username).await?;
        let deleted = member::Entity::delete_by_id((tenant.clone(), username.clone()))
            .exec(work.tx)
            .await?;
        if deleted.rows_affected == 0 {
            return Err(StoreError::NotFound(format!("The member `{username}`")));
        }
        let epoch = actor_epoch::Entity::find_by_id((tenant.clone(), username.clone()))
            .one(work.tx)
            .await?
            .map_or(0, |row| row.epoch);
        set_epoch(work, tenant.clone(), username.clone(), epoch + 1, true).await?;
        end_sessions(work, &tenant, &username).await?;
        work.audit.target = format!("tenant:{tenant} member:{username}");
        Ok(MemberChange {
            tenant,
            username,
            role: None,
            unchanged: false,
        })
    }
}

/// Ends the logins of a removed member: without this, a refresh token from before would give tokens again once the human
/// is added again.
async fn end_sessions(work: &mut Work<'_>, tenant: &str, username: &str) -> StoreResult<()> {
    let living = session::Entity::find()
        .filter(session::Column::Tenant.eq(tenant))
        .filter(session::Column::Username.eq(username))
        .filter(session::Column::RevokedAt.is_null())
        .all(work.tx)
        .await?;
    for row in living {
        work.effects.push(end_session(&row));
        let mut row = row.into_active_model();
        row.revoked_at = Set(Some(work.now.0));
        row.update(work.tx).await?;
    }
    Ok(())
}

/// The username as it was registered: usernames compare without regard to case, rows do not.
async fn known_username(work: &Work<'_>, username: &Username) -> StoreResult<String> {
    user::Entity::find_by_id(username.folded())
        .one(work.tx)
        .await?
        .map(|row| row.username)
        .ok_or_else(|| StoreError::NotFound(format!("The user `{username}`")))
}

async fn set_epoch(
    work: &mut Work<'_>,
    tenant: String,
    actor: String,
    epoch: i64,
    ended: bool,
) -> StoreResult<()> {
    actor_epoch::Entity::insert(actor_epoch::ActiveModel {
        tenant: Set(tenant.clone()),
        actor: Set(actor.clone()),
        epoch: Set(epoch),
        ended: Set(ended),
    })
    .on_conflict(
        OnConflict::columns([actor_epoch::Column::Tenant, actor_epoch::Column::Actor])
            .update_columns([actor_epoch::Column::Epoch, actor_epoch::Column::Ended])
            .to_owned(),
    )
    .exec_without_returning(work.tx)
    .await?;
    work.effects.push(Effect::ActorEpoch {
        tenant,
        actor,
        epoch,
        ended,
    });
    Ok(())
}
