//! What anybody may have who asks, without saying who it is, where the operator has turned that on.

use std::sync::Arc;

use super::list::{Row, ScopeList, takes_part};
use crate::scope::Scope;
use crate::skill::Summary;

/// Whether a skill is for everybody: what a catalog of `global` alone offers without a role, but for templates, which are nothing
/// without the data of a run.
#[must_use]
pub fn is_public(row: &Summary) -> bool {
    row.scope == Scope::Global && takes_part(row) && row.roles.is_empty() && !row.templated
}

impl ScopeList {
    /// The skills that are for everybody, by name; none of another scope than `global`.
    pub fn public(&self) -> impl Iterator<Item = Arc<Summary>> {
        self.rows().filter_map(public)
    }

    /// The skill of this name, where it is for everybody.
    #[must_use]
    pub fn find_public(&self, name: &str) -> Option<Arc<Summary>> {
        self.row(self.position(name)?).and_then(public)
    }
}

fn public(row: Row<'_>) -> Option<Arc<Summary>> {
    let summary = row.summary();
    is_public(&summary).then_some(summary)
}
