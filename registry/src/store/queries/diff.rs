//! The difference of two revisions of a skill.

use std::sync::Arc;
use std::time::Duration;

use vestry_policies::{Action, ItemName, Scope, Target};

use super::files::{FileChange, changes};
use super::history::{ReadRevision, RevisionRow, read};
use crate::store::Store;
use crate::store::body::Body;
use crate::store::error::{StoreError, StoreResult};
use crate::store::view::{Bodies, Fetch, Query, View};

/// How long texts are compared before the rest counts as replaced: two long texts without a line in common must not hold
/// the server up.
const PATIENCE: Duration = Duration::from_millis(500);

/// Compares two revisions.
#[derive(Debug, Clone)]
pub struct DiffSkill {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
    /// The number of the earlier one.
    pub from: u32,
    /// The number of the later one.
    pub to: u32,
}

/// The difference of two revisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// The earlier one.
    pub from: RevisionRow,
    /// The later one.
    pub to: RevisionRow,
    /// The two texts; none where the caller may not read both.
    pub texts: Option<(Body, Body)>,
    /// The files that are not alike, by path.
    pub files: Vec<FileChange>,
}

impl Query for DiffSkill {
    type Answer = Diff;
    const ACTION: Action = Action::ReadSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for DiffSkill {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Diff> {
        let side = |number| read(view, &self.scope, &self.name, number, Bodies::WhereAllowed);
        let ReadRevision {
            row: from,
            files: files_before,
            body: before,
        } = side(self.from).await?;
        let ReadRevision {
            row: to,
            files: files_after,
            body: after,
        } = side(self.to).await?;
        Ok(Diff {
            from,
            to,
            texts: before.zip(after),
            files: changes(&files_before, &files_after),
        })
    }
}

impl Store {
    /// The unified diff of two SKILL.md that the caller may read. It takes a processor, and no connection.
    ///
    /// # Errors
    /// When the work could not be done.
    pub async fn unified_diff(
        &self,
        (before, after): (Body, Body),
        names: (String, String),
    ) -> StoreResult<String> {
        self.compare(move || unified(before.skill_md(), after.skill_md(), &names.0, &names.1))
            .await
    }

    /// Does work that compares texts, or catalogs. Few are done at once, and nobody holds a connection while it waits for its turn.
    pub(in crate::store) async fn compare<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> StoreResult<T> {
        let turn = Arc::clone(&self.inner.comparing)
            .acquire_owned()
            .await
            .map_err(|_| StoreError::Busy)?;
        tokio::task::spawn_blocking(move || {
            // Held by the work itself: a client that leaves does not make room for more than can be done.
            let _turn = turn;
            work()
        })
        .await
        .map_err(|error| StoreError::Internal(error.to_string()))
    }
}

fn unified(before: &str, after: &str, from: &str, to: &str) -> String {
    similar::TextDiff::configure()
        .timeout(PATIENCE)
        .diff_lines(before, after)
        .unified_diff()
        .header(from, to)
        .to_string()
}
