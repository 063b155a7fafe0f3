//! Who wrote each line of a skill: the revision that brought it.

use std::collections::BTreeMap;
use std::time::Duration;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use similar::{ChangeTag, TextDiff};
use vestry_policies::{Action, ItemName, Scope, Target};

use super::history::{RevisionRow, row_of};
use crate::store::Store;
use crate::store::actions::{find, find_revision, missing, skill_key};
use crate::store::body::Body;
use crate::store::entity::revision;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::unsigned;
use crate::store::view::{Bodies, Fetch, Query, View};

/// The most revisions that are looked back on.
const LOOK_BACK: u64 = 200;
/// The most bytes of texts that are looked at.
const MOST_BYTES: i64 = 16 << 20;
/// The most lines of a skill that can be asked about.
const MOST_LINES: usize = 20_000;
/// The most lines that are compared.
const MOST_COMPARED: usize = 400_000;

/// How long two revisions are compared before the rest counts as replaced.
const PATIENCE: Duration = Duration::from_millis(20);

/// Asks who wrote each line of a skill.
#[derive(Debug, Clone)]
pub struct BlameSkill {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
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

/// A skill's text and history, read and not yet compared. The older texts are not for showing: they may be recalled.
#[derive(Debug)]
pub struct Traceable {
    /// The revision that is asked about, and those before it, newest first.
    revisions: Vec<(RevisionRow, Body)>,
    complete: bool,
}

impl Query for BlameSkill {
    type Answer = Traceable;
    const ACTION: Action = Action::ReadBody;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for BlameSkill {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Traceable> {
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
        if body.skill_md().lines().count() > MOST_LINES {
            return Err(StoreError::Conflict(format!(
                "The text has more than {MOST_LINES} lines; compare two of its revisions instead."
            )));
        }
        let history = older(view, &scope, &name, &row).await?;
        let mut complete = history.last().is_none_or(|oldest| oldest.number == 1);
        let mut room = MOST_BYTES.saturating_sub(row.size);
        let mut revisions = vec![(row_of(row)?, body)];
        for older in history {
            room = room.saturating_sub(older.size);
            if room < 0 {
                complete = false;
                break;
            }
            // Not kept in memory: nobody loads what was long ago.
            let content = view.inner.read_content(view.db, &older).await?;
            revisions.push((row_of(older)?, content.body.clone()));
        }
        Ok(Traceable {
            revisions,
            complete,
        })
    }
}

impl Store {
    /// Compares what was read. It takes a processor, and no connection.
    ///
    /// # Errors
    /// When the work could not be done.
    pub async fn blame(&self, traceable: Traceable) -> StoreResult<Blame> {
        self.compare(move || trace(traceable)).await?
    }
}

fn trace(traceable: Traceable) -> StoreResult<Blame> {
    let Traceable {
        revisions,
        mut complete,
    } = traceable;
    let mut revisions = revisions.into_iter();
    let (asked, body) = revisions
        .next()
        .ok_or_else(|| StoreError::Internal("there is nothing to blame".to_owned()))?;
    let number = asked.number;
    let mut lines = Lines::of(&body);
    let mut compared: usize = 0;
    let mut newer = (asked, body);
    let mut named = BTreeMap::new();
    for older in revisions {
        if lines.is_done() {
            break;
        }
        let count = |body: &Body| body.skill_md().matches('\n').count();
        compared = compared.saturating_add(count(&older.1) + count(&newer.1));
        if compared > MOST_COMPARED {
            complete = false;
            break;
        }
        lines.step(newer.0.number, older.1.skill_md(), newer.1.skill_md());
        named.insert(newer.0.number, newer.0);
        newer = older;
    }
    complete |= lines.is_done();
    let oldest = newer.0.number;
    named.insert(oldest, newer.0);
    let lines = lines.finish(oldest);
    named.retain(|number, _| lines.iter().any(|line| line.revision == *number));
    Ok(Blame {
        revision: number,
        lines,
        revisions: named.into_values().rev().collect(),
        complete,
    })
}

/// The revisions before this one, newest first.
async fn older(
    view: &View<'_>,
    scope: &Scope,
    name: &ItemName,
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
