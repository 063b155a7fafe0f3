//! Which skills of a scope are attached to roles, and how they reach them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter};
use vestry_policies::{Mode, Scope};

use crate::store::entity::role_attachment;
use crate::store::error::StoreResult;
use crate::store::rows::{ScopeKey, attachment_mode_of};

/// The roles of a skill that is for all of them: one for all of those.
pub(super) static NO_ROLES: LazyLock<Arc<[Arc<str>]>> = LazyLock::new(|| Arc::from([]));

/// The rows of a scope.
pub(in crate::store) fn attached_at(key: &ScopeKey) -> Condition {
    Condition::all()
        .add(role_attachment::Column::Tenant.eq(key.tenant.as_str()))
        .add(role_attachment::Column::ScopeKind.eq(key.kind))
        .add(role_attachment::Column::ScopeId.eq(key.id.as_str()))
}

/// A role, and how the skill reaches it; as the skill itself says when there is no mode.
type OfRole = (Arc<str>, Option<Mode>);

/// The attachments of one scope, by skill.
#[derive(Debug, Default)]
pub(in crate::store) struct Attached(HashMap<String, Vec<OfRole>>);

impl Attached {
    /// Of a list of skill, role and mode in JSON.
    pub(in crate::store) fn read(json: &str) -> StoreResult<Self> {
        let rows: Vec<(String, String, i16)> = serde_json::from_str(json)?;
        Self::of(rows)
    }

    fn of(rows: impl IntoIterator<Item = (String, String, i16)>) -> StoreResult<Self> {
        let mut attached = Self::default();
        for (skill, role, mode) in rows {
            let of_skill = attached.0.entry(skill).or_default();
            of_skill.push((Arc::from(role), attachment_mode_of(mode)?));
        }
        Ok(attached)
    }

    /// Those of a scope, or of one skill there.
    pub(in crate::store) async fn of_scope<C: ConnectionTrait>(
        db: &C,
        scope: &Scope,
        skill: Option<&str>,
    ) -> StoreResult<Self> {
        let mut rows = role_attachment::Entity::find().filter(attached_at(&ScopeKey::of(scope)));
        if let Some(skill) = skill {
            rows = rows.filter(role_attachment::Column::Skill.eq(skill));
        }
        let rows = rows.all(db).await?.into_iter();
        Self::of(rows.map(|row| (row.skill, row.role, row.mode)))
    }

    /// Whether nothing is attached to any role.
    pub(in crate::store) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The roles that a skill is attached to, in order.
    pub(in crate::store) fn roles(&self, skill: &str) -> Vec<Arc<str>> {
        let mut roles: Vec<Arc<str>> = self
            .0
            .get(skill)
            .into_iter()
            .flatten()
            .map(|(role, _)| Arc::clone(role))
            .collect();
        roles.sort();
        roles
    }

    /// How a skill reaches an agent of this role, and the roles that it is for: others than this one when it does not.
    pub(in crate::store) fn for_role(
        &self,
        skill: &str,
        own: Mode,
        role: Option<&str>,
    ) -> (Mode, Arc<[Arc<str>]>) {
        let Some(of_skill) = self.0.get(skill) else {
            return (own, Arc::clone(&NO_ROLES));
        };
        match of_skill.iter().find(|(one, _)| role == Some(&**one)) {
            Some((one, mode)) => (mode.unwrap_or(own), Arc::from([Arc::clone(one)])),
            None => (Mode::Triggered, self.roles(skill).into()),
        }
    }

    /// The roles whose agents a skill reaches in this mode: none of them when it reaches everyone. Nothing when it reaches
    /// nobody in this mode.
    pub(in crate::store) fn reached(
        &self,
        skill: &str,
        own: Mode,
        wanted: Mode,
    ) -> Option<Arc<[Arc<str>]>> {
        let Some(of_skill) = self.0.get(skill) else {
            return (own == wanted).then(|| Arc::clone(&NO_ROLES));
        };
        let roles: Arc<[Arc<str>]> = of_skill
            .iter()
            .filter(|(_, mode)| mode.unwrap_or(own) == wanted)
            .map(|(role, _)| Arc::clone(role))
            .collect();
        (!roles.is_empty()).then_some(roles)
    }
}
