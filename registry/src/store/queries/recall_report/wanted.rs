//! Which content a report is about, and finding it in what turns were offered.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use vestry_policies::{Digest, ItemName, Scope};

use super::event::{ReportedSkill, What};
use crate::clock::Micros;
use crate::store::actions::find_revision;
use crate::store::catalog::Snapshot;
use crate::store::entity::revision;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::ScopeKey;
use crate::store::sources::FROM_SOURCE;
use crate::store::view::View;

/// What a clock may be set back by without hiding an offer: nothing was offered before it was written.
const MARGIN_SECONDS: i64 = 60 * 60;

/// Which content of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A revision of a skill.
    Revision {
        /// The name.
        name: ItemName,
        /// The number; 0 for a skill of a read-only source.
        number: u32,
    },
    /// Every revision with this digest.
    Digest(Digest),
}

/// Content of a scope, and since when it can have been offered.
#[derive(Debug)]
pub(super) struct Content {
    scope: String,
    /// The only actor who can have been offered it.
    pub(super) actor: Option<String>,
    name: Option<String>,
    number: Option<u32>,
    digest: Option<String>,
    pub(super) since: i64,
}

impl Wanted {
    /// Finds it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for a revision that there is not.
    pub(super) async fn find(self, view: &View<'_>, scope: &Scope) -> StoreResult<Content> {
        let mut content = Content {
            scope: scope.to_string(),
            actor: match scope {
                Scope::Actor { actor, .. } => Some(actor.to_string()),
                Scope::Tenant(_) | Scope::Global => None,
            },
            name: None,
            number: None,
            digest: None,
            since: i64::MIN,
        };
        match self {
            Self::Revision { name, number } => {
                if number != FROM_SOURCE {
                    let row = find_revision(view.db, scope, &name, number)
                        .await?
                        .ok_or_else(|| {
                            StoreError::NotFound(format!(
                                "Revision {number} of `{name}` at {scope}"
                            ))
                        })?;
                    content.digest = Some(row.digest);
                    content.since = earliest(row.created_at);
                }
                content.name = Some(name.to_string());
                content.number = Some(number);
            }
            Self::Digest(digest) => {
                let digest = digest.to_string();
                let key = ScopeKey::of(scope);
                let first: Option<Option<i64>> = revision::Entity::find()
                    .select_only()
                    .column_as(revision::Column::CreatedAt.min(), "first")
                    .filter(revision::Column::Tenant.eq(key.tenant))
                    .filter(revision::Column::Digest.eq(digest.as_str()))
                    .filter(revision::Column::ScopeKind.eq(key.kind))
                    .filter(revision::Column::ScopeId.eq(key.id))
                    .into_tuple()
                    .one(view.db)
                    .await?;
                // A read-only source may have offered it too, at any time.
                content.since = match first.flatten() {
                    Some(first) if view.inner.sources.is_empty() => earliest(first),
                    _ => i64::MIN,
                };
                content.digest = Some(digest);
            }
        }
        Ok(content)
    }
}

fn earliest(created_at: i64) -> i64 {
    Micros(created_at).plus_seconds(-MARGIN_SECONDS).0
}

impl Content {
    fn is(&self, name: &str, scope: &str, revision: u32, digest: &str) -> bool {
        scope == self.scope
            && self.name.as_deref().is_none_or(|wanted| wanted == name)
            && self.number.is_none_or(|wanted| wanted == revision)
            && self.digest.as_deref().is_none_or(|wanted| wanted == digest)
    }

    /// What of it was loaded.
    pub(super) fn of_load(&self, what: What) -> Option<ReportedSkill> {
        self.is(&what.name, &what.scope, what.revision, &what.digest)
            .then_some(ReportedSkill {
                name: what.name,
                revision: what.revision,
                digest: what.digest,
            })
    }

    /// What of it a snapshot offers.
    pub(super) fn of_snapshot(&self, content: &[u8]) -> serde_json::Result<Vec<ReportedSkill>> {
        // Most snapshots do not have it, and need not be read for that: neither digests nor names are ever escaped.
        let may_have = |needle: &Option<String>| {
            needle.as_ref().is_none_or(|needle| {
                std::str::from_utf8(content).is_ok_and(|text| text.contains(needle.as_str()))
            })
        };
        if !may_have(&self.digest) || !may_have(&self.name) {
            return Ok(Vec::new());
        }
        let snapshot: Snapshot = serde_json::from_slice(content)?;
        Ok(snapshot
            .entries
            .into_iter()
            .filter(|entry| self.is(&entry.name, &entry.scope, entry.revision, &entry.digest))
            .map(|entry| ReportedSkill {
                name: entry.name,
                revision: entry.revision,
                digest: entry.digest,
            })
            .collect())
    }
}
