//! The difference of two revisions of a skill.

use std::time::Duration;

use vestry_policies::{Action, Scope, SkillName, Target};

use super::files::{FileChange, changes};
use super::history::{ReadRevision, RevisionRow, read};
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
    pub name: SkillName,
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
    /// The unified diff of the two SKILL.md; none where the caller may not read both.
    pub unified: Option<String>,
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
        let unified = match (before, after) {
            (Some(before), Some(after)) => {
                let names = (
                    format!("SKILL.md revision {}", from.number),
                    format!("SKILL.md revision {}", to.number),
                );
                // Comparing is work for a processor, not for a thread that others wait on.
                let work = tokio::task::spawn_blocking(move || {
                    unified(before.skill_md(), after.skill_md(), &names.0, &names.1)
                });
                Some(
                    work.await
                        .map_err(|error| StoreError::Internal(error.to_string()))?,
                )
            }
            _ => None,
        };
        Ok(Diff {
            files: changes(&files_before, &files_after),
            from,
            to,
            unified,
        })
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
