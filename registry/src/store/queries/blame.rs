//! Who wrote each line of a skill: the revision that brought it.

use std::collections::BTreeMap;
use std::time::Duration;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use similar::{ChangeTag, TextDiff};
use vestry_policies::{Action, Scope, SkillName, Target};

use super::history::{RevisionRow, row_of};
use crate::store::actions::{find, find_revision, missing, skill_key};
use crate::store::body::Body;
use crate::store::entity::revision;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::unsigned;
use crate::store::view::{Bodies, Fetch, Query, View};

/// The most revisions that are looked back on.
const LOOK_BACK: u64 = 200;

/// How long two revisions are compared before the rest counts as replaced.
const PATIENCE: Duration = Duration::from_millis(20);

/// Asks who wrote each line of a skill.
#[derive(Debug, Clone)]
pub struct BlameSkill {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: SkillName,
    /// The revision; none is the current one.
    pub revision: Option<u32>,
}

/// A line, and the revision that brought it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedLine {
    /// The line, without its end.
    pub text: String,
    /// The number of the revision.
    pub revision: u32,
}

/// Who wrote each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    /// The number of the revision whose lines these are.
    pub revision: u32,
    /// The lines of its SKILL.md.
    pub lines: Vec<BlamedLine>,
    /// The revisions that the lines name, newest first.
    pub revisions: Vec<RevisionRow>,
    /// Whether the whole history was looked at. If not, what is older counts for the oldest revision that was.
    pub complete: bool,
}

impl Query for BlameSkill {
    type Answer = Blame;
    const ACTION: Action = Action::ReadBody;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for BlameSkill {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Blame> {
        let Self {
            scope,
            name,
            revision,
        } = self;
        let skill = find(view.db, &scope, &name)
            .await?
            .ok_or_else(|| missing(&scope, &name))?;
        let number = match revision {
            Some(number) => number,
            None => unsigned(skill.revision, "revision")?,
        };
        let row = find_revision(view.db, &scope, &name, number)
            .await?
            .ok_or_else(|| missing(&scope, &name))?;
        let Some(body) = view.body_of(&scope, &row, Bodies::Required).await? else {
            return Err(missing(&scope, &name));
        };
        let mut tracing = Lines::of(&body);
        let history = older(view, &scope, &name, &row).await?;
        let complete = history.last().is_none_or(|oldest| oldest.number == 1);
        let mut newer = (row, body);
        let mut named = BTreeMap::new();
        for older in history {
            if tracing.is_done() {
                break;
            }
            // Its text is compared and not shown, so it does not matter that it may be recalled.
            let text = view.inner.content_of(view.db, &older).await?.body.clone();
            let number = unsigned(newer.0.number, "number")?;
            let (earlier, later) = (text.clone(), newer.1);
            let work = tokio::task::spawn_blocking(move || {
                tracing.step(number, earlier.skill_md(), later.skill_md());
                tracing
            });
            tracing = work
                .await
                .map_err(|error| StoreError::Internal(error.to_string()))?;
            named.insert(number, row_of(newer.0)?);
            newer = (older, text);
        }
        let oldest = unsigned(newer.0.number, "number")?;
        named.insert(oldest, row_of(newer.0)?);
        let lines = tracing.finish(oldest);
        named.retain(|number, _| lines.iter().any(|line| line.revision == *number));
        Ok(Blame {
            revision: number,
            lines,
            revisions: named.into_values().rev().collect(),
            complete,
        })
    }
}

/// The revisions before this one, newest first.
async fn older(
    view: &View<'_>,
    scope: &Scope,
    name: &SkillName,
    row: &revision::Model,
) -> StoreResult<Vec<revision::Model>> {
    let (tenant, scope_kind, scope_id, kind, name) = skill_key(scope, name);
    Ok(revision::Entity::find()
        .filter(revision::Column::Tenant.eq(tenant))
        .filter(revision::Column::ScopeKind.eq(scope_kind))
        .filter(revision::Column::ScopeId.eq(scope_id))
        .filter(revision::Column::Kind.eq(kind))
        .filter(revision::Column::Name.eq(name))
        .filter(revision::Column::Number.lt(row.number))
        .order_by_desc(revision::Column::Number)
        .limit(LOOK_BACK)
        .all(view.db)
        .await?)
}

/// The lines of the revision that is asked about, and where those are in an earlier one whose revision is not known yet.
struct Lines {
    lines: Vec<(String, Option<u32>)>,
    /// For each line of the revision that was looked at last, the line that it became.
    open: Vec<Option<usize>>,
}

impl Lines {
    fn of(body: &Body) -> Self {
        let lines: Vec<(String, Option<u32>)> = body
            .skill_md()
            .lines()
            .map(|line| (line.to_owned(), None))
            .collect();
        Self {
            open: (0..lines.len()).map(Some).collect(),
            lines,
        }
    }

    fn is_done(&self) -> bool {
        self.open.iter().all(Option::is_none)
    }

    /// Looks one revision back: lines that it did not have came with `later`.
    fn step(&mut self, later_number: u32, earlier: &str, later: &str) {
        let diff = TextDiff::configure()
            .timeout(PATIENCE)
            .diff_lines(earlier, later);
        let mut open = vec![None; earlier.lines().count()];
        for change in diff.iter_all_changes() {
            let line = change
                .new_index()
                .and_then(|index| self.open.get(index).copied().flatten());
            match (change.tag(), line) {
                (ChangeTag::Insert, Some(line)) => self.blame(line, later_number),
                (ChangeTag::Equal, line) => {
                    if let Some(slot) = change.old_index().and_then(|index| open.get_mut(index)) {
                        *slot = line;
                    }
                }
                (ChangeTag::Insert, None) | (ChangeTag::Delete, _) => {}
            }
        }
        self.open = open;
    }

    fn blame(&mut self, line: usize, number: u32) {
        if let Some((_, revision)) = self.lines.get_mut(line) {
            *revision = Some(number);
        }
    }

    /// What is not known by now is as old as the oldest revision.
    fn finish(self, oldest: u32) -> Vec<BlamedLine> {
        self.lines
            .into_iter()
            .map(|(text, revision)| BlamedLine {
                text,
                revision: revision.unwrap_or(oldest),
            })
            .collect()
    }
}
