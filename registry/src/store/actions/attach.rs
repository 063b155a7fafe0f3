//! Attaching skills to an agent's role: what is attached to roles is offered to those roles only (design §2.2).

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect,
};
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, ItemName, Mode, Scope, SkillName, Target};

use super::skill_rows::{bump_scope, find};
use crate::content::sha256_text;
use crate::store::authorize::Governed;
use crate::store::catalog::attached_at;
use crate::store::entity::role_attachment;
use crate::store::error::{StoreError, StoreResult};
use crate::store::live::Effect;
use crate::store::rows::{ScopeKey, attachment_mode_code, attachment_mode_of};
use crate::store::work::{Perform, Work};

/// The most skills that one role has at a scope.
pub const MAX_ATTACHMENTS: usize = 200;

/// The most roles that one scope attaches skills to.
const MAX_ROLES: usize = 50;

/// A skill of the scope that is attached to a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The skill.
    pub skill: SkillName,
    /// How it reaches the role; as the skill itself says when there is none.
    pub mode: Option<Mode>,
}

/// The skills that a scope attaches to a role, after a change or as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachments {
    /// The role.
    pub role: String,
    /// The scope.
    pub scope: String,
    /// Skill and mode, by name; the mode is `triggered`, `ambient`, or none for what the skill says.
    pub skills: Vec<(String, Option<String>)>,
    /// Changes whenever the list does.
    pub version: String,
    /// Whether nothing had to change.
    pub unchanged: bool,
}

/// Replaces the skills that a scope attaches to a role.
#[derive(Debug, Clone)]
pub struct AttachSkills {
    /// The scope.
    pub scope: Scope,
    /// The role.
    pub role: SkillName,
    /// All of them.
    pub skills: Vec<Attachment>,
    /// The version that must be current, if one must.
    pub expected: Option<Vec<String>>,
    /// Why.
    pub reason: super::Reason,
}

impl Governed for AttachSkills {
    type Outcome = Attachments;
    const ACTION: Action = Action::AttachSkills;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Perform for AttachSkills {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Attachments> {
        let Self {
            scope,
            role,
            skills,
            expected,
            reason,
        } = self;
        let key = ScopeKey::of(&scope);
        let before = attachments(work.tx, &scope, &role).await?;
        if expected.is_some_and(|expected| !expected.contains(&before.version)) {
            return Err(StoreError::PreconditionFailed(Some(before.version)));
        }
        if before.skills.is_empty() && !skills.is_empty() {
            refuse_more_roles(work.tx, &key, &scope).await?;
        }
        for Attachment { skill, .. } in &skills {
            // What was archived since it was attached stays, and may come back.
            if before.skills.iter().any(|(name, _)| name == skill.as_str()) {
                continue;
            }
            let name = skill.clone().into();
            let row = find(work.tx, &scope, &name).await?;
            let is_there =
                row.is_some_and(|row| !row.archived) || work.inner.sources.lists(&scope, skill);
            if !is_there {
                return Err(StoreError::InvalidContent {
                    field: "skills".into(),
                    detail: format!(
                        "There is no skill `{skill}` at {scope}. A role is given skills of the very scope that attaches them."
                    ),
                });
            }
        }
        role_attachment::Entity::delete_many()
            .filter(attached_at(&key).add(role_attachment::Column::Role.eq(role.as_str())))
            .exec(work.tx)
            .await?;
        let rows: Vec<role_attachment::ActiveModel> = skills
            .iter()
            .map(|Attachment { skill, mode }| {
                let row = role_attachment::Model {
                    tenant: key.tenant.clone(),
                    scope_kind: key.kind,
                    scope_id: key.id.clone(),
                    skill: skill.to_string(),
                    role: role.to_string(),
                    mode: attachment_mode_code(*mode),
                    created_at: work.now.0,
                };
                row.into_active_model().reset_all()
            })
            .collect();
        if !rows.is_empty() {
            role_attachment::Entity::insert_many(rows)
                .exec_without_returning(work.tx)
                .await?;
        }
        let after = attachments(work.tx, &scope, &role).await?;
        work.audit.target = format!("{scope}/{}", ItemName::role(role.clone()));
        if !reason.is_empty() {
            work.audit.detail.insert("reason".to_owned(), reason.into());
        }
        if after.version == before.version {
            work.unchanged = true;
            return Ok(Attachments {
                unchanged: true,
                ..after
            });
        }
        work.audit
            .detail
            .insert("skills".to_owned(), serde_json::to_value(&after.skills)?);
        let attaches = !after.skills.is_empty();
        work.effects
            .push(Effect::Attachments(key, role.to_string(), attaches));
        bump_scope(work, &scope);
        Ok(after)
    }
}

/// Refuses another role at a scope that gives skills to many.
async fn refuse_more_roles<C: ConnectionTrait>(
    tx: &C,
    key: &ScopeKey,
    scope: &Scope,
) -> StoreResult<()> {
    let roles: Vec<String> = role_attachment::Entity::find()
        .select_only()
        .column(role_attachment::Column::Role)
        .distinct()
        .filter(attached_at(key))
        .into_tuple()
        .all(tx)
        .await?;
    if roles.len() < MAX_ROLES {
        return Ok(());
    }
    Err(StoreError::LimitReached(format!(
        "{scope} gives skills to {MAX_ROLES} roles, which is the most. Detach those of a role that nobody is deployed as."
    )))
}

/// The skills that a scope attaches to a role now.
pub(in crate::store) async fn attachments<C: ConnectionTrait>(
    db: &C,
    scope: &Scope,
    role: &SkillName,
) -> StoreResult<Attachments> {
    let of_role = role_attachment::Column::Role.eq(role.as_str());
    let rows = role_attachment::Entity::find()
        .filter(attached_at(&ScopeKey::of(scope)).add(of_role))
        .order_by_asc(role_attachment::Column::Skill)
        .all(db)
        .await?;
    let skills = rows
        .into_iter()
        .map(|row| {
            let mode = attachment_mode_of(row.mode)?;
            Ok((row.skill, mode.map(|mode| mode.as_str().to_owned())))
        })
        .collect::<StoreResult<Vec<_>>>()?;
    Ok(Attachments {
        role: role.to_string(),
        scope: scope.to_string(),
        version: sha256_text(&serde_json::to_vec(&skills)?),
        skills,
        unchanged: false,
    })
}
