//! What takes part under a name at a scope, of what the database and the read-only sources have.

use std::sync::Arc;

use vestry_policies::{Digest, ItemName, Scope, Status, Summary};

use crate::store::Inner;
use crate::store::entity::skill;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{mode_of, status_of, unsigned};

/// What a skill's row would say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Shape {
    pub(in crate::store) archived: bool,
    pub(in crate::store) disabled: bool,
    pub(in crate::store) recall: i16,
    pub(in crate::store) sealed: bool,
    pub(in crate::store) digest: String,
    pub(in crate::store) revision: i64,
    pub(in crate::store) mode: i16,
}

impl Shape {
    /// What a row says now.
    pub(in crate::store) fn of(row: &skill::Model) -> Self {
        Self {
            archived: row.archived,
            disabled: row.disabled,
            recall: row.recall,
            sealed: row.sealed,
            digest: row.digest.clone(),
            revision: row.revision,
            mode: row.mode,
        }
    }
}

/// What takes part if the database has this, or nothing, under the name.
///
/// It follows the rules that reading a scope follows: an earlier source wins, what was withdrawn is not brought back by a
/// source that comes after it, and what is archived leaves its name to one.
pub(in crate::store) fn composed(
    inner: &Inner,
    scope: &Scope,
    name: &ItemName,
    stored: Option<&Shape>,
) -> StoreResult<Option<Summary>> {
    let place = inner.sources.database();
    let mut listed: Vec<Summary> = inner
        .sources
        .summaries(scope)
        .into_iter()
        .filter(|summary| name.skill() == Some(&summary.name))
        .collect();
    listed.sort_by_key(|summary| summary.source);
    let (before, after): (Vec<Summary>, Vec<Summary>) = listed
        .into_iter()
        .partition(|summary| summary.source < place);
    if let Some(first) = before.into_iter().next() {
        return Ok(Some(first));
    }
    let Some(shape) = stored.filter(|shape| !shape.archived) else {
        return Ok(after.into_iter().next());
    };
    if status_of(false, shape.disabled, shape.recall) != Status::Active {
        return Ok(None);
    }
    let digest = Digest::parse(&shape.digest).ok_or_else(|| {
        StoreError::Internal("a stored row has an unreadable `digest`".to_owned())
    })?;
    Ok(Some(Summary {
        name: name.name().clone(),
        scope: scope.clone(),
        // Nothing that is weighed looks at what a skill says.
        description: Arc::from(""),
        revision: unsigned(shape.revision, "revision")?,
        digest,
        sealed: shape.sealed,
        templated: false,
        mode: mode_of(shape.mode),
        status: Status::Active,
        roles: Arc::from([]),
        source: place,
    }))
}
