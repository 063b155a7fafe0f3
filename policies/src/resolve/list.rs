//! One scope's participating skills, in the order that merging needs.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use crate::scope::Scope;
use crate::skill::{Mode, Status, Summary};

/// The skills of one scope that take part in catalogs: one a name, sorted by name.
///
/// It depends on nothing but the scope's own rows, so that it can be kept until one of them changes.
/// Roles are not applied yet: they belong to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeList {
    scope: Scope,
    rows: Vec<Arc<Summary>>,
}

impl ScopeList {
    /// Keeps the rows of `scope` that take part; of several with one name the earliest source's.
    ///
    /// Rows of other scopes are dropped. The order of `rows` does not matter.
    #[must_use]
    pub fn new(scope: Scope, mut rows: Vec<Arc<Summary>>) -> Self {
        rows.retain(|row| row.scope == scope && takes_part(row));
        rows.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| precedence(a, b)));
        rows.dedup_by(|later, kept| later.name == kept.name);
        Self { scope, rows }
    }

    /// The scope.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The skills, by name.
    #[must_use]
    pub fn rows(&self) -> &[Arc<Summary>] {
        &self.rows
    }
}

fn takes_part(row: &Summary) -> bool {
    match (row.mode, row.status) {
        (Mode::Triggered, Status::Active) => true,
        (Mode::Ambient, _)
        | (_, Status::Disabled | Status::Quarantined | Status::Revoked | Status::Archived) => false,
    }
}

/// Which of two rows with one name at one scope comes first, and so wins.
///
/// What follows the digest decides only between rows that storage cannot hold at once, but leaves no
/// pair of different rows undecided: the order of the input must never show.
fn precedence(a: &Summary, b: &Summary) -> Ordering {
    let key = |row: &Summary| (row.source, Reverse(row.revision), row.digest);
    key(a)
        .cmp(&key(b))
        .then_with(|| a.description.cmp(&b.description))
        .then_with(|| (a.sealed, a.templated, &a.roles).cmp(&(b.sealed, b.templated, &b.roles)))
}

/// Whether a skill is offered to an agent that is deployed as `role`.
pub(super) fn is_for(row: &Summary, role: Option<&str>) -> bool {
    row.roles.is_empty()
        || role.is_some_and(|role| row.roles.iter().any(|attached| &**attached == role))
}

/// Whether narrower scopes cannot override a skill. An actor cannot seal: it would seal itself in.
pub(super) fn is_sealed(row: &Summary) -> bool {
    row.sealed && row.scope.is_shared()
}
